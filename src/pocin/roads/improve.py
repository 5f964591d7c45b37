# SPDX-License-Identifier: MIT
r"""Better choices of paths, from the weights that were found.

*Lock*: put the capped trips on the shortest paths of the incumbent w. All these paths are short
enough at w, so that the problem stays feasible and its optimum is no farther than w; where a path
has become shorter than the one that was capped, it is nearer.

*Choose again*: the incumbent is a better anchor than the first one was. The greedy choice is made
anew with it, and ends where it is no better.

Both are repeated while they gain.

*Free some*: a few trips whose caps bear a multiplier and which share links lose their caps, and the
greedy choice is made anew for them alone, from the multipliers of the others. The dual value ends
most of these searches early: no point that keeps the rows there are is nearer (``choose``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.choice import choose

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.choice import Effort, Found, Start
    from pocin.roads.reading import PerTrip

GAIN = 1e-3
"""A round of improvement that gains a smaller share of the distance is the last one."""

AGAIN = 10

TRIES = 24
"""Neighbourhoods that are searched; fewer where links times trips are many."""

WORK = 2_000_000_000

IDLE = 8
"""So many neighbourhoods in turn without a gain are enough."""

SIZES = (1, 2, 4, 8)
"""Trips that are freed together, in turn."""


def improve(reading: PerTrip, best: Found, effort: Effort) -> tuple[Found, list[float]]:
    """Return the nearest weights found, and the distances on the way."""
    passed = [best.distance]
    if not best.converged:
        return best, passed
    for _ in range(AGAIN):
        locked = _locked(reading, best, effort)
        better = _locked(reading, _chosen_again(reading, locked, effort), effort)
        passed.append(better.distance)
        gained = better.distance < (1 - GAIN) * best.distance
        best = better
        if not gained or effort.over():
            break
    freed = _freed(reading, best, effort)
    if freed.distance < best.distance:
        best = _locked(reading, freed, effort)
        passed.append(best.distance)
    return best, passed


def locked_at(reading: PerTrip, best: Found, w: Floats, which: Ints, effort: Effort) -> Found:
    """Lock these trips on the paths that are shortest at other weights, where that is nearer."""
    return _nearer(reading, best, replace(best.warm(), locked=which, locked_m=None), effort, w)


def _locked(reading: PerTrip, best: Found, effort: Effort) -> Found:
    """Lock the caps on the shortest paths, as long as it gains."""
    for _ in range(AGAIN):
        start = best.warm()
        if start.locked is None or not len(start.locked):
            return best
        before, best = best, _nearer(reading, best, start, effort)
        if best.distance > (1 - GAIN) * before.distance:
            break
    return best


def _chosen_again(reading: PerTrip, best: Found, effort: Effort) -> Found:
    """Choose caps greedily, with the incumbent as the anchor."""
    return _nearer(reading, best, replace(best.warm(), locked=None), effort)


def _freed(reading: PerTrip, best: Found, effort: Effort) -> Found:
    """Free neighbourhoods of active trips, one after the other."""
    tries = min(TRIES, WORK // (len(best.w) * len(reading.figures)))
    idle = 0
    for i in range(tries):
        start = best.warm()
        if idle == IDLE or effort.over() or start.locked is None or not len(start.locked):
            break
        freed = _neighbours(best, i % len(start.locked), SIZES[i % len(SIZES)])
        kept = ~np.isin(start.locked, freed)
        assert start.locked_m is not None
        some = replace(start, locked=start.locked[kept], locked_m=start.locked_m[kept])
        before, best = best, _nearer(reading, best, some, effort)
        idle = 0 if best.distance < (1 - GAIN / 10) * before.distance else idle + 1
    return best


def _neighbours(best: Found, rank: int, size: int) -> Ints:
    """Return the active trip of a rank by multiplier, and those that share most links with it."""
    rows, m = best.projection.rows, best.projection.m
    active = (rows.sign < 0) & (m > 0)
    caps = rows.only(active)
    first = int(np.argsort(-m[active], kind="stable")[rank])
    on = np.zeros(len(best.w))
    on[caps.links[caps.start[first] : caps.start[first + 1]]] = 1.0
    shared = caps.dot(on)
    shared[first] = np.inf
    near = np.argsort(-shared, kind="stable")[:size]
    return caps.trip[near[shared[near] > 0]]


def _nearer(
    reading: PerTrip, best: Found, start: Start, effort: Effort, w: Floats | None = None
) -> Found:
    """Search from a start, with the best weights or others as the anchor; return what is nearer."""
    limited = replace(effort, rounds=effort.rounds // 2)
    noisy, anchor = reading.problem.noisy, best.w if w is None else w
    found = choose(reading, noisy, start, lambda: anchor, limited, beat=best.distance)
    return found if found.converged and found.distance < best.distance else best
