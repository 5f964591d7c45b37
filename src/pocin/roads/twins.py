# SPDX-License-Identifier: MIT
"""Roads that share a network's public part and differ in its secret: what truth-blindness swaps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.policy import Treatment
from pocin.roads.columns import CAPACITY, COORDINATES, DELAY, DEMAND, LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats
    from pocin.policy import Policy
    from pocin.roads.network import Roads


def twins(roads: Roads, policy: Policy) -> Iterator[tuple[str, Roads]]:
    """Yield every such network, and what was changed in it."""
    links = roads.links
    moved = {name: np.roll(getattr(links, name), 1) for name in ("volume", "cost")}
    yield "elements permuted", replace(roads, links=replace(links, **moved))
    shifted = links.volume + 1.0 + np.arange(len(links))
    yield "values changed", replace(roads, links=replace(links, volume=shifted))
    yield "source rows permuted", _reordered(roads)
    yield "unreleased columns changed", _unreleased(roads, policy)


def _reordered(roads: Roads) -> Roads:
    """Turn every table upside down."""
    nodes, links, trips = (
        table.take(np.arange(len(table))[::-1]) for table in (roads.nodes, roads.links, roads.trips)
    )
    return replace(roads, nodes=nodes, links=links, trips=trips)  # type: ignore[arg-type]


def _unreleased(roads: Roads, policy: Policy) -> Roads:
    """Change every column that the policy drops, and the notes."""

    def dropped(column: str) -> bool:
        return policy[column] is not Treatment.PUBLIC

    nodes, links, trips = roads.nodes, roads.links, roads.trips
    uneven = _uneven(len(links))
    changed: dict[str, Any] = {"cost": uneven}
    changed |= {"capacity": 100 * uneven} if dropped(CAPACITY) else {}
    changed |= {"b": 0.1 + uneven, "power": uneven} if dropped(DELAY) else {}
    changed |= {"length": uneven} if dropped(LENGTH) else {}
    if dropped(COORDINATES):
        nodes = replace(nodes, x=_uneven(len(nodes)), y=_uneven(len(nodes)))
    if dropped(DEMAND):
        trips = replace(trips, volume=_uneven(len(trips)))
    return replace(roads, nodes=nodes, links=replace(links, **changed), trips=trips, notes=())


def _uneven(count: int) -> Floats:
    """Return numbers of which no two are equal."""
    return np.arange(count, 0, -1, dtype=np.float64) + 0.5
