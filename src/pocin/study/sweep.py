# SPDX-License-Identifier: MIT
"""What a study's results say at a glance: two tables of means, and a figure for every sweep.

A grid that turns one dial gives damage against that dial, one that turns several the frontier:
how far readers are off against what attackers still do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pocin.attack.simulate import INFORMED, OBFUSCATED, RANDOM, RANKINGS
from pocin.study import summary
from pocin.study.blocks import Figure, Table, legend
from pocin.study.results import Results, picked, values
from pocin.study.tables import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import polars as pl
    from matplotlib.axes import Axes

    from pocin.study.grid import Study

DIALS = tuple(name for name in SETTINGS if name not in {"task", "case", "run", "seed"})


def write(folder: Path, study: Study) -> tuple[Path, ...]:
    """Write the tables and figures of a study beside its results."""
    blocks = list(_blocks(Results(folder, study)))
    return tuple(path for block in blocks for path in block.write(folder))


def _blocks(results: Results) -> Iterator[Table | Figure]:
    """Yield what the results allow."""
    releases, attacks = results.whole("releases"), results.whole("attacks")
    if releases is not None:
        yield _table("releases", "Releases: means over runs", summary.releases(releases))
    if attacks is None:
        return
    yield _table("attacks", "Attacks: means over runs", summary.attacks(attacks))
    for grid in results.study.grids:
        rows = results.of(grid, "attacks")
        made = results.of(grid)
        if rows is not None and made is not None:
            yield from _figures(grid, summary.attacks(rows), summary.releases(made))


def _table(name: str, caption: str, rows: pl.DataFrame) -> Table:
    """Return a table without the columns that say nothing."""
    told = [c for c in rows.columns if rows[c].null_count() < len(rows)]
    return Table(name, caption, told, [list(row) for row in rows.select(told).iter_rows()])


def _figures(grid: str, rows: pl.DataFrame, releases: pl.DataFrame) -> Iterator[Figure]:
    """Draw a grid by the dials that it turns."""
    from pocin import style

    dials = [name for name in DIALS if len(set(rows[name].to_list())) > 1]
    if {"epsilon_location", "epsilon_value"} <= set(dials):
        dials.remove("epsilon_value")  # one epsilon, by both its names
    cases = values(rows, "case")
    if not dials:
        return
    for budget in values(rows, "budget"):
        mine = picked(rows, budget=budget)
        with style.paper():
            drawn, axes = style.panel("page", 0.36, ncols=len(cases), squeeze=False)
            for case, at in zip(cases, axes[0], strict=True):
                at.set_title(case)
                if len(dials) == 1:
                    _dial(at, picked(mine, case=case), dials[0])
                else:
                    _frontier(at, picked(mine, case=case), picked(releases, case=case), dials)
            legend(drawn, axes[0])
        name = "".join(
            sign if sign.isalnum() else "_" for sign in f"{grid}_{budget}".replace("%", "pct")
        )
        yield Figure(f"sweep_{name}", f"{grid}, budget {budget}", drawn)


def _dial(at: Axes, rows: pl.DataFrame, dial: str) -> None:
    """Draw damage against a dial, a line an attacker."""
    from pocin import style

    told = values(rows, dial)
    for ranking in RANKINGS:
        best = summary.best(rows, ranking, over=dial)
        if best is None:
            continue
        by = {row[dial]: (row["damage"], row["damage_se"]) for row in best.iter_rows(named=True)}
        place = [k for k, value in enumerate(told) if value in by]
        points = [by[told[k]] for k in place]
        line = style.ROLES[ranking].line
        if not all(sign.isdigit() for value in told for sign in str(value)[:1]):
            line = line | {"linestyle": ""}  # words have no order to follow
        at.errorbar(place, [p[0] for p in points], [p[1] for p in points], **line)
    ticks, unit = _ticks(told)
    at.set_xticks(range(len(told)), ticks)
    at.set(xlabel=dial.replace("_location", "").replace("_", " ") + unit, ylim=(0, None))
    at.set_ylabel(_damage(rows))


def _ticks(told: Sequence[object]) -> tuple[list[str], str]:
    """Return a dial's values as ticks, and the unit that all of them have, for the axis."""
    texts = [str(value) for value in told]
    parts = [re.fullmatch(r"([\d.]+)([^\d.].*)", text) for text in texts]
    units = {part[2] if part else "" for part in parts}
    if len(units) > 1 or "" in units:
        return texts, ""
    return [part[1] for part in parts if part], f" ({units.pop()})"


def _damage(rows: pl.DataFrame) -> str:
    """Name damage with its unit."""
    return f"damage ({rows['unit'][0]})"


def _frontier(at: Axes, rows: pl.DataFrame, releases: pl.DataFrame, dials: list[str]) -> None:
    """Draw what readers are off against what attackers do, a line a value of the last dial."""
    from pocin import style

    *first, last = dials
    for ranking, marks in ((INFORMED, "informed"), (RANDOM, "random")):
        level = picked(rows, ranking=ranking)["damage"].max()
        at.axhline(level, color=style.ROLES[marks].colour, linestyle=":", label=marks)  # type: ignore[arg-type]
    colours = (style.BLUE, style.GREEN, style.PURPLE, style.VERMILION, style.GREY)
    for k, value in enumerate(values(rows, last)):
        mine = picked(rows, ranking=OBFUSCATED, **{last: value})
        points = []
        for key in {tuple(row) for row in mine.select(first).iter_rows()}:
            chosen = dict(zip(first, key, strict=True))
            off = picked(releases, **{last: value}, **chosen)
            by = picked(mine, **chosen)
            if len(off) and len(by):
                points.append((100 * off["gap_size"][0], max(by["damage"].to_list())))
        points.sort()
        colour, marker = colours[k % len(colours)], "osD^v"[k % 5]
        at.plot(*zip(*points, strict=True), color=colour, marker=marker, linestyle="-",
                label=f"{last} {value}")  # fmt: skip
    at.set(xlabel="cost off, mean (%)", ylabel=_damage(rows), ylim=(0, None))
