# SPDX-License-Identifier: MIT
"""From draws to a certified grid. Blind to the truth, like all that it calls.

    place      the records on sites, by the assignment of phase 1
    restore    P_CL: the nearest capacities that serve the load for the cost figure
    certify    the reader's own optimum on the bytes that will be written
    tighten    where that optimum falls below the band; then a second pass comes nearer to v~
    reassign   where it stays above, or where nothing was found: the same draws on other sites

Every attempt is a function of the draws, the public part and the figure; so is the failure, and
what it tells the curator to change. One clock ends them all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Finished
from pocin.power.advice import advice
from pocin.power.certificate import certify
from pocin.power.clock import Clock
from pocin.power.fidelity import candidates, restore
from pocin.power.placed import Attempt, place
from pocin.power.public import MEGAWATT
from pocin.power.reassign import assignments
from pocin.power.tighten import Tightening, below, distance
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
    """What the attempts share: the goal, the writer, the clock, and what was tried."""

    goal: Goal
    document: Callable[[Grid], Document]
    say: Callable[[str], None]
    clock: Clock
    began: float = field(default_factory=perf_counter)
    certifying: float = 0.0
    attempts: list[str] = field(default_factory=list)

    def attempt(self, placed: Placed, v: Floats) -> Attempt:
        """Write capacities and certify what was written."""
        self.say("certifying")
        grid = placed.grid(v)
        document = self.document(grid)
        certificate = certify(document, self.goal, self.clock)
        self.certifying += certificate.seconds
        self.attempts.append(certificate.reason)
        return Attempt(v, grid, document, certificate)


def finish(
    public: PublicGrid,
    draws: Draws,
    goal: Goal,
    document: Callable[[Grid], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws to fidelity and certify what would be written."""
    bench = _Bench(goal, document, say, Clock.start(goal.time_limit))
    first = _try(public, draws, assign(draws, public.metric), bench)
    if first.faithful:
        return _finished(first, bench)
    failed = [first]
    if not bench.clock.over():
        say("re-assigning the draws")
        dispatch, excess = first.restored.dispatch, first.restored.too_dear
        for record in assignments(draws, public, goal, dispatch, excess):
            tried = _try(public, draws, record, bench)
            if tried.faithful:
                return _finished(replace(tried, how="reassigned"), bench)
            failed.append(tried)
            if bench.clock.over():
                break
    return _finished(_nearest(failed, bench), bench)


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
    tried = _Tried(record, placed, restore(placed, bench.goal, None, bench.clock))
    if not tried.restored.affordable:
        bench.attempts.append(_unaffordable(tried.restored))
        return tried
    tried = _certified(tried, bench)
    if tried.made is not None and below(tried.made, bench.goal):
        bench.say("tightening")
        tightened = Tightening(placed, bench.goal, bench.attempt, bench.clock).run(tried.made)
        if tightened.within:
            return replace(tried, made=tightened, how="tightened")
    return tried


def _certified(tried: _Tried, bench: _Bench) -> _Tried:
    """Certify what was restored, the noisy capacities themselves first where they are as good."""
    if tried.made is not None:
        return tried
    for v in candidates(tried.placed, tried.restored):
        made = bench.attempt(tried.placed, v)
        if made.within:
            return replace(tried, made=made, how="certified")
    return replace(tried, made=made)


def _nearest(failed: list[_Tried], bench: _Bench) -> _Tried:
    """Return the failure whose own optimum came nearest to the figure; the first without one."""

    def gap(tried: _Tried) -> float:
        own = None if tried.made is None else tried.made.own
        return np.inf if own is None else abs(bench.goal.gap(own))

    return _certified(min(failed, key=gap), bench)


def _unaffordable(restored: Restored) -> str:
    """Say why phase 3 found nothing on these sites."""
    if not restored.solve.solved:
        return f"phase 3 ended with {restored.solve.status}"
    return f"the units at these sites cost at least {100 * restored.excess:.3g} % too much"


def _finished(tried: _Tried, bench: _Bench) -> Finished:
    """Gather what was made."""
    made, placed = tried.made, tried.placed
    assert made is not None
    reason = _reason(tried, bench)
    total = perf_counter() - bench.began
    return Finished(
        content=made.grid,
        document=made.document,
        certificate=made.certificate,
        bilevel=tried.how,
        record=tried.record,
        noisy=placed.noisy,
        released=made.v,
        distance=distance(placed, made),
        bound=None,
        reason=reason,
        seconds={"phase3": total - bench.certifying, "certify": bench.certifying},
        diagnostics={"attempts": bench.attempts},
    )


def _reason(tried: _Tried, bench: _Bench) -> str:
    """Say what the certificate found, why phase 3 could not do better, and what would."""
    assert tried.made is not None
    parts = [tried.made.certificate.reason]
    if tried.faithful:
        return parts[0]
    if not tried.restored.affordable:
        parts.append(_unaffordable(tried.restored))
    if bench.clock.over():
        parts.append(f"the time limit of {bench.goal.time_limit:g} s is over")
    return "; ".join([", ".join(parts), *advice(tried.placed, tried.made, bench.goal, bench.clock)])
