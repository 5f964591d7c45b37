# SPDX-License-Identifier: MIT
"""What roads must satisfy before pocin releases them, and what is mended with a note.

All faults are gathered and raised at once. Nodes, links and trips are named by their public ids;
traffic and demand are never echoed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads.network import NO_ZONE, Trips
from pocin.roads.shortest import reachable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Ints, Mask
    from pocin.roads.network import Roads

_NAMED = 5
_LEAST_LINKS = 2
_MOST_VOLUME = 1e12


def check(roads: Roads, place: str) -> Roads:
    """Raise one error that lists all faults, else return the roads with each trip once."""
    faults = [*_nodes(roads), *_links(roads), *_demand(roads)]
    if faults:
        raise InputError(f"{place}: " + "; ".join(faults))
    roads, notes = _kept(roads)
    if not len(roads.trips):
        raise InputError(f"{place}: no trip has a path; check the trips and the links' directions")
    return replace(roads, notes=(*roads.notes, *notes))


def _nodes(roads: Roads) -> Iterator[str]:
    """Yield the faults of the nodes."""
    if not len(roads.nodes):
        yield "there are no nodes"
    yield from _repeated("node", roads.nodes.id)
    zones = roads.nodes.zone[roads.nodes.zone != NO_ZONE]
    if len(np.unique(roads.trips.origin)) == 0 and not len(zones):
        yield "there are no trips; add origin-destination pairs"


def _links(roads: Roads) -> Iterator[str]:
    """Yield the faults of the links."""
    links = roads.links
    if len(links) < _LEAST_LINKS:
        yield "there are fewer than two links, so that no traffic could be elsewhere"
    yield from _repeated("link", links.id)
    lost = (roads.tail < 0) | (roads.head < 0)
    yield from _fault("link", links.id, lost, "begins or ends at a node that does not exist")
    bad_d = ~(np.isfinite(links.d) & (links.d >= 0))
    yield from _fault("link", links.id, bad_d, "its free-flow time is no number of at least 0")
    bad_t = ~(np.isfinite(links.volume) & (links.volume >= 0) & (links.volume <= _MOST_VOLUME))
    yield from _fault(
        "link", links.id, bad_t, f"its traffic is no number from 0 to {_MOST_VOLUME:g}; mend it"
    )


def _demand(roads: Roads) -> Iterator[str]:
    """Yield the faults of the trips."""
    volume = roads.trips.volume
    bad = np.isfinite(volume) & (volume < 0)
    gaps = np.isnan(volume) & bool(np.any(np.isfinite(volume)))
    yield from _fault("trip from node", roads.trips.origin, bad, "its volume is negative")
    yield from _fault("trip from node", roads.trips.origin, gaps, "its volume is missing")


def _kept(roads: Roads) -> tuple[Roads, list[str]]:
    """Merge trips between the same ends; leave out those without volume, way or path.

    Rows that stand twice would tell the demand by their number.
    """
    trips, notes = roads.trips, []

    def left_out(bad: Mask, why: str) -> None:
        nonlocal trips
        if bad.any():
            notes.append(f"{int(bad.sum())} trips {why} and are left out")
            trips = trips.take(~bad)

    left_out(trips.volume == 0, "have no volume")
    left_out(trips.origin == trips.destination, "end where they begin")
    ends, back = np.unique(
        np.column_stack([trips.origin, trips.destination]), axis=0, return_inverse=True
    )
    if len(ends) < len(trips):
        notes.append(f"{len(trips) - len(ends)} trips repeat others and are counted with them")
    counted = len(ends) < len(trips) and bool(np.isnan(trips.volume).all())
    weights = np.ones(len(trips)) if counted else trips.volume
    volume = np.bincount(back.ravel(), weights=weights, minlength=len(ends)).astype(np.float64)
    trips = Trips(ends[:, 0], ends[:, 1], volume)
    found = replace(roads, trips=trips)
    left_out(~reachable(found), "have no path")
    return replace(found, trips=trips), notes


def _repeated(what: str, ids: Ints) -> Iterator[str]:
    """Yield the ids that stand more than once."""
    found, count = np.unique(ids, return_counts=True)
    twice = found[count > 1]
    if len(twice):
        yield f"{what} {_named(twice)}: the id stands more than once; ids must differ"


def _fault(what: str, ids: Ints, bad: Mask, why: str) -> Iterator[str]:
    """Yield one sentence for all rows where ``bad`` holds."""
    if np.any(bad):
        yield f"{what} {_named(np.unique(ids[bad]))}: {why}"


def _named(ids: Ints) -> str:
    """Write the first few ids and how many follow."""
    text = ", ".join(map(str, ids[:_NAMED].tolist()))
    return text if len(ids) <= _NAMED else f"{text} and {len(ids) - _NAMED} more"
