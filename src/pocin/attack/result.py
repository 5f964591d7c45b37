# SPDX-License-Identifier: MIT
"""Attacks by budget and ranking: means and their standard errors.

A standard error is of the mean over runs, sd / sqrt(n); runs are the releases, or the draws of the
random attacker. An attack that only the original decides has none: its damage is what it is.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.attack.simulate import BEST, INFORMED, PUBLIC, RANKINGS, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Mean:
    """A mean and its standard error: 0 of what is certain, None of a single run."""

    mean: float
    se: float | None

    @classmethod
    def of(cls, values: Sequence[float], *, certain: bool = False) -> Mean:
        """Average some runs."""
        n, first = len(values), values[0]
        if n == 1 or all(value == first for value in values):
            return cls(first, 0.0 if certain or n > 1 else None)
        mean = math.fsum(values) / n
        variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
        return cls(mean, math.sqrt(variance / n))


@dataclass(frozen=True)
class Average:
    """The runs of one way of ranking at one budget."""

    ranking: str
    variant: str
    by: str
    runs: int
    damage: Mean
    objective: Mean
    robustness: Mean
    share: Mean
    top: Mean
    details: Mapping[str, Mean] = field(repr=False)
    p: float | None
    p_any: float | None
    shares: Mapping[str, float] = field(repr=False)

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Average:
        """Average some rows of one variant."""
        first, certain = rows[0], rows[0].ranking in {PUBLIC, INFORMED}

        def mean(values: Iterable[float]) -> Mean:
            return Mean.of(list(values), certain=certain)

        return cls(
            ranking=first.ranking,
            variant=first.variant,
            by=Counter(row.by for row in rows).most_common(1)[0][0],
            runs=len(rows),
            damage=mean(row.harm.damage for row in rows),
            objective=mean(row.harm.objective for row in rows),
            robustness=mean(abs(row.harm.objective) for row in rows),
            share=mean(row.share for row in rows),
            top=mean(float(row.top) for row in rows),
            details={
                name: mean(row.harm.details.get(name, math.nan) for row in rows)
                for name in first.harm.details
            },
            p=_median([row.p for row in rows]),
            p_any=_median([row.p_any for row in rows]),
            shares=_means([row.shares for row in rows]),
        )


@dataclass(frozen=True)
class AtBudget:
    """All rankings at one budget, each by its variants."""

    budget: str
    k: int
    rankings: Mapping[str, tuple[Average, ...]]

    def best(self, ranking: str, by: Callable[[Average], Mean] | None = None) -> Average:
        """Return a ranking's best column of all, else its variant that does most damage.

        ``by`` is another figure that shall be the largest.
        """
        found, of = self.rankings[ranking], by or (lambda average: average.damage)
        named = [average for average in found if average.variant == BEST]
        return max(named or found, key=lambda average: of(average).mean)


@dataclass(frozen=True)
class Result:
    """Everything measured: the curator's, not for publication."""

    network: str
    meaning: str
    unit: str
    element: str
    worth_meaning: str
    beside: Mapping[str, str]
    elements: int
    optimum: float
    releases: int
    rows: tuple[Row, ...] = field(repr=False)

    @property
    def budgets(self) -> tuple[AtBudget, ...]:
        """The rows by budget, in the order asked for."""
        texts = dict.fromkeys((row.budget, row.k) for row in self.rows)
        return tuple(AtBudget(text, k, self._averages(text)) for text, k in texts)

    def _averages(self, budget: str) -> dict[str, tuple[Average, ...]]:
        """Average the variants of every ranking that has any rows."""
        found = {}
        for ranking in RANKINGS:
            rows = [r for r in self.rows if r.budget == budget and r.ranking == ranking]
            variants = dict.fromkeys(row.variant for row in rows)
            if rows:
                found[ranking] = tuple(
                    Average.of([row for row in rows if row.variant == name]) for name in variants
                )
        return found


def _median(values: Sequence[float | None]) -> float | None:
    """Return the median of what is known."""
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def _means(tables: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average every key over the tables that have it."""
    names = dict.fromkeys(name for table in tables for name in table)
    return {
        name: math.fsum(known := [t[name] for t in tables if name in t]) / len(known)
        for name in names
    }


def as_object(result: Result) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "warning": "The curator's alone: it compares with the truth.",
        "network": result.network,
        "releases": result.releases,
        "elements": result.elements,
        "damage": result.meaning,
        "unit": result.unit,
        "worth": result.worth_meaning,
        "optimum": result.optimum,
        "budgets": [
            {
                "k": at.k,
                "budget": at.budget,
                "rankings": {
                    name: _ranking_object(at.best(name), variants)
                    for name, variants in at.rankings.items()
                },
            }
            for at in result.budgets
        ],
    }


def _ranking_object(best: Average, variants: tuple[Average, ...]) -> dict[str, Any]:
    """Return the best variant, with the others inside."""
    others = {v.variant: _average_object(v) for v in variants if v is not best}
    return _average_object(best) | ({"variants": others} if others else {})


def _average_object(average: Average) -> dict[str, Any]:
    """Return an average as plain data."""
    told: dict[str, Any] = {
        "damage": average.damage.mean,
        "se": average.damage.se,
        "by": average.by,
        "runs": average.runs,
        "share": average.share.mean,
        "share_se": average.share.se,
        "objective_difference": average.objective.mean,
        "objective_difference_se": average.objective.se,
        "robustness": average.robustness.mean,
        "hits_top": average.top.mean,
        "details": {name: told.mean for name, told in average.details.items()},
    }
    if average.p is not None:
        told |= {"p": average.p, "shares": dict(average.shares)}
    return told
