# SPDX-License-Identifier: MIT
"""What attackers gain: generators of 57 and 118 buses, roads.

The paper compares random, obfuscated and informed attackers. Beside them stand here the one who
has the public part only, and the one who ranks by what the release leaves as it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin import style
from pocin.attack.simulate import INFORMED, OBFUSCATED, PUBLIC, RANDOM, RANKINGS, RESIDUAL
from pocin.study import summary
from pocin.study.blocks import Figure, Said, Section, Table
from pocin.study.paper import printed
from pocin.study.results import picked, values
from pocin.study.tables import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from matplotlib.axes import Axes

    from pocin.study.blocks import Block, Cell
    from pocin.study.results import Results

APART = 2.0
"""Standard errors from which a difference is called one."""

NOTHING: list[Cell] = ["nothing", None, None]

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


def power(results: Results) -> Section | None:
    """Attacks on generators."""
    import polars as pl

    rows = results.of("attacks", "attacks")
    if rows is None:
        return None
    table = summary.attacks(rows)
    shares = table.filter(pl.col("budget").str.ends_with("%"))
    blocks: list[Block] = []
    for case in values(shares, "case"):
        mine = picked(shares, case=case)
        derived = picked(mine, policy="derived")
        blocks += [_figure(case, derived, "ancillary cost ($/h)"), *_power_said(case, derived)]
        blocks += [_policies(case, mine), *_left(case, mine)]
    blocks += [_table("attacks_power", table, "policy"), _top(results, table)]
    return Section("Attacks on generators", blocks)


def roads(results: Results) -> Section | None:
    """Attacks on roads."""
    found = [
        (grid, rows)
        for grid in ("roads", "roads-total", "annarbor", "annarbor-total")
        if (rows := results.of(grid, "attacks")) is not None
    ]
    blocks: list[Block] = []
    for grid, rows in found:
        table = summary.attacks(rows)
        case, reading = rows["case"][0], rows["reading"][0]
        for beta in values(table, "beta"):
            mine = picked(table, beta=beta)
            name = f"{case}, {reading}, beta {beta:g}"
            label = "increase of travel times (%)"
            blocks += [_figure(name, mine, label)]
            blocks += _roads_said(name, mine)
        blocks += [_table(f"attacks_{grid}", table, "beta")]
    return Section("Attacks on roads", blocks) if blocks else None


def _value(rows: pl.DataFrame, ranking: str, **settings: Any) -> Value | None:
    """Return the damage of a ranking's best variant at one budget."""
    mine = summary.best(picked(rows, **settings), ranking)
    if mine is None:
        return None
    return Value(mine["damage"][0], mine["damage_se"][0])


def _figure(name: str, rows: pl.DataFrame, label: str) -> Figure:
    """Draw the damage of every attacker by budget, a panel an alpha."""
    alphas = values(rows, "alpha_location")
    with style.paper():
        drawn, axes = style.panel("page", 0.34, ncols=len(alphas), sharey=True, squeeze=False)
        for alpha, at in zip(alphas, axes[0], strict=True):
            _bars(at, picked(rows, alpha_location=alpha))
            at.set_title(_alpha(alpha))
            at.set_xlabel("budget")
        axes[0][0].set_ylabel(label)
        marks = axes[0][0].get_legend_handles_labels()
        drawn.legend(*marks, loc="outside upper center", ncols=len(marks[1]))
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


def _alpha(panel: str) -> str:
    """Say an alpha."""
    if panel == UNIFORM:
        return "nearly uniform shuffle"
    said = {"%nodes": " % of the nodes", "%": " % of the diameter"}
    for suffix, words in said.items():
        if panel.endswith(suffix):
            return rf"$\alpha_\ell$ = {panel.removesuffix(suffix)}{words}"
    return panel


