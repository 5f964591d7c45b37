# SPDX-License-Identifier: MIT
"""Random small networks for the tests of phase 1, and their distances by another library."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from pocin.privacy.metric import Hops, LinkHops


@st.composite
def graphs(draw, most=12, connected=None):
    """Edges of a graph of a few nodes: parallel ones, loops, perhaps several components."""
    count = draw(st.integers(2, most))
    whole = draw(st.booleans()) if connected is None else connected
    tree = [(draw(st.integers(0, k - 1)), k) for k in range(1, count)]
    kept = tree if whole else [edge for edge in tree if draw(st.integers(0, 4))]
    node = st.integers(0, count - 1)
    more = draw(st.lists(st.tuples(node, node), max_size=8))
    return np.array(kept + more, dtype=np.int64).reshape(-1, 2), count


@st.composite
def metrics(draw, most=12, connected=None):
    """Hops between some sites of a random graph: at nodes, several at one perhaps, or links."""
    ends, count = draw(graphs(most, connected))
    if len(ends) and draw(st.booleans()):
        chosen = draw(st.lists(st.integers(0, len(ends) - 1), min_size=1, max_size=14, unique=True))
        return LinkHops(ends, count, ends[chosen])
    sites = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=12))
    return Hops(ends, count, np.array(sites))


def by_networkx(metric):
    """The distances from their definition."""
    graph = nx.Graph()
    graph.add_nodes_from(range(metric.node_count))
    graph.add_edges_from(metric.ends.tolist())
    between = dict(nx.all_pairs_shortest_path_length(graph))
    far = metric.node_count

    def hops(s, t):
        if isinstance(metric, LinkHops):
            pairs = [(a, b) for a in metric.nodes[s].tolist() for b in metric.nodes[t].tolist()]
            return 0 if s == t else 1 + min(between[a].get(b, far) for a, b in pairs)
        return between[int(metric.nodes[s])].get(int(metric.nodes[t]), far)

    n = len(metric)
    return np.array([[hops(s, t) for t in range(n)] for s in range(n)])
