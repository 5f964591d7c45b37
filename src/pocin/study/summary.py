# SPDX-License-Identifier: MIT
"""Attack rows as means with their standard errors, by settings, budget, ranking and variant.

What a release has no part in (the public and the informed attacker) is certain: its error is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.attack.simulate import INFORMED, PUBLIC
from pocin.study.extras import needs
from pocin.study.tables import SETTINGS

if TYPE_CHECKING:
    import polars as pl

NOT_SETTINGS = {"task", "run", "seed"}
BY = ("budget", "k", "ranking", "variant")


def attacks(rows: pl.DataFrame) -> pl.DataFrame:
    """Return means over runs, and the column that was taken most often."""
    needs("study", "polars")
    import polars as pl

    settings = [name for name in SETTINGS if name not in NOT_SETTINGS]
    certain = pl.col("ranking").is_in([PUBLIC, INFORMED])

    def error(name: str) -> pl.Expr:
        return pl.col(name).std() / pl.len().sqrt()

    found = rows.group_by([*settings, *BY], maintain_order=True).agg(
        pl.len().alias("runs"),
        pl.col("damage").mean(),
        error("damage").alias("damage_se"),
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
