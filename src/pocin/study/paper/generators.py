# SPDX-License-Identifier: MIT
"""Attacks on the generators of 57 and 118 buses.

The paper compares random, obfuscated and informed attackers. Beside them stand here the one who
has the public part only, the one who ranks by what the release leaves as it was, and the draws
before phase 3, which tell what phase 3 gives back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.attack.simulate import INFORMED, OBFUSCATED, PUBLIC, RANDOM, RESIDUAL
from pocin.study import summary
from pocin.study.blocks import Said, Section, Table
from pocin.study.paper.attackers import APART, UNIFORM, Value, figure, table, value_of
from pocin.study.results import picked, values
from pocin.study.tables import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from pocin.study.blocks import Block, Cell
    from pocin.study.results import Results

NOTHING: list[Cell] = ["nothing", None, None]


def section(results: Results) -> Section | None:
    """Attacks on generators."""
    import polars as pl

    rows = results.of("attacks", "attacks")
    if rows is None:
        return None
    means = summary.attacks(rows)
    shares = means.filter(pl.col("budget").str.ends_with("%"))
    blocks: list[Block] = []
    for case in values(shares, "case"):
        mine = picked(shares, case=case)
        derived = picked(mine, policy="derived")
        blocks += [figure(case, derived, "ancillary cost ($/h)"), *_power_said(case, derived)]
        blocks += [_policies(case, mine), *_left(case, mine)]
    blocks += [table("attacks_power", means, "policy"), _top(results, means)]
    return Section("Attacks on generators", blocks)


def _power_said(case: str, rows: pl.DataFrame) -> Iterator[Said]:
    """Say what falls to what, once for every number of units."""
    for k in sorted(set(rows["k"].to_list())):
        mine = picked(rows, k=k)
        budgets = values(mine, "budget")
        mine = picked(mine, budget=budgets[0])
        by_alpha = [value_of(mine, OBFUSCATED, alpha_location=a) for a in ("1%", "10%", UNIFORM)]
        others = [value_of(mine, r, alpha_location="10%") for r in (RANDOM, PUBLIC, INFORMED)]
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
    before, after = (value_of(rows, r, alpha_location=UNIFORM) for r in (BEFORE, OBFUSCATED))
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
        kept, runs = max(left["runs"].to_list()), _runs(rows, policy)
        yield Said(
            f"{case}, policy {policy}: whoever ranks by {columns}, which stands unchanged (in "
            f"{kept} of {runs} releases), finds {min(shares):.2f} to {max(shares):.2f} of the "
            f"informed attack's MW without looking at the noise (p {min(chances):.2g} to "
            f"{max(chances):.2g})."
        )


def _runs(rows: pl.DataFrame, policy: str) -> int:
    """Return how many releases of a policy were attacked."""
    mine = picked(rows, policy=policy, alpha_location="10%", ranking=OBFUSCATED)
    return int(max(mine["runs"].to_list()))


def _top(results: Results, means: pl.DataFrame) -> Table:
    """Tabulate the chance that one attack hits the unit that is dispatched most."""
    releases = results.of("attacks")
    assert releases is not None
    listed = []
    for case in values(means, "case"):
        n = max(picked(releases, case=case)["elements"].to_list())
        for policy in values(means, "policy"):
            mine = picked(means, case=case, policy=policy, ranking=OBFUSCATED, k=1)
            if len(mine):
                by = {row["alpha_location"]: row["top"] for row in mine.iter_rows(named=True)}
                listed.append([case, policy, *(by.get(a) for a in ("1%", "10%", UNIFORM)), 1 / n])
    return Table(
        "attack_top_unit",
        "Chance that an attack on one unit by the released file hits the one dispatched most",
        ["network", "policy", "alpha 1%", "alpha 10%", "uniform shuffle", "1/n"],
        listed,
    )
