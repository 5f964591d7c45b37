# SPDX-License-Identifier: MIT
r"""Where nodes are drawn: at their coordinates, else by a layout of the public topology.

The layout is of the edges alone, so it tells nothing that they do not. Drawn distances shall be
like hops: a layout minimises the stress

    sum over pairs (i, j) of w_ij (|x_i - x_j| - d_ij)^2,    w_ij = 1 / d_ij^2,

d_ij hops. All pairs are too many at 10^4 nodes, so (Ortmann, Klimenta and Brandes 2017) a node
keeps its neighbours and a few *pivots*, spread far apart; pivot p stands for the s_ip nodes of its
region that are at most half as far from it as i is, with weight s_ip / d_ip^2. The start is
classical scaling of the hops to the pivots (Brandes and Pich 2006), the refinement is majorisation:
every node moves to the weighted mean of where its pairs would have it. No draw is made: the same
edges give the same picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints

Sparse: TypeAlias = Any

WIDTH = 1000.0
"""Maps are this wide, in units of their own."""

TALLEST, FLATTEST, MARGIN = 0.72, 0.4, 22.0
PIVOTS = 64
ROUNDS = 60
_TINY = 1e-9
_DEGREES = (180.0, 90.0)
_PAIR = 2


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of the nodes in a frame of WIDTH x ``height``, y downwards."""

    xy: Floats
    height: float
    geographic: bool


def layout(ends: Ints, n: int, x: Floats, y: Floats) -> Layout:
    """Place n nodes: by coordinates where all have them, else by the edges."""
    if n and np.isfinite(x).all() and np.isfinite(y).all() and (np.ptp(x) > 0 or np.ptp(y) > 0):
        return Layout(*_framed(_flat(x, y)), geographic=True)
    drawn = _of_edges(np.ascontiguousarray(ends, dtype=np.int64).tobytes(), n)
    return Layout(*_framed(drawn), geographic=False)


def _flat(x: Floats, y: Floats) -> Floats:
    """Return coordinates as on a map: north is up, and degrees of longitude are narrowed."""
    degrees = np.abs(x).max() <= _DEGREES[0] and np.abs(y).max() <= _DEGREES[1]
    narrowed = np.cos(np.radians(np.mean(y))) if degrees else 1.0
    return np.column_stack([x * narrowed, -y])


def _framed(xy: Floats) -> tuple[Floats, float]:
    """Scale and centre positions in a frame, the same in both directions."""
    if not len(xy):
        return xy.reshape(0, 2), WIDTH * FLATTEST
    low, high = xy.min(axis=0), xy.max(axis=0)
    wide, tall = np.maximum(high - low, _TINY)
    height = WIDTH * float(np.clip(tall / wide, FLATTEST, TALLEST))
    scale = min((WIDTH - 2 * MARGIN) / wide, (height - 2 * MARGIN) / tall)
    middle = np.array([WIDTH, height]) / 2
    return np.round((xy - (low + high) / 2) * scale + middle, 1) + 0.0, height


@lru_cache(maxsize=4)
def _of_edges(edges: bytes, n: int) -> Floats:
    """Lay out every connected part, and set the parts beside each other, the largest first.

    Kept, for releases that are compared have the same edges, which come as bytes.
    """
    ends = np.frombuffer(edges, dtype=np.int64).reshape(-1, 2)
    joined = _adjacency(ends, n)
    count, part = connected_components(joined, directed=False)
    sizes = np.bincount(part, minlength=count)
    xy, corner, row_top, row_high = np.zeros((n, 2)), 0.0, 0.0, 0.0
    limit = 0.0
    for name in np.lexsort((np.arange(count), -sizes)):
        nodes = np.flatnonzero(part == name)
        drawn = _upright(_part(joined[nodes][:, nodes]))
        wide, tall = np.ptp(drawn, axis=0)
        limit = max(limit, wide)
        if corner and corner + wide > limit:
            corner, row_top, row_high = 0.0, row_top + row_high + 1.0, 0.0
        xy[nodes] = drawn - drawn.min(axis=0) + [corner, row_top]
        corner, row_high = corner + wide + 1.0, max(row_high, tall)
    return xy


