# SPDX-License-Identifier: MIT
"""A study's results by settings: one point for all runs of the same, with means and their errors.

The standard error of a mean over n runs is s / sqrt(n), with s the deviation of the sample: of one
run there is none. A share p of n has sqrt(p (1 - p) / n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pocin.attack.simulate import BEST, RANKINGS, RESIDUAL
from pocin.errors import InputError
from pocin.study import summary
from pocin.study.extras import needs
from pocin.study.paper import beside
from pocin.study.store import JOURNAL, read, waiting
from pocin.study.tables import SETTINGS
from pocin.study.task import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl

MEANS = ("gap", "gap_size", "distance", "error_to_noise", "mean_hops")
"""What has a mean: the gap |gap| is called ``gap_size``. All are of faithful releases."""

FAITHFUL, UNFAITHFUL, REFUSED = "faithful", "not faithful", "refused"
_BY = [name for name in SETTINGS if name not in summary.NOT_SETTINGS]


@dataclass(frozen=True)
class Mean:
    """A mean over n runs and its standard error, None where one run tells none."""

    value: float
    error: float | None
    n: int


@dataclass(frozen=True)
class Hit:
    """What a kind of attacker does on average, by the better of the ways open to it."""

    damage: Mean
    share: Mean | None
    unit: str


@dataclass(frozen=True)
class Point:
    """All runs of the same settings.

    ``seed`` is of the first ``run``; ``reason`` is why most of the releases failed that did.
    """

    settings: Settings
    run: int
    seed: int
    runs: int
    restored: int
    faithful: int
    refused: int
    reason: str | None
    about: Mapping[str, Any]
    means: Mapping[str, Mean]
    hits: Mapping[tuple[str, str], Hit] = field(default_factory=dict)

    @property
    def within(self) -> Mean | None:
        """The share of releases within beta, of those that were restored."""
        if not self.restored:
            return None
        share = self.faithful / self.restored
        error = math.sqrt(share * (1 - share) / self.restored) if self.restored > 1 else None
        return Mean(share, error, self.restored)


@dataclass(frozen=True)
class Points:
    """The points of a study, and what is to be known of its state."""

    points: tuple[Point, ...]
    budgets: tuple[str, ...]
    unfinished: str | None = None

    @property
    def releases(self) -> int:
        """How many releases were measured."""
        return sum(point.runs for point in self.points)


def points(folder: Path) -> Points:
    """Read a study's folder."""
    needs("study", "polars")
    if (beside(folder) / JOURNAL).exists():  # of pocin study paper
        folder = beside(folder)
    unfinished = waiting(folder) if folder.is_dir() else None
    releases, attacks = _table(folder, "releases"), _table(folder, "attacks")
    if not len(releases):
        why = unfinished or "no release was measured yet"
        raise InputError(f"{folder}: {why}; let pocin study finish with this folder first")
    hits, budgets = _hits(attacks)
    rows = _by_settings(releases).iter_rows(named=True)
    made = tuple(_point(row, hits.get(_key(row), {})) for row in rows)
    return Points(tuple(sorted(made, key=_order)), budgets, unfinished)


def _table(folder: Path, name: str) -> pl.DataFrame:
    """Read a table, or say that it cannot be read."""
    import polars as pl

    try:
        rows = read(folder, name)
    except (pl.exceptions.PolarsError, OSError):
        raise InputError(
            f"{folder / name}: holds a file that is no table of a study; "
            "name the folder that pocin study wrote"
        ) from None
    return rows.filter(pl.col("case").is_not_null())


def _by_settings(rows: pl.DataFrame) -> pl.DataFrame:
    """Return counts, means and errors by settings."""
    import polars as pl

    outcome = pl.col("outcome")
    failed = outcome.is_in([UNFAITHFUL, REFUSED])
    found = rows.with_columns(pl.col("gap").abs().alias("gap_size")).sort("run")
    means = [
        expression
        for name in MEANS
        for of in [pl.col(name).filter(outcome == FAITHFUL).drop_nulls()]
        for expression in (
            of.mean().alias(name),
            (of.std() / of.len().sqrt()).alias(f"{name}_se"),
            of.len().alias(f"{name}_n"),
        )
    ]
    return found.group_by(_BY, maintain_order=True).agg(
        pl.col("run").first(),
        pl.col("seed").first(),
        pl.len().alias("runs"),
        outcome.is_in([FAITHFUL, UNFAITHFUL]).sum().alias("restored"),
        (outcome == FAITHFUL).sum().alias("faithful"),
        (outcome == REFUSED).sum().alias("refused"),
        pl.col("reason").filter(failed).drop_nulls().mode().sort().first().alias("reason"),
        *(
            pl.col(name).drop_nulls().first()
            for name in ("kind", "policy_used", "elements", "covered", "alpha_hops", "alpha_amount")
        ),
        *means,
    )


def _hits(
    rows: pl.DataFrame,
) -> tuple[dict[tuple[Any, ...], dict[tuple[str, str], Hit]], tuple[str, ...]]:
    """Return what attackers do by settings, budget and ranking, and the budgets by their size."""
    found: dict[tuple[Any, ...], dict[tuple[str, str], Hit]] = {}
    budgets: dict[str, tuple[bool, float]] = {}
    if not len(rows):
        return found, ()
    for row in summary.attacks(rows).iter_rows(named=True):
        ranking, budget = row["ranking"], row["budget"]
        if ranking not in RANKINGS or (ranking == RESIDUAL and row["variant"] != BEST):
            continue
        mine = found.setdefault(_key(row), {})
        n, known = row["runs"], mine.get((budget, ranking))
        if row["damage"] is not None and (known is None or row["damage"] > known.damage.value):
            share = None if row["share"] is None else Mean(row["share"], row["share_se"], n)
            damage = Mean(row["damage"], row["damage_se"], n)
            mine[budget, ranking] = Hit(damage, share, row["unit"] or "")
            budgets[budget] = (budget.endswith("%"), float(budget.removesuffix("%")))
    return found, tuple(sorted(budgets, key=lambda name: budgets[name]))


def _point(row: Mapping[str, Any], hits: Mapping[tuple[str, str], Hit]) -> Point:
    """Return a point of a row."""
    about = ("kind", "policy_used", "elements", "covered", "alpha_hops", "alpha_amount")
    counts = ("run", "seed", "runs", "restored", "faithful", "refused", "reason")
    return Point(
        settings=Settings(**{name: row[name] for name in _BY}),
        **{name: row[name] for name in counts},
        about={name: row[name] for name in about},
        means={
            name: Mean(row[name], row[f"{name}_se"], row[f"{name}_n"])
            for name in MEANS
            if row[name] is not None
        },
        hits=hits,
    )


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the settings of a row."""
    return tuple(row[name] for name in _BY)


def _order(point: Point) -> tuple[Any, ...]:
    """Order points by their settings, numbers by their size; the same every time."""
    return tuple(order(getattr(point.settings, name)) for name in _BY)


def order(value: Any) -> tuple[float, str]:
    """Return where a setting's value stands among others: numbers in words count."""
    text = "" if value is None else str(value)
    digits = "".join(sign for sign in text if sign.isdigit() or sign == ".")
    try:
        return float(digits), text
    except ValueError:
        return (math.inf if text else -1.0), text
