# SPDX-License-Identifier: MIT
"""The certificate: the reader's own AC-OPF on the bytes that will be in the file.

Flat start, the solver's default options, a file read back by the reader's reader. Knows the
public part only as far as it stands in the file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pocin.kinds import Certificate, Solved
from pocin.power.matpower import parse_matpower
from pocin.power.opf import LATE, optimum

if TYPE_CHECKING:
    from pocin.kinds import Document, Goal
    from pocin.power.clock import Clock
    from pocin.power.grid import Grid
    from pocin.power.opf import Optimum


PATIENCE = {"ipopt.max_iter": 300}
ADAPTIVE = {"ipopt.mu_strategy": "adaptive", "ipopt.max_iter": 500}


def certify(document: Document, goal: Goal, clock: Clock | None = None) -> Certificate:
    """Solve the written file and compare its optimum with the cost figure."""
    grid = parse_matpower(document[""].decode(), "the released file")
    found, needs = solved(grid, clock)
    if not found.solved:
        return Certificate(None, within=False, reason=_unsolved(found), seconds=found.seconds)
    within, reason = goal.met_by(found.cost), goal.told(found.cost)
    return Certificate(found.cost, within, reason, found.seconds, found, needs)


def solve(grid: Grid) -> Solved:
    """Solve a grid's AC-OPF as a reader would."""
    found, needs = solved(grid, None)
    cost = found.cost if found.solved else None
    return Solved(cost, _unsolved(found), found.seconds, needs if found.solved else "")


def solved(grid: Grid, clock: Clock | None) -> tuple[Optimum, str]:
    """Solve with the solver's default options, and where they stall, with an adaptive barrier.

    The second answer is the option of the solver that a reader then needs.
    """
    found = optimum(grid, PATIENCE, clock)
    if found.solved or found.status in {"Infeasible_Problem_Detected", LATE}:
        return found, ""
    again = optimum(grid, ADAPTIVE, clock)
    again = replace(again, seconds=found.seconds + again.seconds)
    return again, "mu_strategy=adaptive"


def _unsolved(found: Optimum) -> str:
    """Say how a solve ended."""
    return f"its AC-OPF ended with {found.status}"
