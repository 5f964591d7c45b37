# SPDX-License-Identifier: MIT
"""The streets of a made city: a jittered grid in a disk, denser towards the centre, with arterials.

A random spanning tree that prefers arterials is two-way, so that all nodes reach each other. Then
the other arterials and local streets, one in ten one-way, are added at random until the links are
as many as asked for. A larger city has a motorway ring with spokes, joined by ramps to arterials.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import KDTree

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.privacy.noise import SeededNoise

LOCAL, ARTERIAL, RAMP, MOTORWAY = range(4)
_LINKS_PER_NODE = 2.8
_BLOCK = 150.0  # metres from street to street, at the edge
_DENSER = 0.65  # times that in the centre
_APART = 6  # streets from one arterial to the next
_ONE_WAY = 0.1
_RING = 0.6  # of the radius
_SPOKES = 6
_EXIT = 5.0  # blocks from one exit of the motorway to the next
_TOWN = 1200  # links: so small a place has no motorway


@dataclass(frozen=True, eq=False)
class Streets:
    """Nodes in metres from the centre, links between them; the first ``grid`` nodes are homes."""

    place: Floats  # (n, 2)
    grid: int
    radius: float
    tail: Ints
    head: Ints
    kind: Ints


def laid(links: int, noise: SeededNoise) -> Streets:
    """Lay out exactly so many directed links."""
    at, radius = _grid(max(16, int(links / _LINKS_PER_NODE)))
    while 2 * len(_neighbours(at)[0]) < links:  # so small a grid has many nodes at its edge
        at, radius = _grid(len(at) + 1)
    place = _placed(at, radius, noise)
    ends, kind = _neighbours(at)
    in_tree = _tree(ends, kind, len(at), noise)
    kept, kinds = [ends[in_tree]], [kind[in_tree]]
    if links >= _TOWN:
        fast, joined, fast_kind = _motorway(place, at, radius)
        place = np.concatenate((place, fast))
        kept.append(joined)
        kinds.append(fast_kind)
    pairs, pair_kind = np.concatenate(kept), np.concatenate(kinds)
    rest = np.flatnonzero(~in_tree)
    rest = rest[np.lexsort((noise.generator.random(len(rest)), kind[rest] != ARTERIAL))]
    added = _until(links - 2 * len(pairs), kind[rest], noise)
    pairs = np.concatenate((pairs, pairs[:, ::-1], ends[np.repeat(rest, 2)[added]]))
    turned = np.flatnonzero(added % 2)  # the way back of an added street
    pairs[len(pairs) - len(added) + turned] = pairs[len(pairs) - len(added) + turned][:, ::-1]
    classes = np.concatenate((pair_kind, pair_kind, kind[np.repeat(rest, 2)[added]]))
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    tail, head = pairs[order].T
    return Streets(place, len(at), _BLOCK * radius, tail, head, classes[order])


def _grid(count: int) -> tuple[Ints, float]:
    """Return so many whole points around the centre, nearest first, and the radius of their disk.

    Each but the first has a neighbour nearer to the centre: the grid is connected.
    """
    radius = np.sqrt(count / np.pi)
    line = np.arange(-int(radius) - 2, int(radius) + 3)
    at = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1).reshape(-1, 2)
    order = np.lexsort((at[:, 1], at[:, 0], (at**2).sum(axis=1)))
    return at[order[:count]], float(radius)


def _placed(at: Ints, radius: float, noise: SeededNoise) -> Floats:
    """Return where the nodes are: denser in the centre, off the grid at random."""
    off = noise.generator.uniform(-0.3, 0.3, at.shape)
    off[(at % _APART == 0).any(axis=1)] *= 0.3
    far = np.hypot(*at.T)[:, None] / radius
    return np.asarray(_BLOCK * (at + off) * (_DENSER + (1.0 - _DENSER) * far))


def _neighbours(at: Ints) -> tuple[Ints, Ints]:
    """Join neighbours on the grid, along every sixth line by an arterial."""
    size = 2 * int(np.abs(at).max()) + 3
    key = (at[:, 0] + size // 2) * size + at[:, 1] + size // 2
    order = np.argsort(key)
    ends, kinds = [], []
    for axis, stride in ((0, size), (1, 1)):
        found = order[np.minimum(np.searchsorted(key[order], key + stride), len(key) - 1)]
        here = np.flatnonzero(key[found] == key + stride)
        ends.append(np.stack((here, found[here]), axis=1))
        kinds.append(np.where(at[here, 1 - axis] % _APART == 0, ARTERIAL, LOCAL))
    return np.concatenate(ends), np.concatenate(kinds)


def _tree(ends: Ints, kind: Ints, count: int, noise: SeededNoise) -> Ints:
    """Return which streets form a random spanning tree that prefers arterials."""
    lot = noise.generator.uniform(1.0, 2.0, len(kind)) - np.where(kind == ARTERIAL, 0.9, 0.0)
    tree = minimum_spanning_tree(coo_array((lot, ends.T), shape=(count, count)).tocsr()).tocoo()
    chosen = np.zeros(len(kind), dtype=bool)
    chosen[np.isin(ends @ [count, 1], tree.row.astype(np.int64) * count + tree.col)] = True
    return chosen


def _until(links: int, kind: Ints, noise: SeededNoise) -> Ints:
    """Return 2 i for the way along street i and 2 i + 1 for the way back, so many in all.

    A small city may need the way back of its one-way streets too.
    """
    one_way = (noise.generator.random(len(kind)) < _ONE_WAY) & (kind == LOCAL)
    way = np.arange(2 * len(kind))
    barred = (way % 2 == 1) & np.repeat(one_way, 2)
    return np.concatenate((way[~barred], way[barred]))[:links]


def _motorway(place: Floats, at: Ints, radius: float) -> tuple[Floats, Ints, Ints]:
    """Return the nodes of a ring and its spokes, their streets and ramps, and their kinds."""
    exits = _SPOKES * max(1, round(2.0 * np.pi * _RING * radius / _EXIT / _SPOKES))
    out = max(1, int((1.0 - _RING) * radius / _EXIT))
    angle = 2.0 * np.pi * np.arange(exits) / exits
    reach = _BLOCK * radius * _RING * (_DENSER + (1.0 - _DENSER) * _RING)
    spoke = angle[:: exits // _SPOKES]
    steps = reach + (_BLOCK * radius - reach) * np.arange(1, out + 1) / (out + 1)
    rings = [np.stack((np.cos(angle), np.sin(angle)), axis=1) * reach]
    rings += [np.stack((np.cos(spoke), np.sin(spoke)), axis=1) * step for step in steps]
    fast = np.concatenate(rings)
    first = len(place) + np.arange(exits)
    outer = len(place) + exits + np.arange(out * _SPOKES)
    inner = np.concatenate((first[:: exits // _SPOKES], outer[:-_SPOKES]))
    arterial = np.flatnonzero((at % _APART == 0).any(axis=1))
    near = arterial[KDTree(place[arterial]).query(fast)[1]]
    lines = [(first, np.roll(first, -1)), (inner, outer), (len(place) + np.arange(len(fast)), near)]
    kinds = np.repeat([MOTORWAY, MOTORWAY, RAMP], [len(line[0]) for line in lines])
    return fast, np.concatenate([np.stack(line, axis=1) for line in lines]), kinds
