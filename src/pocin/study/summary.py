# SPDX-License-Identifier: MIT
"""Attack rows as means with their standard errors, by settings, budget, ranking and variant.

What a release has no part in (the public and the informed attacker) is certain: its error is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.attack.simulate import BEST, INFORMED, PUBLIC, RESIDUAL
from pocin.study.extras import needs
from pocin.study.tables import SETTINGS

if TYPE_CHECKING:
    import polars as pl

NOT_SETTINGS = {"task", "run", "seed"}
BY = ("budget", "k", "ranking", "variant")


def _settings() -> list[str]:
    """Name the settings that are not of a single run."""
    return [name for name in SETTINGS if name not in NOT_SETTINGS]


def releases(rows: pl.DataFrame) -> pl.DataFrame:
    """Return shares of outcomes and means over runs; gaps are of faithful releases."""
    needs("study", "polars")
    import polars as pl

    faithful = pl.col("outcome") == "faithful"
    gap = pl.col("gap").filter(faithful)
    return rows.group_by(_settings(), maintain_order=True).agg(
        pl.len().alias("runs"),
        faithful.mean().alias("faithful"),
        (pl.col("outcome") == "refused").mean().alias("refused"),
        pl.col("feasible_before").mean(),
        gap.mean().alias("gap"),
        gap.std().alias("gap_deviation"),
        gap.abs().mean().alias("gap_size"),
        pl.col("error_to_noise").median(),
        pl.col("error_to_noise").max().alias("error_to_noise_largest"),
        pl.col("distance").median(),
        pl.col("mean_hops").mean(),
        pl.col("elements").first(),
        pl.col("covered").first(),
    )


def best(rows: pl.DataFrame, ranking: str, over: str = "k") -> pl.DataFrame | None:
    """Return for every k (or other column) the row of a ranking's way that does most damage.

    Of the residual attacker it is the way that ranks by the best of all columns. The error of a
    single run is not a number.
    """
    import polars as pl

    mine = rows.filter(pl.col("ranking") == ranking)
    if ranking == RESIDUAL:
        mine = mine.filter(pl.col("variant") == BEST)
    if not len(mine):
        return None
    known = mine.with_columns(pl.col("damage_se").fill_null(float("nan")))
    most = known.sort("damage", descending=True, maintain_order=True)
    return most.unique([over, "budget"], keep="first", maintain_order=True).sort("k", over)


def attacks(rows: pl.DataFrame) -> pl.DataFrame:
    """Return means over runs, and the column that was taken most often."""
    needs("study", "polars")
    import polars as pl

    certain = pl.col("ranking").is_in([PUBLIC, INFORMED])

    def error(name: str) -> pl.Expr:
        return pl.col(name).std() / pl.len().sqrt()

    found = rows.group_by([*_settings(), *BY], maintain_order=True).agg(
        pl.len().alias("runs"),
        pl.col("damage").mean(),
        error("damage").alias("damage_se"),
        pl.col("unit").first(),
        pl.col("objective").mean(),
        error("objective").alias("objective_se"),
        pl.col("objective").abs().mean().alias("robustness"),
        pl.col("share").mean(),
        error("share").alias("share_se"),
        pl.col("top").mean(),
        pl.col("p").median(),
        pl.col("p_any").median(),
        pl.col("by").mode().sort().first(),
        pl.col("unsolved").sum(),
    )
    errors = [pl.when(certain).then(0.0).otherwise(pl.col(n)).alias(n) for n in found.columns
              if n.endswith("_se")]  # fmt: skip
    return found.with_columns(errors)
