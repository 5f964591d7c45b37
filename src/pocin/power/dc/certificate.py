# SPDX-License-Identifier: MIT
"""The DC model's certificate: the reader's own DC-OPF on the bytes that will be in the file."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Certificate, Solved
from pocin.power.dc.problem import own_optimum
from pocin.power.dc.program import program_of
from pocin.power.matpower import parse_matpower

if TYPE_CHECKING:
    from pocin.kinds import Document, Goal
    from pocin.power.grid import Grid

UNSERVED = "its load cannot be served within the limits"


def certify(document: Document, goal: Goal) -> Certificate:
    """Solve the written file and compare its optimum with the cost figure."""
    found = solve(parse_matpower(document[""].decode(), "the released file"))
    if found.cost is None:
        return Certificate(None, within=False, reason=found.reason, seconds=found.seconds)
    return Certificate(found.cost, goal.met_by(found.cost), goal.told(found.cost), found.seconds)


def solve(grid: Grid) -> Solved:
    """Solve a grid's DC-OPF as a reader would."""
    began = perf_counter()
    cost = own_optimum(program_of(grid), np.zeros(0)).cost
    served = bool(np.isfinite(cost))
    reason = "optimal" if served else UNSERVED
    return Solved(cost if served else None, reason, perf_counter() - began)
