# SPDX-License-Identifier: MIT
"""The certificate: the reader's own shortest paths on the bytes that will be in the files.

Read back by the reader's reader, searched by scipy; nothing of phase 3 is used. Knows the public
part only as far as it stands in the files, and the times of single trips where these are the goal.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Certificate, Solved
from pocin.roads.forms import parse
from pocin.roads.shortest import trip_times

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.kinds import Document, Goal
    from pocin.roads.network import Roads


def certify(document: Document, goal: Goal, times: Floats | None) -> Certificate:
    """Travel through the written files and compare with the figures."""
    began = perf_counter()
    roads = parse(document, "the released files")
    assert roads.gamma is not None  # a release states it
    found = travel(roads, roads.gamma)
    mean = float(np.mean(found))
    if times is None:
        within, reason = goal.met_by(mean), goal.told(mean)
    else:
        within, reason = _each(found, times, goal)
    return Certificate(mean, within, reason, perf_counter() - began, found)


def _each(found: Floats, times: Floats, goal: Goal) -> tuple[bool, str]:
    """Compare every trip with its own time; a trip of no time must stay one."""
    kept = np.abs(found - times) <= goal.beta * times
    worst = float(np.max(np.abs(found - times) / np.where(times > 0, times, np.inf)))
    count = f"{int(kept.sum())} of {len(kept)} trips are within {goal.beta:g} of their own time"
    return bool(kept.all()), f"{count}, the farthest {100 * worst:.3g} % off"


def travel(roads: Roads, gamma: float) -> Floats:
    """Return the shortest time of every trip at the network's traffic."""
    return trip_times(roads, roads.links.d + gamma * roads.links.volume)


def solve(roads: Roads, gamma: float) -> Solved:
    """Return the mean trip time over all pairs, as a reader finds it."""
    began = perf_counter()
    mean = float(np.mean(travel(roads, gamma)))
    return Solved(mean, "the mean trip time", perf_counter() - began)
