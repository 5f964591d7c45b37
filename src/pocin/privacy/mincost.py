# SPDX-License-Identifier: MIT
r"""Whole flows of least cost on networks without capacities, by the primal-dual method.

    min sum_a c_a f_a,   f >= 0,   out(v) - in(v) = b(v),   c >= 0 whole, no cycle of cost 0.

Prices p keep c_a + p(tail) - p(head) >= 0 on every arc, with equality where f_a > 0. Each phase
searches by these reduced costs from all that is left to send to the nearest node that still wants
(Dial's buckets), moves the prices by the distances, and sends as much as goes along arcs of
reduced cost zero. At the end prices and flow prove each other optimal. No arc is ever full, so the
distance stays within the longest direct one, and it grows in every phase.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pocin.compiled import compiled
from pocin.privacy.search import room

if TYPE_CHECKING:
    from pocin.arrays import Ints, Mask, Whole

NONE = -1


class Network(NamedTuple):
    """Arcs sorted by tail: those out of v are start[v] to start[v + 1], those in are listed.

    ``longest`` is no less than the length of any shortest path.
    """

    longest: int
    start: Whole
    tail: Whole
    head: Whole
    cost: Whole
    back_start: Whole
    back: Whole


class State(NamedTuple):
    """The flow of every arc; the price of every node, and what it has left to send, or wants."""

    flow: Whole
    price: Whole
    left: Whole


class Buckets(NamedTuple):
    """Nodes by tentative distance: in each a list, its first entry and the one after each."""

    away: Whole
    first: Whole
    after: Whole
    node: Whole


class Path(NamedTuple):
    """The nodes on a path and the arcs between them."""

    node: Whole
    arc: Whole


def network(tail: Ints, head: Ints, cost: Ints, nodes: int, longest: int) -> Network:
    """Lay out arcs in the order of tail and head; of parallel ones the first is kept."""
    _, once = np.unique(tail * nodes + head, return_index=True)
    tail, head, cost = tail[once], head[once], cost[once]
    back = np.lexsort((tail, head))
    start, back_start = (np.searchsorted(ends, np.arange(nodes + 1)) for ends in (tail, head[back]))
    narrow = (a.astype(np.int32) for a in (start, tail, head, cost, back_start, back))
    return Network(longest, *narrow)


@compiled
def least_cost(net: Network, supply: Ints) -> tuple[Whole, Whole]:
    """Return the flow and the prices; what cannot reach one that wants is not sent."""
    nodes = len(supply)
    state = State(room(len(net.tail)), room(nodes), supply.astype(np.int32))
    away = room(nodes)
    reached = distances(net, state, away)
    while reached >= 0:
        for v in range(nodes):
            state.price[v] += min(away[v], reached)
        while send(net, state, useful(net, state)):
            pass
        reached = distances(net, state, away)
    return state.flow, state.price


@compiled
def distances(net: Network, state: State, away: Whole) -> int:
    """Fill in the reduced distances from what is left to send, up to the nearest that wants.

    Return that one's, or none where nobody wants or nothing is left.
    """
    entries = 2 * len(net.tail) + len(away)
    first = room(net.longest + 1, NONE)
    buckets = Buckets(away, first, room(entries), room(entries))
    away[:] = net.longest + 1
    count = 0
    for v in np.flatnonzero(state.left > 0):
        count = put(buckets, count, int(v), 0)
    for d in range(len(first)):
        while first[d] != NONE:
            v = buckets.node[first[d]]
            first[d] = buckets.after[first[d]]
            if away[v] == d:
                if state.left[v] < 0:
                    return d
                count = relax(net, state, buckets, count, v)
    return NONE


@compiled
def put(buckets: Buckets, count: int, v: int, away: int) -> int:
    """File a node under a nearer distance; return the number of entries."""
    buckets.away[v] = away
    buckets.node[count] = v
    buckets.after[count] = buckets.first[away]
    buckets.first[away] = count
    return count + 1


@compiled
def relax(net: Network, state: State, buckets: Buckets, count: int, v: int) -> int:
    """File the neighbours of a node that are nearer by it; return the number of entries."""
    away, price = buckets.away, state.price
    for i in range(net.back_start[v], net.back_start[v + 1]):
        w = net.tail[net.back[i]]
        if away[w] > away[v] and state.flow[net.back[i]] > 0:
            count = put(buckets, count, w, away[v])
    for a in range(net.start[v], net.start[v + 1]):
        w = net.head[a]
        further = away[v] + net.cost[a] + price[v] - price[w]
        if further < away[w]:
            count = put(buckets, count, w, further)
    return count


@compiled
def useful(net: Network, state: State) -> Mask:
    """Return the nodes that lead to one that wants by arcs of reduced cost zero."""
    leads, queue = state.left < 0, room(len(state.left))
    end = 0
    for v in np.flatnonzero(leads):
        queue[end] = v
        end += 1
    first = 0
    while first < end:
        v = queue[first]
        first += 1
        for i in range(net.back_start[v], net.back_start[v + 1]):
            a = net.back[i]
            u = net.tail[a]
            if not leads[u] and net.cost[a] + state.price[u] == state.price[v]:
                leads[u] = True
                queue[end] = u
                end += 1
        for a in range(net.start[v], net.start[v + 1]):
            u = net.head[a]
            if not leads[u] and state.flow[a] > 0:
                leads[u] = True
                queue[end] = u
                end += 1
    return leads


@compiled
def send(net: Network, state: State, open_: Mask) -> bool:
    """Send along arcs of reduced cost zero and open nodes, depth first; say if anything went.

    A node that led nowhere is closed, so that a sweep takes no longer than a search.
    """
    nodes, left, sent = len(state.left), state.left, False
    tried = room(nodes)
    path = Path(room(nodes), room(nodes))
    for source in np.flatnonzero((left > 0) & open_):
        depth, path.node[0], open_[source] = 0, source, False
        while left[source] > 0 and depth >= 0:
            v = path.node[depth]
            if left[v] < 0:
                push(net, state, path, depth)
                for i in range(1, depth + 1):
                    open_[path.node[i]] = True
                depth, sent = 0, True
                continue
            a, w = onward(net, state, open_, tried, v)
            if w == NONE:
                depth -= 1
            else:
                path.arc[depth] = a
                depth += 1
                path.node[depth], open_[w] = w, False
        open_[source] = left[source] == 0
    return sent


@compiled
def onward(net: Network, state: State, open_: Mask, tried: Whole, v: int) -> tuple[int, int]:
    """Return the next arc at v that leads to an open node at no reduced cost, and that node.

    Arcs out of v come first; an arc into v leads back where it carries flow.
    """
    out = net.start[v + 1] - net.start[v]
    while tried[v] < out:
        a = net.start[v] + tried[v]
        w = net.head[a]
        if open_[w] and net.cost[a] + state.price[v] == state.price[w]:
            return a, w
        tried[v] += 1
    while tried[v] - out < net.back_start[v + 1] - net.back_start[v]:
        a = net.back[net.back_start[v] + tried[v] - out]
        w = net.tail[a]
        if open_[w] and state.flow[a] > 0:
            return a, w
        tried[v] += 1
    return NONE, NONE


@compiled
def push(net: Network, state: State, path: Path, depth: int) -> None:
    """Send what goes along a path: back along an arc no more than it carries."""
    flow, left = state.flow, state.left
    amount = min(left[path.node[0]], -left[path.node[depth]])
    for i in range(depth):
        if net.tail[path.arc[i]] != path.node[i]:
            amount = min(amount, flow[path.arc[i]])
    for i in range(depth):
        a = path.arc[i]
        flow[a] += amount if net.tail[a] == path.node[i] else -amount
    left[path.node[0]] -= amount
    left[path.node[depth]] += amount


@compiled
def follow(net: Network, flow: Whole, supply: Ints, begin: Ints) -> Ints:
    """Cut a flow into paths, one from each of ``begin`` in turn by the first arc with flow left.

    Return their ends. The flow is used up.
    """
    at, ends = net.start.copy(), np.empty(len(begin), np.int64)
    for i in range(len(begin)):
        v = begin[i]
        while supply[v] >= 0:
            while flow[at[v]] == 0:
                at[v] += 1
            flow[at[v]] -= 1
            v = net.head[at[v]]
        ends[i] = v
    return ends
