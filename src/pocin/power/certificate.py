# SPDX-License-Identifier: MIT
"""The certificate: the reader's own AC-OPF on the bytes that will be in the file.

Flat start, the solver's default options, a file read back by the reader's reader. Knows the
public part only as far as it stands in the file.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from pocin.kinds import Certificate
from pocin.power.matpower import parse_matpower
from pocin.power.opf import optimum

if TYPE_CHECKING:
    from pocin.kinds import Document, Goal
    from pocin.power.grid import Grid


def certify(document: Document, goal: Goal) -> Certificate:
    """Solve the written file and compare its optimum with the cost figure."""
    grid = parse_matpower(document[""].decode(), "the released file")
    found = solve(grid)
    if found.own_optimum is None:
        return found
    gap = 100 * goal.gap(found.own_optimum)
    within = goal.met_by(found.own_optimum)
    side = "above" if gap > 0 else "below"
    reason = f"its own optimum is {abs(gap):.3g} % {side} the cost figure"
    return Certificate(found.own_optimum, within, reason, found.seconds)


def solve(grid: Grid) -> Certificate:
    """Solve a grid's AC-OPF as a reader would."""
    began = perf_counter()
    found = optimum(grid)
    seconds = perf_counter() - began
    if not found.solved:
        return Certificate(None, False, f"its AC-OPF ended with {found.status}", seconds)
    return Certificate(found.cost, True, "solved", seconds)
