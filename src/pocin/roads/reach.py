# SPDX-License-Identifier: MIT
r"""Which links a trip can use, and which it must, if it may take at most U and w >= d.

    e can be used   iff  D(o, tail) + d_e + D(head, q) <= U        D: distances in d
    e must be used  iff  the distance from o to q without e is above U

A walk that comes through e twice counts as a path here, so that "can" is never missed; "must" is
told of a link only where every other way is too long.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pocin.compiled import compiled

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

HAIR = 1e-9
"""Sums of the same lengths differ in the last digits: a limit is wider by this share."""


FEW = 2000
"""Of no more trips than these all links are found that they must use."""


class Way(NamedTuple):
    """Where links lead from every node: forward, or backward."""

    start: Ints
    links: Ints
    end: Ints  # of every link

    @classmethod
    def of(cls, begin: Ints, end: Ints, nodes: int) -> Way:
        """Sort links by where they begin."""
        links = np.argsort(begin, kind="stable")
        return cls(np.searchsorted(begin[links], np.arange(nodes + 1)), links, end)


class Streets(NamedTuple):
    """Links both ways, and the zones that no trip may cross."""

    forward: Way
    backward: Way
    no_through: Mask

    @classmethod
    def of(cls, tail: Ints, head: Ints, no_through: Mask) -> Streets:
        """Prepare the searches."""
        nodes = len(no_through)
        return cls(Way.of(tail, head, nodes), Way.of(head, tail, nodes), no_through)


class Tree(NamedTuple):
    """Distances from a node, and the link by which each node is reached."""

    length: Floats
    via: Ints


@compiled
def search(  # noqa: PLR0917  (compiled code takes numbers)
    way: Way, no_through: Mask, w: Floats, closed: Mask, source: int, limit: float
) -> Tree:
    """Return the distances from a node up to a limit; closed links are no way."""
    size = len(no_through)
    tree = Tree(np.full(size, np.inf), np.full(size, -1))
    tree.length[source] = 0.0
    heap = [(0.0, source)]
    while len(heap) > 0:
        length, node = heappop(heap)
        if length > tree.length[node] or (no_through[node] and node != source):
            continue
        for p in range(way.start[node], way.start[node + 1]):
            e = way.links[p]
            to = way.end[e]
            longer = length + w[e]
            if not closed[e] and longer <= limit and longer < tree.length[to]:
                tree.length[to] = longer
                tree.via[to] = e
                heappush(heap, (longer, to))
    return tree


@compiled
def alone(there: Floats, tail: Ints, head: Ints, can: Mask, end: float) -> Mask:
    """Return links that cross some level of distance alone: all paths cross it, up to the end."""
    count = int(can.sum())
    up, level, opens = np.empty(2 * count, np.int64), np.empty(2 * count), np.zeros(2 * count)
    n = 0
    for e in np.flatnonzero(can):
        if there[tail[e]] < there[head[e]]:
            level[n], up[n], opens[n] = there[tail[e]], e, 1.0
            level[n + 1], up[n + 1], opens[n + 1] = there[head[e]], e, -1.0
            n += 2
    order = np.argsort(level[:n])
    must = np.zeros(len(can), np.bool_)
    crossing, total = 0, 0  # how many links cross, and the sum of their positions
    for i in range(n):
        j = order[i]
        crossing += int(opens[j])
        total += int(opens[j]) * up[j]
        if crossing == 1 and level[j] < end and level[order[i + 1]] > level[j]:
            must[total] = True
    return must


@compiled
def reach(  # noqa: PLR0917  (compiled code takes numbers)
    streets: Streets, d: Floats, ends: tuple[int, int], limit: float, closed: Mask, thorough: int
) -> tuple[Mask, Mask]:
    """Return which links a trip can use and which it must; all of these only if thorough."""
    zone, tail, head = streets.no_through, streets.backward.end, streets.forward.end
    origin, destination = ends
    limit *= 1 + HAIR
    there = search(streets.forward, zone, d, closed, origin, limit)
    back = search(streets.backward, zone, d, closed, destination, limit)
    can = np.zeros(len(d), np.bool_)
    for e in range(len(d)):
        crossed = (zone[tail[e]] and tail[e] != origin) or (
            zone[head[e]] and head[e] != destination
        )
        length = there.length[tail[e]] + d[e] + back.length[head[e]]
        can[e] = not closed[e] and not crossed and length <= limit
    must = alone(there.length, tail, head, can, there.length[destination])
    shut = ~can
    node = destination
    while thorough and node != origin and there.via[node] >= 0:
        # back along a shortest path: without this link, is there still a way?
        link = there.via[node]
        if not must[link]:
            shut[link] = True
            around = search(streets.forward, zone, d, shut, origin, limit)
            must[link] = around.length[destination] == np.inf
            shut[link] = False
        node = tail[link]
    return can, must


@compiled
def reaches(  # noqa: PLR0917  (compiled code takes numbers)
    streets: Streets, d: Floats, origins: Ints, destinations: Ints, limits: Floats, most: int
) -> tuple[Ints, Ints, Ints, Ints, int]:
    """Return can and must of trips in sparse form, and how many trips came before ``most``."""
    count, closed = len(origins), np.zeros(len(d), np.bool_)
    can_start, must_start = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    can_links, must_links = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    done = 0
    for k in range(count):
        if can_start[k] > most:
            break
        ends, thorough = (origins[k], destinations[k]), int(count <= FEW)
        can, must = reach(streets, d, ends, limits[k], closed, thorough)
        can_links.append(np.flatnonzero(can))
        must_links.append(np.flatnonzero(must))
        can_start[k + 1] = can_start[k] + len(can_links[-1])
        must_start[k + 1] = must_start[k] + len(must_links[-1])
        done = k + 1
    can_start[done:] = can_start[done]
    must_start[done:] = must_start[done]
    cans, musts = np.empty(can_start[done], np.int64), np.empty(must_start[done], np.int64)
    for k in range(done):
        cans[can_start[k] : can_start[k + 1]] = can_links[k + 1]
        musts[must_start[k] : must_start[k + 1]] = must_links[k + 1]
    return can_start, cans, must_start, musts, done
