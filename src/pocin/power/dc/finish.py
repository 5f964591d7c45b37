# SPDX-License-Identifier: MIT
"""From draws to a certified grid under the DC model. Blind to the truth, like all that it calls.

    place      the records on sites, by the assignment of phase 1
    nearest    P_BL, solved and proved (``exact``): the Euclidean distance, as in the paper
    certify    the reader's own DC-OPF on the bytes that will be written
    reassign   where nothing is feasible: the same draws on other sites

Every attempt is a function of the draws, the public part and the figure; so is the failure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Finished
from pocin.power.dc.certificate import certify
from pocin.power.dc.engines import Highs
from pocin.power.dc.exact import nearest
from pocin.power.dc.linear import Builder, solve
from pocin.power.dc.problem import Bilevel, Norm, add_dispatch
from pocin.power.dc.program import program_of
from pocin.power.placed import Attempt, place
from pocin.power.public import MEGAWATT
from pocin.power.reassign import assignments
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document, Goal
    from pocin.power.dc.exact import Nearest
    from pocin.power.grid import Grid
    from pocin.power.placed import Placed
    from pocin.power.public import PublicGrid
    from pocin.privacy.draws import Draws

ROOM = 0.995
"""As in the AC model: the share of every limit that a dispatch uses, and of beta."""

NODES = 5_000
"""Branching ends here by default, so that a release repeats; ``--time-limit`` may end it sooner."""

STEP = float(MEGAWATT.step)
DIGITS = 3
"""Digits of a hundredth of a MW that are a solver's noise."""


@dataclass(frozen=True, eq=False)
class _Tried:
    """One assignment of the draws, and what came of it."""

    record: Ints
    placed: Placed
    found: Nearest
    made: Attempt

    @property
    def faithful(self) -> bool:
        """Whether its written network is faithful."""
        return self.made.within


@dataclass
class _Bench:
    """What the attempts share: the goal, the writer, and the count of what was tried."""

    goal: Goal
    document: Callable[[Grid], Document]
    say: Callable[[str], None]
    began: float = field(default_factory=perf_counter)
    certifying: float = 0.0
    attempts: list[str] = field(default_factory=list)

    def left(self) -> float:
        """Return the seconds that are left of the time limit."""
        limit = self.goal.time_limit
        return np.inf if limit is None else max(0.0, limit - (perf_counter() - self.began))

    def attempt(self, placed: Placed, v: Floats) -> Attempt:
        """Write capacities and certify what was written."""
        grid = placed.grid(v)
        document = self.document(grid)
        certificate = certify(document, self.goal)
        self.certifying += certificate.seconds
        return Attempt(v, grid, document, certificate)


def finish(
    public: PublicGrid,
    draws: Draws,
    goal: Goal,
    document: Callable[[Grid], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws to fidelity and certify what would be written."""
    bench = _Bench(goal, document, say)
    first = _try(public, draws, assign(draws, public.metric), bench)
    if first.faithful:
        return _finished(first, bench, _how(first))
    dispatch = cheapest(first.placed)
    if dispatch is not None:
        say("re-assigning the draws")
        for record in assignments(draws, public, goal, dispatch):
            tried = _try(public, draws, record, bench)
            if tried.faithful:
                return _finished(tried, bench, "reassigned")
            if bench.left() == 0.0:
                break
    return _finished(first, bench, "failed")


def _how(tried: _Tried) -> str:
    """Return ``certified`` where P_CL was enough."""
    return "certified" if tried.found.how == "relaxed" else "tightened"


def bilevel(placed: Placed, goal: Goal) -> Bilevel:
    """Return P_BL for draws at their sites."""
    grid = placed.grid(placed.noisy)
    program = program_of(grid, placed.public.site_rows, placed.rules)
    band = ROOM * goal.beta
    low, high = (1 - band) * goal.figure, (1 + band) * goal.figure
    return Bilevel(program, placed.noisy, 0 * placed.noisy, low, high, ROOM)


def cheapest(placed: Placed) -> Floats | None:
    """Return the cheapest dispatch (MW, by live unit) with the capacities free; None if none is."""
    grid = placed.grid(placed.noisy)
    program = program_of(grid, placed.public.site_rows, placed.rules)
    build = Builder()
    v = build.columns(program.sites, 0.0)
    x = add_dispatch(build, program, v, 1.0, cheapest=True)
    found = solve(build.build())
    if not found.solved:
        return None
    dispatch = np.zeros(len(grid.units))
    dispatch[program.units] = x.of(found.x)[: len(program.units)]
    return dispatch


def _try(public: PublicGrid, draws: Draws, record: Ints, bench: _Bench) -> _Tried:
    """Solve P_BL and certify what comes of it."""
    bench.say("restoring fidelity")
    placed = place(public, MEGAWATT.real(draws.values), draws.moved, record)
    problem, engine = bilevel(placed, bench.goal), Highs(nodes=NODES)
    found = nearest(problem, Norm.EUCLIDEAN, engine, bench.say, bench.left)
    bench.say("certifying")
    for v in _whole(placed.noisy if found.v is None else found.v, placed.noisy):
        made = bench.attempt(placed, v)
        if made.within:
            break
    reason = made.certificate.reason if found.v is not None else _nothing(found)
    bench.attempts.append(reason)
    return _Tried(record, placed, found, made)


def _whole(v: Floats, noisy: Floats) -> Iterator[Floats]:
    """Yield capacities in whole hundredths of a MW: away from the noisy ones, then the nearest.

    Away is safe: what grew serves the load still, what shrank costs as much still.
    """
    change = np.round((v - noisy) / STEP, DIGITS)
    for steps in (np.sign(change) * np.ceil(np.abs(change)), np.rint(change)):
        whole = np.rint(noisy / STEP) + steps
        yield MEGAWATT.real(np.maximum(0, whole).astype(np.int64))


def _nothing(found: Nearest) -> str:
    """Say why no capacities were found."""
    if found.how == "too dear":
        return "no capacities at these sites serve the load for the cost figure"
    if found.proved:
        return "no capacities at these sites cost as much as the cost figure"
    return "no capacities at these sites were found that cost as much as the cost figure"


def _finished(tried: _Tried, bench: _Bench, how: str) -> Finished:
    """Gather what was made."""
    made, found = tried.made, tried.found
    total = perf_counter() - bench.began
    return Finished(
        content=made.grid,
        document=made.document,
        certificate=made.certificate,
        bilevel=how,
        record=tried.record,
        noisy=tried.placed.noisy,
        released=made.v,
        distance=float(np.linalg.norm(made.v - tried.placed.noisy)),
        bound=None if found.v is None else found.bound,
        reason=made.certificate.reason if found.v is not None else _nothing(found),
        seconds={"phase3": total - bench.certifying, "certify": bench.certifying},
        diagnostics={
            "attempts": bench.attempts,
            "exact": {"proved": found.proved, "status": found.status, "nodes": found.nodes},
        },
    )
