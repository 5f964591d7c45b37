# SPDX-License-Identifier: MIT
"""The compiled loops of the contraction: customise for weights, sweep for times.

Everything is named by place in the elimination order. Edge e joins low[e] < head[e]; ``up[e]`` is
the weight from low to head, ``down[e]`` from head to low; ``via`` says where a weight comes from:
a link l >= 0, the middle node -2 - v of a triangle, or -1 where there is no way.

A shortest path climbs from its source along ancestors, and then falls to its sink: the label of v
becomes the least, over its later neighbours u, of label[u] + weight(u, v). Both phases look at
ancestors of the source or of the sink only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pocin.compiled import compiled

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

LANES = 8  # sources of one sweep: two or four vector registers


class Tree(NamedTuple):
    """The elimination tree, and the edges of every node: start[v] <= e < start[v + 1]."""

    parent: Ints
    start: Ints
    head: Ints
    low: Ints


class Blocks(NamedTuple):
    """Trips in the order of their sources; for every eight sources what a sweep looks at."""

    source: Ints  # of every block, its eight
    rise_start: Ints
    rise: Ints  # the ancestors of the sources, earliest first
    sink_start: Ints
    sinks: Ints  # the ancestors of the sinks, earliest first
    trip_start: Ints
    trip: Ints
    lane: Ints  # of every trip, its source's place in the block
    sink: Ints


class Weights(NamedTuple):
    """Customised weights, upward and downward, and where each comes from."""

    up: Floats
    down: Floats
    via: Ints

    def turned(self) -> Weights:
        """The same weights for searches against the links."""
        return Weights(self.down, self.up, self.via)


@compiled
def place(w: Floats, edge: Ints, upward: Mask, weights: Weights) -> None:
    """Give every edge the least weight of its links, each way; the first link of equals."""
    for link in range(len(w)):
        e = edge[link]
        if e >= 0 and upward[link] and w[link] < weights.up[e]:
            weights.up[e] = w[link]
            weights.via[e, 0] = link
        elif e >= 0 and not upward[link] and w[link] < weights.down[e]:
            weights.down[e] = w[link]
            weights.via[e, 1] = link


@compiled
def customise(start: Ints, top: Ints, weights: Weights) -> None:
    """Relax every triangle v < x < y: x to y by v, and y to x by v, in elimination order."""
    up, down, via = weights
    t = 0
    for v in range(len(start) - 1):
        for i in range(start[v], start[v + 1]):
            to_v, from_v = down[i], up[i]
            for j in range(i + 1, start[v + 1]):
                edge = top[t]
                t += 1
                if to_v + up[j] < up[edge]:
                    up[edge] = to_v + up[j]
                    via[edge, 0] = -2 - v
                if from_v + down[j] < down[edge]:
                    down[edge] = from_v + down[j]
                    via[edge, 1] = -2 - v


@compiled
def sweep(
    tree: Tree, weights: Weights, blocks: Blocks, which: tuple[int, int], out: Floats
) -> None:
    """Write the times of the trips of blocks which[0] to which[1], each of eight sources."""
    label = np.empty((len(tree.parent), LANES))
    for block in range(which[0], which[1]):
        rise = blocks.rise[blocks.rise_start[block] : blocks.rise_start[block + 1]]
        sinks = blocks.sinks[blocks.sink_start[block] : blocks.sink_start[block + 1]]
        for v in rise:
            label[v] = np.inf
        for v in sinks:
            label[v] = np.inf
        for lane in range(LANES):
            label[blocks.source[block, lane], lane] = 0.0
        for v in rise:
            climb(v, tree, weights.up, label)
        for v in sinks[::-1]:
            fall(v, tree, weights.down, label)
        for t in range(blocks.trip_start[block], blocks.trip_start[block + 1]):
            out[blocks.trip[t]] = label[blocks.sink[t], blocks.lane[t]]


# Eight lanes by hand: all are read before one is written, so that they stay in vector registers.


@compiled
def climb(v: int, tree: Tree, up: Floats, label: Floats) -> None:
    """Pass the labels of v on to its later neighbours."""
    a0, a1, a2, a3 = label[v, 0], label[v, 1], label[v, 2], label[v, 3]
    a4, a5, a6, a7 = label[v, 4], label[v, 5], label[v, 6], label[v, 7]
    for e in range(tree.start[v], tree.start[v + 1]):
        u, c = tree.head[e], up[e]
        b0, b1 = min(label[u, 0], a0 + c), min(label[u, 1], a1 + c)
        b2, b3 = min(label[u, 2], a2 + c), min(label[u, 3], a3 + c)
        b4, b5 = min(label[u, 4], a4 + c), min(label[u, 5], a5 + c)
        b6, b7 = min(label[u, 6], a6 + c), min(label[u, 7], a7 + c)
        label[u, 0], label[u, 1], label[u, 2], label[u, 3] = b0, b1, b2, b3
        label[u, 4], label[u, 5], label[u, 6], label[u, 7] = b4, b5, b6, b7


@compiled
def fall(v: int, tree: Tree, down: Floats, label: Floats) -> None:
    """Take the labels of v from its later neighbours, where that is shorter."""
    a0, a1, a2, a3 = label[v, 0], label[v, 1], label[v, 2], label[v, 3]
    a4, a5, a6, a7 = label[v, 4], label[v, 5], label[v, 6], label[v, 7]
    for e in range(tree.start[v], tree.start[v + 1]):
        u, c = tree.head[e], down[e]
        a0, a1 = min(a0, label[u, 0] + c), min(a1, label[u, 1] + c)
        a2, a3 = min(a2, label[u, 2] + c), min(a3, label[u, 3] + c)
        a4, a5 = min(a4, label[u, 4] + c), min(a5, label[u, 5] + c)
        a6, a7 = min(a6, label[u, 6] + c), min(a7, label[u, 7] + c)
    label[v, 0], label[v, 1], label[v, 2], label[v, 3] = a0, a1, a2, a3
    label[v, 4], label[v, 5], label[v, 6], label[v, 7] = a4, a5, a6, a7


@compiled
def ancestors(parent: Ints, group: Ints, node: Ints, count: int) -> tuple[Ints, Ints]:
    """Return ``start, nodes``: the ancestors of each group's nodes, themselves too, once each."""
    start = np.zeros(count + 1, dtype=np.int64)
    found = np.empty(0, dtype=np.int64)
    seen = np.empty(len(parent), dtype=np.int64)
    free = start.copy()
    for filling in range(2):  # first count, then write
        seen[:] = -1
        for i in range(len(node)):  # groups come in order
            at = node[i]
            while at >= 0 and seen[at] != group[i]:
                seen[at] = group[i]
                if filling:
                    found[free[group[i]]] = at
                free[group[i]] += 1
                at = parent[at]
        if not filling:
            for g in range(count):
                start[g + 1] = start[g] + free[g]
            free = start.copy()
            found = np.empty(start[-1], dtype=np.int64)
    return start, found
