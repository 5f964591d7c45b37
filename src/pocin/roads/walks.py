# SPDX-License-Identifier: MIT
"""The compiled loops that rebuild paths, or lay traffic on them; names as in ``kernels``.

A search keeps the edge by which each label was reached: ``risen`` while climbing, ``fallen`` where
falling found a shorter way. From a sink the path goes up by ``fallen`` until there is none, then
down by ``risen`` to the source. An arc is 2 e where it goes up edge e, 2 e + 1 where it goes down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pocin.compiled import compiled

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.kernels import Tree, Weights


class Search(NamedTuple):
    """What a search from one source leaves; a new ``turn`` makes the marks of the last one void."""

    label: Floats
    risen: Ints
    fallen: Ints
    climbed: Ints  # the last turn that climbed through a node
    done: Ints  # the last turn that fell to it
    chain: Ints  # working space: nodes on the way to a root
    arcs: Ints  # working space: the arcs of one path


class Some(NamedTuple):
    """Some trips, those of a source together; ``forward`` if sources are origins."""

    source: Ints
    sink: Ints
    volume: Floats
    forward: bool


class Ends(NamedTuple):
    """The nodes of every link."""

    tail: Ints
    head: Ints


@compiled
def prepared(tree: Tree) -> Search:
    """Return the working space of searches."""
    n = len(tree.parent)
    return Search(
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.full(n, -1, np.int64),
        np.full(n, -1, np.int64),
        np.empty(n + 2, np.int64),
        np.empty(2 * n + 2, np.int64),
    )


@compiled
def climb_from(source: int, turn: int, tree: Tree, up: Floats, search: Search) -> None:
    """Label the ancestors of a source by climbing alone."""
    at = source
    while at >= 0:
        search.label[at] = np.inf
        search.risen[at] = -1
        search.climbed[at] = turn
        at = tree.parent[at]
    search.label[source] = 0.0
    at = source
    while at >= 0:
        for e in range(tree.start[at], tree.start[at + 1]):
            through = search.label[at] + up[e]
            if through < search.label[tree.head[e]]:
                search.label[tree.head[e]] = through
                search.risen[tree.head[e]] = e
        at = tree.parent[at]


@compiled
def fall_to(sink: int, turn: int, tree: Tree, down: Floats, search: Search) -> None:
    """Label the ancestors of a sink, but for those that an earlier fall of this turn labelled."""
    depth = 0
    at = sink
    while at >= 0 and search.done[at] != turn:
        search.chain[depth] = at
        depth += 1
        at = tree.parent[at]
    for i in range(depth - 1, -1, -1):
        v = search.chain[i]
        best = search.label[v] if search.climbed[v] == turn else np.inf
        by = -1
        for e in range(tree.start[v], tree.start[v + 1]):
            through = search.label[tree.head[e]] + down[e]
            if through < best:
                best = through
                by = e
        search.label[v] = best
        search.fallen[v] = by
        search.done[v] = turn


@compiled
def walk_back(  # noqa: PLR0917
    some: Some, i: int, turn: int, tree: Tree, weights: Weights, search: Search
) -> int:
    """Write the arcs of trip i from its sink to its source; return how many, 0 for no path.

    Where searches run against the links (not ``forward``) this is the order of travel.
    """
    if turn == i:
        climb_from(some.source[i], turn, tree, weights.up, search)
    fall_to(some.sink[i], turn, tree, weights.down, search)
    count = 0
    at = some.sink[i]
    if search.label[at] == np.inf:
        return count
    while search.fallen[at] >= 0:
        search.arcs[count] = 2 * search.fallen[at] + (1 if some.forward else 0)
        at = tree.head[search.fallen[at]]
        count += 1
    while search.risen[at] >= 0:
        search.arcs[count] = 2 * search.risen[at] + (0 if some.forward else 1)
        at = tree.low[search.risen[at]]
        count += 1
    return count


@compiled
def under(arc: int, middle: int, tree: Tree) -> tuple[int, int]:
    """Return the two arcs, in order, of the triangle under an arc: down to its middle, and up."""
    e = arc // 2
    to_low, to_head = -1, -1
    for i in range(tree.start[middle], tree.start[middle + 1]):
        if tree.head[i] == tree.low[e]:
            to_low = i
        if tree.head[i] == tree.head[e]:
            to_head = i
    if arc % 2 == 0:
        return 2 * to_low + 1, 2 * to_head
    return 2 * to_head + 1, 2 * to_low


@compiled
def longer(kept: Ints, room: int) -> Ints:
    """Return the array, or a longer copy where it has no such room."""
    if room <= len(kept):
        return kept
    copy = np.empty(2 * room, dtype=np.int64)
    for i in range(len(kept)):
        copy[i] = kept[i]
    return copy


@compiled
def unpack(  # noqa: PLR0917
    arc: int, via: Ints, tree: Tree, stack: Ints, links: Ints, size: int
) -> tuple[int, Ints]:
    """Write the links of an arc behind the first ``size``; return the new size, and the array."""
    stack[0] = arc
    depth = 1
    while depth > 0:
        depth -= 1
        arc = stack[depth]
        where = via[arc // 2, arc % 2]
        if where >= 0:
            links = longer(links, size + 1)
            links[size] = where
            size += 1
        else:
            first, second = under(arc, -2 - where, tree)
            stack[depth], stack[depth + 1] = second, first  # one more for a level of triangles
            depth += 2
    return size, links


@compiled
def simple(  # noqa: PLR0917
    links: Ints, begin: int, end: int, ends: Ends, seen: Ints, nodes: Ints
) -> int:
    """Cut out, in place, what lies between two visits of a node: it has no length. Return the end.

    ``seen[node]`` is where the node stood last in ``nodes``, on this path or on an earlier one.
    """
    count = 0
    nodes[0] = ends.tail[links[begin]]
    seen[nodes[0]] = 0
    for i in range(begin, end):
        node = ends.head[links[i]]
        at = seen[node]
        if at <= count and nodes[at] == node:
            count = at
        else:
            links[begin + count] = links[i]
            count += 1
            nodes[count] = node
            seen[node] = count
    return begin + count


@compiled
def paths(some: Some, tree: Tree, weights: Weights, ends: Ends) -> tuple[Ints, Ints]:
    """Return how many links each trip takes, and all of them."""
    n = len(tree.parent)
    search = prepared(tree)
    seen, nodes = np.zeros(n, np.int64), np.full(n + 1, -1, np.int64)
    links = np.empty(64 * len(some.sink) + 1, np.int64)
    count = np.zeros(len(some.sink), np.int64)
    size, turn = 0, 0
    for i in range(len(some.sink)):
        turn = turn if some.source[i] == some.source[turn] else i
        arc_count = walk_back(some, i, turn, tree, weights, search)
        begin = size
        for k in range(arc_count):
            arc = search.arcs[arc_count - 1 - k if some.forward else k]
            size, links = unpack(arc, weights.via, tree, search.chain, links, size)
        if size > begin:
            size = simple(links, begin, size, ends, seen, nodes)
        count[i] = size - begin
    return count, links[:size]


@compiled
def arc_loads(some: Some, tree: Tree, weights: Weights) -> Floats:
    """Return the traffic of every arc when each trip takes its path."""
    search = prepared(tree)
    load = np.zeros(2 * len(tree.head))
    turn = 0
    for i in range(len(some.sink)):
        turn = turn if some.source[i] == some.source[turn] else i
        for k in range(walk_back(some, i, turn, tree, weights, search)):
            load[search.arcs[k]] += some.volume[i]
    return load


@compiled
def link_loads(load: Floats, via: Ints, tree: Tree, link_count: int) -> Floats:
    """Pass the traffic of every arc on to those of its triangle, and so down to the links.

    A triangle's lower edges come before its upper one.
    """
    links = np.zeros(link_count)
    for arc in range(len(load) - 1, -1, -1):
        where = via[arc // 2, arc % 2]
        if load[arc] > 0.0 and where >= 0:
            links[where] += load[arc]
        elif load[arc] > 0.0:
            first, second = under(arc, -2 - where, tree)
            load[first] += load[arc]
            load[second] += load[arc]
    return links
