# SPDX-License-Identifier: MIT
"""From draws to a certified grid. Blind to the truth, like all that it calls.

    place      the records on sites, by the assignment of phase 1
    restore    P_CL: the nearest capacities that serve the load for the cost figure
    certify    the reader's own optimum on the bytes that will be written
    tighten    where that optimum falls below the band
    reassign   where it stays above, or where nothing was found: the same draws on other sites

Every attempt is a function of the draws, the public part and the figure; so is the failure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Finished
from pocin.power.certificate import certify
from pocin.power.fidelity import candidates, place, restore
from pocin.power.public import MEGAWATT
from pocin.power.reassign import assignments, free_dispatch
from pocin.power.tighten import Attempt, below, tighten
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document, Goal
    from pocin.power.fidelity import Placed
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid
    from pocin.privacy.draws import Draws


@dataclass
class _Bench:
    """What the attempts share: the goal, the writer, and the count of what was tried."""

    goal: Goal
    document: Callable[[Grid], Document]
    say: Callable[[str], None]
    began: float = field(default_factory=perf_counter)
    certifying: float = 0.0
    attempts: list[str] = field(default_factory=list)

    def attempt(self, placed: Placed, v: Floats) -> Attempt:
        """Write capacities and certify what was written."""
        self.say("certifying")
        grid = placed.grid(v)
        document = self.document(grid)
        certificate = certify(document, self.goal)
        self.certifying += certificate.seconds
        self.attempts.append(certificate.reason)
        return Attempt(v, grid, document, certificate)

    def late(self) -> bool:
        """Whether the time limit is over."""
        limit = self.goal.time_limit
        return limit is not None and perf_counter() - self.began > limit


def finish(
    public: PublicGrid,
    draws: Draws,
    goal: Goal,
    document: Callable[[Grid], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws to fidelity and certify what would be written."""
    bench = _Bench(goal, document, say)
    noisy = MEGAWATT.real(draws.values)
    record = assign(draws, public.metric)
    placed = place(public, noisy, draws.moved, record)
    made, how = _faithful(placed, bench)
    if not (made.certificate.within or bench.late()):
        say("re-assigning the draws")
        dispatch = free_dispatch(placed, goal.time_limit)
        costs = public.moved_columns(draws.moved).costs
        for other in assignments(draws, placed, costs, goal, dispatch):
            replaced = place(public, noisy, draws.moved, other)
            again, _ = _faithful(replaced, bench)
            if again.certificate.within:
                made, how, record, placed = again, "reassigned", other, replaced
                break
            if bench.late():
                break
    return _finished(placed, record, made, how, bench)


def _faithful(placed: Placed, bench: _Bench) -> tuple[Attempt, str]:
    """Restore, certify, and tighten where the own optimum is below the band."""
    bench.say("restoring fidelity")
    restored = restore(placed, bench.goal)
    for v in candidates(placed, restored):
        made = bench.attempt(placed, v)
        if made.certificate.within:
            return made, "certified"
    if below(made, bench.goal):
        bench.say("tightening")
        tightened = tighten(placed, made, bench.goal, bench.attempt)
        if tightened.certificate.within:
            return tightened, "tightened"
    return made, "failed"


def _finished(placed: Placed, record: Ints, made: Attempt, how: str, bench: _Bench) -> Finished:
    """Gather what was made."""
    certificate = made.certificate
    late = f" (stopped after {bench.goal.time_limit:g} s)" if bench.late() else ""
    total = perf_counter() - bench.began
    return Finished(
        content=made.grid,
        document=made.document,
        certificate=certificate,
        bilevel=how if certificate.within else "failed",
        record=record,
        noisy=placed.noisy,
        released=made.v,
        distance=float(np.linalg.norm(made.v - placed.noisy)),
        bound=None,
        reason=certificate.reason + ("" if certificate.within else late),
        seconds={"phase3": total - bench.certifying, "certify": bench.certifying},
        diagnostics={"attempts": bench.attempts},
    )
