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

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Finished
from pocin.power.certificate import certify
from pocin.power.fidelity import candidates, restore
from pocin.power.placed import place
from pocin.power.public import MEGAWATT
from pocin.power.reassign import assignments
from pocin.power.tighten import Attempt, below, tighten
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document, Goal
    from pocin.power.fidelity import Restored
    from pocin.power.grid import Grid
    from pocin.power.placed import Placed
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
    tried = _try(public, draws, assign(draws, public.metric), bench)
    first = tried
    if not (tried.faithful or bench.late()):
        say("re-assigning the draws")
        for record in assignments(draws, public, goal, first.restored.solve.p):
            tried = _try(public, draws, record, bench)
            if tried.faithful:
                return _finished(replace(tried, how="reassigned"), bench)
            if bench.late():
                break
    return _finished(tried if tried.faithful else _certified(first, bench), bench)


@dataclass(frozen=True, eq=False)
class _Tried:
    """One assignment of the draws, and what came of it."""

    record: Ints
    placed: Placed
    restored: Restored
    made: Attempt | None = None
    how: str = "failed"

    @property
    def faithful(self) -> bool:
        """Whether its written network is faithful."""
        return self.made is not None and self.made.certificate.within


def _try(public: PublicGrid, draws: Draws, record: Ints, bench: _Bench) -> _Tried:
    """Restore, certify, and tighten where the own optimum is below the band."""
    bench.say("restoring fidelity")
    placed = place(public, MEGAWATT.real(draws.values), draws.moved, record)
    tried = _Tried(record, placed, restore(placed, bench.goal))
    if not tried.restored.affordable:
        bench.attempts.append(_unaffordable(tried.restored))
        return tried
    tried = _certified(tried, bench)
    if tried.made is not None and below(tried.made, bench.goal):
        bench.say("tightening")
        tightened = tighten(placed, tried.made, bench.goal, bench.attempt)
        if tightened.certificate.within:
            return replace(tried, made=tightened, how="tightened")
    return tried


def _certified(tried: _Tried, bench: _Bench) -> _Tried:
    """Certify what was restored, the noisy capacities themselves first where they are as good."""
    if tried.made is not None:
        return tried
    for v in candidates(tried.placed, tried.restored):
        made = bench.attempt(tried.placed, v)
        if made.certificate.within:
            return replace(tried, made=made, how="certified")
    return replace(tried, made=made)


def _unaffordable(restored: Restored) -> str:
    """Say why phase 3 found nothing on these sites."""
    if not restored.solve.solved:
        return f"phase 3 ended with {restored.solve.status}"
    return f"the units at these sites cost at least {100 * restored.excess:.3g} % too much"


def _finished(tried: _Tried, bench: _Bench) -> Finished:
    """Gather what was made."""
    made, placed = tried.made, tried.placed
    assert made is not None
    certificate = made.certificate
    total = perf_counter() - bench.began
    return Finished(
        content=made.grid,
        document=made.document,
        certificate=certificate,
        bilevel=tried.how,
        record=tried.record,
        noisy=placed.noisy,
        released=made.v,
        distance=float(np.linalg.norm(made.v - placed.noisy)),
        bound=None,
        reason=_reason(tried, bench),
        seconds={"phase3": total - bench.certifying, "certify": bench.certifying},
        diagnostics={"attempts": bench.attempts},
    )


def _reason(tried: _Tried, bench: _Bench) -> str:
    """Say what the certificate found, and why phase 3 could not do better."""
    assert tried.made is not None
    parts = [tried.made.certificate.reason]
    if not tried.faithful and not tried.restored.affordable:
        parts.append(_unaffordable(tried.restored))
    if not tried.faithful and bench.late():
        parts.append(f"the time limit of {bench.goal.time_limit:g} s is over")
    return ", ".join(parts)
