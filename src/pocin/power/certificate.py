# SPDX-License-Identifier: MIT
"""The certificate: the reader's own AC-OPF on the bytes that will be in the file.

Flat start, the solver's default options, a file read back by the reader's reader. Knows the
public part only as far as it stands in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.kinds import Certificate, Solved
from pocin.power.matpower import parse_matpower
from pocin.power.opf import optimum

if TYPE_CHECKING:
    from pocin.kinds import Document, Goal
    from pocin.power.grid import Grid


def certify(document: Document, goal: Goal) -> Certificate:
    """Solve the written file and compare its optimum with the cost figure."""
    found = solve(parse_matpower(document[""].decode(), "the released file"), goal.time_limit)
    if found.cost is None:
        return Certificate(None, within=False, reason=found.reason, seconds=found.seconds)
    gap = 100 * goal.gap(found.cost)
    side = "above" if gap > 0 else "below"
    reason = f"its own optimum is {abs(gap):.3g} % {side} the cost figure"
    return Certificate(found.cost, goal.met_by(found.cost), reason, found.seconds)


def solve(grid: Grid, time_limit: float | None = None) -> Solved:
    """Solve a grid's AC-OPF as a reader would."""
    found = optimum(grid, time_limit)
    reason = f"its AC-OPF ended with {found.status}"
    return Solved(found.cost if found.solved else None, reason, found.seconds)