def _power_said(case: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say what falls to what, once for every number of units."""
    for k in sorted(set(rows["k"].to_list())):
        mine = picked(rows, k=k)
        budgets = values(mine, "budget")
        mine = picked(mine, budget=budgets[0])
        by_alpha = [_value(mine, OBFUSCATED, alpha_location=a) for a in ("1%", "10%", UNIFORM)]
        others = [_value(mine, r, alpha_location="10%") for r in (RANDOM, PUBLIC, INFORMED)]
        if None not in by_alpha and None not in others:
            name = f"{case}, {k} unit{'s' * (k > 1)} ({', '.join(budgets)})"
            yield from _falls(name, by_alpha, others)  # type: ignore[arg-type]
            yield from _gives_back(name, mine)


def _falls(name: str, by_alpha: list[Value], others: list[Value]) -> Iterator[Said]:
    """Say whether attacks by a release fall with alpha, and whether to the random one."""
    (low, high, uniform), (random, public, informed) = by_alpha, others
    told = (
        f"{name}: the released file's attack costs {low} at alpha 1 %, {high} at 10 %, {uniform} "
        f"at a uniform shuffle (random {random}, public part {public.mean:.4g}, informed "
        f"{informed.mean:.4g})"
    )
    if not informed.minus(random).sure:
        yield Said(f"{told}: there is nothing to fall, for the informed attack does no more.")
        return
    fall = low.minus(high).sure
    yield Said(
        f"{told}: it {'falls' if fall else 'does not fall beyond its error'} with alpha.",
        agrees=fall,
    )
    over, left = high.minus(random), uniform.minus(random)
    yield Said(
        f"{name}: over the random attacker it is {over} at alpha 10 %, {left} at a uniform "
        f"shuffle. {_converges(over, left)}",
        agrees=not over.sure and not left.sure,
    )


def _converges(over: Value, left: Value) -> str:
    """Say where the release's attack goes."""
    if left.sure:
        return "It does not converge to random: where places tell nothing it stays above."
    if over.sure:
        return "It has not come down to random at alpha 10 %; at a uniform shuffle it has."
    return "It is not told from random."


def _gives_back(name: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say what phase 3 gives back at a uniform shuffle: the same draws without it."""
    before, after = (_value(rows, r, alpha_location=UNIFORM) for r in (BEFORE, OBFUSCATED))
    if before is None or after is None:
        return
    back = after.minus(before)
    verb = (
        "changes it beyond its error" if abs(back.mean) > APART * back.se else "adds nothing sure"
    )
    yield Said(
        f"{name}, uniform shuffle: by the draws without phase 3 the attack costs {before}, by the "
        f"release {after}; phase 3 {verb} ({back}). The rest is what values, public part and "
        "chance give."
    )


def _policies(case: str, rows: pl.DataFrame) -> Table:
    """Tabulate what a policy leaves to whoever looks at no noise."""
    listed = []
    for policy in values(rows, "policy"):
        for budget in values(rows, "budget"):
            mine = picked(rows, policy=policy, budget=budget, alpha_location="10%")
            left, floor = (picked(mine, ranking=RESIDUAL, variant=v) for v in ("left", "floor"))
            cells: list[Cell] = []
            for part in (left, floor):
                there = len(part) > 0
                cells += [part[n][0] for n in ("by", "share", "p")] if there else NOTHING
            given = [picked(mine, ranking=r)["share"].max() for r in (RANDOM, PUBLIC, OBFUSCATED)]
            listed.append([policy, budget, *given, *cells])
    return Table(
        f"policies_{case}",
        f"{case}, alpha 10 %: share of the informed attack's MW. 'left' is the best column that "
        "the release shares unchanged with the original, 'floor' the best that is public whatever "
        "the release does; p: how often chance takes as much.",
        ["policy", "budget", "random", "public", "released file", "left: column", "share", "p",
         "floor: column", "share", "p"],
        listed,
    )  # fmt: skip


def _left(case: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say under which policies a ranking without any noise beats chance."""
    for policy in values(rows, "policy"):
        left = picked(rows, policy=policy, alpha_location="10%", ranking=RESIDUAL, variant="left")
        if not len(left):
            yield Said(f"{case}, policy {policy}: no column of the units is left as it was.")
            continue
        shares, chances = left["share"].to_list(), left["p"].to_list()
        columns = ", ".join(dict.fromkeys(left["by"].to_list()))
        yield Said(
            f"{case}, policy {policy}: whoever ranks by {columns}, which stands unchanged, finds "
            f"{min(shares):.2f} to {max(shares):.2f} of the informed attack's MW without looking "
            f"at the noise (p {min(chances):.2g} to {max(chances):.2g})."
        )


def _table(name: str, table: pl.DataFrame, by: str) -> Table:
    """Tabulate every mean."""
    order = {ranking: place for place, ranking in enumerate((*RANKINGS, BEFORE))}
    columns = ["case", by, "alpha_location", "budget", "k", "ranking", "variant", "by", "runs",
               "damage", "damage_se", "objective", "share", "p"]  # fmt: skip
    rows = [[row[name] for name in columns] for row in table.iter_rows(named=True)]
    rows.sort(key=lambda row: (str(row[0]), str(row[1]), str(row[2]), row[4], order[str(row[5])]))
    return Table(name, "Every attack: means over runs", columns, rows, shown=False)


def _top(results: Results, table: pl.DataFrame) -> Table:
    """Tabulate the chance that one attack hits the unit that is dispatched most."""
    releases = results.of("attacks")
    assert releases is not None
    listed = []
    for case in values(table, "case"):
        n = max(picked(releases, case=case)["elements"].to_list())
        for policy in values(table, "policy"):
            mine = picked(table, case=case, policy=policy, ranking=OBFUSCATED, k=1)
            if len(mine):
                by = {row["alpha_location"]: row["top"] for row in mine.iter_rows(named=True)}
                listed.append([case, policy, *(by.get(a) for a in ("1%", "10%", UNIFORM)), 1 / n])
    return Table(
        "attack_top_unit",
        "Chance that an attack on one unit by the released file hits the one dispatched most",
        ["network", "policy", "alpha 1%", "alpha 10%", "uniform shuffle", "1/n"],
        listed,
    )


def _roads_said(name: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say what a release gives away of the roads."""
    widest = values(rows, "alpha_location")[-1]
    budgets = values(rows, "budget")
    table = {
        budget: {r: _value(picked(rows, budget=budget, alpha_location=widest), r) for r in RANKINGS}
        for budget in budgets
    }
    for budget, by in table.items():
        random, informed, given = by[RANDOM], by[INFORMED], by[OBFUSCATED]
        if random is None or informed is None or given is None:
            continue
        yield Said(
            f"{name}, {budget} links, alpha {widest}: random {random}, released file {given}, "
            f"informed {informed.mean:.4g} %; {_share(given, random, informed)}",
            agrees=given.mean < printed.SMALL_INCREASE and not given.minus(random).sure
            if budget == budgets[0]
            else given.mean < printed.SMALL_INCREASE,
        )
    yield from _residual_said(name, picked(rows, alpha_location=widest), table)
    largest = table[budgets[-1]]
    random, informed = largest[RANDOM], largest[INFORMED]
    if random is not None and informed is not None:
        yield Said(
            f"{name}: random attacks on {budgets[-1]} links do {random} %, "
            f"{100 * random.mean / informed.mean:.0f} % of the informed one (the paper: completely "
            "ineffective).",
            agrees=random.mean < 0.1 * informed.mean,
        )


def _residual_said(
    name: str, rows: pl.DataFrame, table: dict[str, dict[str, Value | None]]
) -> Iterator[Said]:
    """Say what is left without the noise."""
    for budget, by in table.items():
        left, random, informed = by[RESIDUAL], by[RANDOM], by[INFORMED]
        if left is None or random is None or informed is None:
            continue
        column = picked(rows, budget=budget, ranking=RESIDUAL, variant="best")["by"][0]
        yield Said(
            f"{name}, {budget} links: the residual attacker, by {column}, does {left}; "
            f"{_share(left, random, informed, 'what stands without the noise gives')}"
        )


def _share(given: Value, random: Value, informed: Value, verb: str = "the release gives") -> str:
    """Say how much of what there is to know an attacker gains by the release."""
    gap = informed.mean - random.mean
    if gap <= 0:
        return "the informed attacker does no more than chance."
    share = 100 * (given.mean - random.mean) / gap
    return f"of what the informed attacker has over chance {verb} {share:.0f} %."