def _adjacency(ends: Ints, n: int) -> Sparse:
    """Return which nodes are neighbours, as a sparse matrix of ones."""
    a, b = (ends[ends[:, 0] != ends[:, 1]]).T if len(ends) else np.zeros((2, 0), dtype=np.int64)
    both = coo_array((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), shape=(n, n)).tocsr()
    both.data[:] = 1.0
    return both


def _part(joined: Sparse) -> Floats:
    """Lay out a connected part."""
    n = joined.shape[0]
    if n <= _PAIR:
        return np.column_stack([np.arange(n, dtype=np.float64), np.zeros(n)])
    pivots, hops = _pivots(joined, min(PIVOTS, n))
    return _relaxed(joined, pivots, hops, _scaled(hops))


def _pivots(joined: Sparse, count: int) -> tuple[Ints, Floats]:
    """Choose pivots, each the farthest from those before it; return them and hops to all nodes."""
    n = joined.shape[0]
    chosen: list[int] = []
    rows: list[Floats] = []
    nearest = _hops(joined, 0)
    for _ in range(count):
        pivot = int(np.argmax(nearest))
        if rows and nearest[pivot] == 0:
            break
        row = _hops(joined, pivot)
        nearest = np.minimum(nearest, row) if rows else row
        chosen.append(pivot)
        rows.append(row)
    return np.array(chosen), np.array(rows).T.reshape(n, -1)


def _hops(joined: Sparse, node: int) -> Floats:
    """Return the hops from one node to all."""
    start = np.array([node])
    found: Floats = dijkstra(joined, directed=False, indices=start, unweighted=True)[0]
    return found


def _scaled(hops: Floats) -> Floats:
    """Return classical scaling of hops to pivots: the two directions in which they vary most."""
    squares = hops**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    drawn = centred @ vectors[:, -1:-3:-1]
    if drawn.shape[1] < _PAIR:
        drawn = np.column_stack([drawn, np.zeros(len(drawn))])
    spread = np.linalg.norm(hops - hops.mean(axis=0)) / np.sqrt(hops.shape[1])
    # Twins at one point would stay there for good: spread them on a fine spiral.
    turn = np.arange(len(drawn)) * 2.399963
    apart = np.column_stack([np.cos(turn), np.sin(turn)]) * 1e-2
    return np.asarray(drawn * (spread / max(float(np.linalg.norm(drawn)), _TINY))) + apart


def _relaxed(joined: Sparse, pivots: Ints, hops: Floats, xy: Floats) -> Floats:
    """Lower the stress over neighbours and pivots."""
    n = len(xy)
    near = joined.tocoo()
    i, j = near.coords
    weight = _pivot_weights(hops)
    distance = np.where(weight > 0, hops, 1.0)
    total = np.bincount(i, minlength=n) + weight.sum(axis=1)
    for _ in range(ROUNDS):
        apart = xy[i] - xy[j]
        aims = xy[j] + apart / np.maximum(np.linalg.norm(apart, axis=1), _TINY)[:, None]
        sums = np.column_stack([np.bincount(i, aims[:, axis], n) for axis in (0, 1)])
        at = xy[pivots]
        x, y = (xy[:, axis][:, None] - at[:, axis] for axis in (0, 1))
        pull = weight * distance / np.maximum(np.hypot(x, y), _TINY)
        sums += weight @ at + np.column_stack([(pull * x).sum(axis=1), (pull * y).sum(axis=1)])
        xy = sums / total[:, None]
    return xy


def _pivot_weights(hops: Floats) -> Floats:
    """Return s_ip / d_ip^2; 0 for a pivot itself and its neighbours, who are pairs already."""
    region = np.argmin(hops, axis=1)
    weight = np.zeros_like(hops)
    for p in range(hops.shape[1]):
        inside = np.sort(hops[region == p, p])
        counts = np.searchsorted(inside, hops[:, p] / 2, side="right")
        far = hops[:, p] > 1
        weight[far, p] = counts[far] / hops[far, p] ** 2
    return weight


def _upright(xy: Floats) -> Floats:
    """Turn a drawing so that it is widest from left to right, the same way round every time."""
    centred = xy - xy.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned: Floats = centred @ axes[:, ::-1]
    heavy = np.sign(np.sum(turned**3, axis=0))
    return turned * np.where(heavy == 0, 1.0, heavy)
