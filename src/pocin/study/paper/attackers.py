# SPDX-License-Identifier: MIT
"""Attackers side by side: their means, drawn by budget and told as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin import style
from pocin.attack.simulate import RANKINGS
from pocin.study import summary
from pocin.study.blocks import Figure, Table, legend
from pocin.study.results import picked, values
from pocin.study.tables import BEFORE

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

APART = 2.0
"""Standard errors from which a difference is called one."""

STEP = 0.16
"""Between attackers of one budget, on the axis of the budgets."""

UNIFORM = "1000%"
"""An alpha under which the shuffle is nearly uniform."""


@dataclass(frozen=True)
class Value:
    """A mean and its standard error."""

    mean: float
    se: float

    def minus(self, other: Value) -> Value:
        """Return the difference of two that are drawn apart."""
        return Value(self.mean - other.mean, float(np.hypot(self.se, other.se)))

    @property
    def sure(self) -> bool:
        """Whether it is above zero by more than chance has it."""
        return self.mean > APART * self.se and self.mean > 0

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.se:.2g}"


def value_of(rows: pl.DataFrame, ranking: str, **settings: Any) -> Value | None:
    """Return the damage of a ranking's best variant at one budget."""
    mine = summary.best(picked(rows, **settings), ranking)
    if mine is None:
        return None
    return Value(mine["damage"][0], mine["damage_se"][0])


def figure(name: str, rows: pl.DataFrame, label: str) -> Figure:
    """Draw the damage of every attacker by budget, a panel an alpha."""
    alphas = values(rows, "alpha_location")
    with style.paper():
        drawn, axes = style.panel("page", 0.34, ncols=len(alphas), sharey=True, squeeze=False)
        for alpha, at in zip(alphas, axes[0], strict=True):
            _bars(at, picked(rows, alpha_location=alpha))
            at.set_title(alpha_said(alpha))
            at.set_xlabel("budget")
        axes[0][0].set_ylabel(label)
        legend(drawn, axes[0])
    caption = (
        f"{name}: damage by attacker and budget, eps 1, mean and standard error; of an attacker's "
        "ways the one that does most at that budget."
    )
    safe = "".join(sign if sign.isalnum() else "_" for sign in name)
    return Figure(f"attack_{safe}", caption, drawn)


def _bars(at: Axes, rows: pl.DataFrame) -> None:
    """Draw the attackers beside each other at every budget."""
    shown = [(r, best) for r in RANKINGS if (best := summary.best(rows, r)) is not None]
    for slot, (ranking, best) in enumerate(shown):
        place = np.arange(len(best)) + (slot - (len(shown) - 1) / 2) * STEP
        error = best["damage_se"].to_list()
        bar = {**style.ROLES[ranking].bar, "error_kw": {"linewidth": 0.8}}
        at.bar(place, best["damage"].to_list(), 0.9 * STEP, yerr=error, **bar)
    budgets = values(rows, "budget")
    at.set_xticks(range(len(budgets)), budgets)


def alpha_said(panel: str) -> str:
    """Say an alpha."""
    if panel == UNIFORM:
        return "nearly uniform shuffle"
    said = {"%nodes": " % of the nodes", "%": " % of the diameter"}
    for suffix, words in said.items():
        if panel.endswith(suffix):
            return rf"$\alpha_\ell$ = {panel.removesuffix(suffix)}{words}"
    return panel


def table(name: str, means: pl.DataFrame, by: str) -> Table:
    """Tabulate every mean."""
    order = {ranking: place for place, ranking in enumerate((*RANKINGS, BEFORE))}
    columns = ["case", by, "alpha_location", "budget", "k", "ranking", "variant", "by", "runs",
               "damage", "damage_se", "objective", "share", "p"]  # fmt: skip
    rows = [[row[name] for name in columns] for row in means.iter_rows(named=True)]
    rows.sort(key=lambda row: (str(row[0]), str(row[1]), str(row[2]), row[4], order[str(row[5])]))
    return Table(name, "Every attack: means over runs", columns, rows, shown=False)
