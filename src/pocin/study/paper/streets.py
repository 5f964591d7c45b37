# SPDX-License-Identifier: MIT
"""Attacks on roads: links that take ten times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.attack.simulate import BEST, INFORMED, OBFUSCATED, RANDOM, RANKINGS, RESIDUAL
from pocin.study import summary
from pocin.study.blocks import Said, Section
from pocin.study.paper import printed
from pocin.study.paper.attackers import Value, figure, table, value_of
from pocin.study.results import picked, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from pocin.study.blocks import Block
    from pocin.study.results import Results


def section(results: Results) -> Section | None:
    """Attacks on roads."""
    found = [
        (grid, rows)
        for grid in ("roads", "roads-total", "annarbor", "annarbor-total")
        if (rows := results.of(grid, "attacks")) is not None
    ]
    blocks: list[Block] = []
    for grid, rows in found:
        means = summary.attacks(rows)
        case, reading = rows["case"][0], rows["reading"][0]
        for beta in values(means, "beta"):
            mine = picked(means, beta=beta)
            name = f"{case}, {reading}, beta {beta:g}"
            label = "increase of travel times (%)"
            blocks += [figure(name, mine, label)]
            blocks += _roads_said(name, mine)
        blocks += [table(f"attacks_{grid}", means, "beta")]
    return Section("Attacks on roads", blocks) if blocks else None


def _roads_said(name: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say what a release gives away of the roads."""
    widest = values(rows, "alpha_location")[-1]
    budgets = values(rows, "budget")
    by_budget = {
        budget: {
            r: value_of(picked(rows, budget=budget, alpha_location=widest), r) for r in RANKINGS
        }
        for budget in budgets
    }
    for budget, by in by_budget.items():
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
    yield from _residual_said(name, picked(rows, alpha_location=widest), by_budget)
    largest = by_budget[budgets[-1]]
    random, informed = largest[RANDOM], largest[INFORMED]
    if random is not None and informed is not None:
        yield Said(
            f"{name}: random attacks on {budgets[-1]} links do {random} %, "
            f"{100 * random.mean / informed.mean:.0f} % of the informed one (the paper: completely "
            "ineffective).",
            agrees=random.mean < 0.1 * informed.mean,
        )


def _residual_said(
    name: str, rows: pl.DataFrame, by_budget: dict[str, dict[str, Value | None]]
) -> Iterator[Said]:
    """Say what is left without the noise."""
    for budget, by in by_budget.items():
        left, random, informed = by[RESIDUAL], by[RANDOM], by[INFORMED]
        if left is None or random is None or informed is None:
            continue
        column = picked(rows, budget=budget, ranking=RESIDUAL, variant=BEST)["by"][0]
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
