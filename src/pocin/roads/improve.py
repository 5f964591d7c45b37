# SPDX-License-Identifier: MIT
r"""Better choices of paths, from the weights that were found.

*Lock*: put the capped trips on the shortest paths of the incumbent w. All these paths are short
enough at w, so that the problem stays feasible and its optimum is no farther than w; where a path
has become shorter than the one that was capped, it is nearer.

*Choose again*: the incumbent is a better anchor than the first one was. The greedy choice is made
anew with it, and ends where it is no better.

Both are repeated while they gain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pocin.roads.choice import choose

if TYPE_CHECKING:
    from pocin.roads.choice import Effort, Found, Start
    from pocin.roads.reading import PerTrip

GAIN = 1e-3
"""A round of improvement that gains a smaller share of the distance is the last one."""

AGAIN = 10


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
        if not gained:
            break
    return best, passed


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


def _nearer(reading: PerTrip, best: Found, start: Start, effort: Effort) -> Found:
    """Search from a start; return what is nearer."""
    limited = replace(effort, rounds=effort.rounds // 2)
    noisy, w = reading.problem.noisy, best.w
    found = choose(reading, noisy, start, lambda: w, limited, beat=best.distance)
    return found if found.converged and found.distance < best.distance else best
