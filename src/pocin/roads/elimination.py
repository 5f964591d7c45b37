# SPDX-License-Identifier: MIT
"""The chordal graph of an elimination order, which holds for all weights of a topology.

Eliminate the nodes one by one, joining the neighbours that each leaves behind. The order is
SuperLU's minimum degree on A + A^T, so that few edges are added; nodes are then named by their
place in it. Two facts carry the searches: the later neighbours of a node are all among its
ancestors in the elimination tree (parent: the earliest of them), and between any two of them
there is an edge. Each pair of them is a triangle under that edge (Dibbelt, Strasser, Wagner 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array, csc_array, diags_array
from scipy.sparse.linalg import splu

from pocin.compiled import compiled
from pocin.roads.kernels import Tree

if TYPE_CHECKING:
    from pocin.arrays import Ints


@dataclass(frozen=True, eq=False)
class Chordal:
    """The elimination tree with its edges, each node's sorted by head.

    ``top`` lists for v = 0, 1, ... and each pair i < j of its edges the edge between their heads.
    """

    rank: Ints  # of every node, its place in the order
    tree: Tree
    top: Ints

    @classmethod
    def of(cls, tail: Ints, head: Ints, node_count: int) -> Chordal:
        """Order the nodes of the links, taken both ways, and eliminate them."""
        graph = _undirected(tail, head, node_count)
        rank = _least_degree(graph)
        rank = _postorder(_parents(*_earlier(graph, rank)))[rank]
        begin, near = _earlier(graph, rank)
        parent = _parents(begin, near)
        start, heads = _fill(begin, near, parent)
        low = np.repeat(np.arange(node_count), np.diff(start))
        return cls(rank, Tree(parent, start, heads, low), _tops(start, heads))

    def edge(self, tail: Ints, head: Ints) -> Ints:
        """Return the edge between each pair of neighbours, named by place in the order."""
        count = len(self.rank)
        low, high = np.minimum(tail, head), np.maximum(tail, head)
        return np.searchsorted(self.tree.low * count + self.tree.head, low * count + high)


def _undirected(tail: Ints, head: Ints, count: int) -> csc_array:
    """Return the pattern of the links both ways, without loops."""
    kept = tail != head
    ends = np.concatenate((tail[kept], head[kept])), np.concatenate((head[kept], tail[kept]))
    return coo_array((np.ones(len(ends[0])), ends), shape=(count, count)).tocsc()


def _least_degree(graph: csc_array) -> Ints:
    """Return each node's place in SuperLU's order, by factoring a diagonally dominant matrix."""
    degree = np.asarray(graph.sum(axis=0)).ravel()
    matrix = csc_array(diags_array(degree + 1.0) - graph)
    factors = splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return np.asarray(factors.perm_c, dtype=np.int64)


def _earlier(graph: csc_array, rank: Ints) -> tuple[Ints, Ints]:
    """Return, by place in the order, the earlier neighbours of every node, sorted."""
    pattern = graph.tocoo()
    row, column = rank[pattern.row], rank[pattern.col]
    kept = row < column
    order = np.lexsort((row[kept], column[kept]))
    begin = np.searchsorted(column[kept][order], np.arange(len(rank) + 1))
    return begin, row[kept][order]


@compiled
def _parents(begin: Ints, near: Ints) -> Ints:
    """Return the parents in the elimination tree, given the earlier neighbours (Liu 1990)."""
    count = len(begin) - 1
    parent = np.full(count, -1, dtype=np.int64)
    above = np.full(count, -1, dtype=np.int64)  # ancestors, with paths compressed
    for node in range(count):
        for i in range(begin[node], begin[node + 1]):
            at = near[i]
            while at >= 0 and at != node:
                after = above[at]
                above[at] = node
                if after < 0:
                    parent[at] = node
                at = after
    return parent


@compiled
def _postorder(parent: Ints) -> Ints:
    """Return each node's place when subtrees are numbered without a gap: the fill is the same."""
    count = len(parent)
    size = np.ones(count, dtype=np.int64)
    for node in range(count):
        if parent[node] >= 0:
            size[parent[node]] += size[node]
    place = np.empty(count, dtype=np.int64)
    free = np.zeros(count + 1, dtype=np.int64)  # where the next child's subtree begins; last: roots
    for node in range(count - 1, -1, -1):
        up = parent[node] if parent[node] >= 0 else count
        place[node] = free[up] + size[node] - 1
        free[node] = free[up]
        free[up] += size[node]
    return place


@compiled
def _fill(begin: Ints, near: Ints, parent: Ints) -> tuple[Ints, Ints]:
    """Return the chordal graph: v is linked to every node whose row subtree passes v."""
    count = len(parent)
    start = np.zeros(count + 1, dtype=np.int64)
    seen = np.full(count, -1, dtype=np.int64)
    for node in range(count):
        seen[node] = node
        for i in range(begin[node], begin[node + 1]):
            at = near[i]
            while seen[at] != node:
                seen[at] = node
                start[at + 1] += 1
                at = parent[at]
    for node in range(count):
        start[node + 1] += start[node]
    free = start[:-1].copy()
    head = np.empty(start[-1], dtype=np.int64)
    seen[:] = -1
    for node in range(count):
        seen[node] = node
        for i in range(begin[node], begin[node + 1]):
            at = near[i]
            while seen[at] != node:
                seen[at] = node
                head[free[at]] = node
                free[at] += 1
                at = parent[at]
    return start, head


@compiled
def _tops(start: Ints, head: Ints) -> Ints:
    """Return the edge over every pair of edges (v, x), (v, y), x < y: the one from x to y."""
    count = 0
    for v in range(len(start) - 1):
        degree = start[v + 1] - start[v]
        count += degree * (degree - 1) // 2
    top = np.empty(count, dtype=np.int64)
    t = 0
    for v in range(len(start) - 1):
        for i in range(start[v], start[v + 1]):
            edge = start[head[i]]
            for j in range(i + 1, start[v + 1]):
                while head[edge] != head[j]:
                    edge += 1
                top[t] = edge
                t += 1
    return top
