# SPDX-License-Identifier: MIT
"""Roads as a map shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Drawing

if TYPE_CHECKING:
    from pocin.roads.network import Roads


def drawing(roads: Roads) -> Drawing:
    """Return the junctions that links join, and the links with their traffic, by their ids."""
    links = roads.links.take(np.argsort(roads.links.id, kind="stable"))
    ends = np.column_stack([links.tail, links.head])
    nodes = np.unique(ends)
    place = roads.positions(nodes)
    return Drawing(
        nodes=nodes,
        x=roads.nodes.x[place],
        y=roads.nodes.y[place],
        edges=links.id,
        ends=np.searchsorted(nodes, ends),
        directed=True,
        on="edge",
        at=np.arange(len(links)),
        values=links.volume,
        unit=roads.units.volume,
        node_word="junction",
        edge_word="link",
        element_word="traffic volume",
    )
