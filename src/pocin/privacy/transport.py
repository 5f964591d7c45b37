# SPDX-License-Identifier: MIT
r"""The assignment of least total d(r_i, s) without a table: a flow of least cost on the topology.

**Some cheapest assignment lets every drawn site keep one of the records that drew it.** Take a
cheapest one where no record that drew s stands at s: a record drawn at t stands there, and one
that drew s stands at some u. Exchange the two: d(s, s) + d(t, u) <= 0 + d(t, s) + d(s, u), so the
total is no more, and no other drawn site loses the record it keeps. Records that drew one site
cost the same everywhere, so any of them may stay: it is the first of the sorted records.

The surplus records then go to the sites that nobody drew, each at the cost of a shortest path:

    min sum_a c_a f_a,   f >= 0,   out - in = 1 for each surplus record, -1 for each empty site,

over arcs along the edges (cost 1, both ways), from drawn sites to their nodes (``step``) and from
nodes to the empty sites (0). Sites out of reach of each other are linked through a hub.

The flow is cut into paths record by record in their sorted order, each along the first arc with
flow left, in the order of public ids. All of it is a function of the sorted records and the public
part. The flow is a cheapest one, so it has no cycles, and the paths' costs add up to its own; no
record goes farther than its path, so they add up to the cheapest assignment's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.mincost import Network, follow, least_cost, network

if TYPE_CHECKING:
    from pocin.arrays import Ints
    from pocin.privacy.draws import Draws
    from pocin.privacy.metric import Hops


def assign_by_flow(draws: Draws, metric: Hops) -> Ints:
    """Return for each site the record that it gets, at least total d(drawn site, site)."""
    placed = np.full(len(metric), -1)
    claimed, first = np.unique(draws.sites, return_index=True)
    placed[claimed] = first
    surplus = np.setdiff1d(np.arange(len(draws)), first)
    empty = np.flatnonzero(placed < 0)
    begin, wanted = metric.node_count + draws.sites[surplus], metric.node_count + empty
    net = roads_for(np.unique(draws.sites[surplus]), empty, metric)
    supply = np.bincount(begin, minlength=len(net.start) - 1)
    supply[wanted] = -1
    flow, _ = least_cost(net, supply)
    placed[follow(net, flow, supply, begin) - metric.node_count] = surplus
    return placed


def roads_for(full: Ints, empty: Ints, metric: Hops) -> Network:
    """Lay out the arcs. Node v of the topology is v, site s is node_count + s, the hub is last."""
    along, back = metric.ends.T
    hub = metric.node_count + len(metric)
    leaving, entered = metric.node_count + full, metric.node_count + empty
    blocks = [
        (along, back, 1),
        (back, along, 1),
        *((leaving, nodes, metric.step) for nodes in metric.stands[full].T),
        *((nodes, entered, 0) for nodes in metric.stands[empty].T),
    ]
    if not metric.connected:
        blocks += [
            (leaving, np.full(len(full), hub), metric.beyond),
            (np.full(len(empty), hub), entered, 0),
        ]
    tail, head = (np.concatenate([block[i] for block in blocks]) for i in (0, 1))
    cost = np.concatenate([np.full(len(block[0]), block[2]) for block in blocks])
    return network(tail, head, cost, hub + 1, metric.beyond)
