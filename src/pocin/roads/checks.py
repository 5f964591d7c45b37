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
from pocin.roads.network import Trips
from pocin.roads.shortest import reachable
from pocin.roads.tables import counted, some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Ints, Mask
    from pocin.roads.network import Links, Roads

_LEAST_LINKS = 2
_MOST = 1e12


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
    if not len(roads.trips):
        yield "there are no trips; add origin-destination pairs"


def _links(roads: Roads) -> Iterator[str]:
    """Yield the faults of the links."""
    links = roads.links
    if len(links) < _LEAST_LINKS:
        yield "there are fewer than two links, so that no traffic could be elsewhere"
    yield from _repeated("link", links.id)
    lost = (roads.tail < 0) | (roads.head < 0)
    yield from _fault("link", links.id, lost, "begins or ends at a node that does not exist")
    for what, values in (("travel time without traffic", links.d), ("traffic", links.volume)):
        bad = ~(np.isfinite(values) & (values >= 0) & (values <= _MOST))
        if bad.any():
            yield f"{_named(links, bad)}: its {what} is no number from 0 to {_MOST:g}"


def _named(links: Links, bad: Mask) -> str:
    """Name links; one alone also by its ends, for its number may be pocin's own."""
    found = links.take(bad)
    ends = f" from {found.tail[0]} to {found.head[0]}" if len(found) == 1 else ""
    return f"link {some(found.id)}{ends}"


def _demand(roads: Roads) -> Iterator[str]:
    """Yield the faults of the trips."""
    for what, ids, at in (
        ("from", roads.trips.origin, roads.origins),
        ("to", roads.trips.destination, roads.destinations),
    ):
        yield from _fault(f"trip {what} node", ids, at < 0, "there is no such node")
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
            notes.append(f"left out: {counted(int(bad.sum()), 'trip')} {why}")
            trips = trips.take(~bad)

    left_out(trips.volume == 0, "without volume")
    left_out(trips.origin == trips.destination, "from a place to itself")
    ends, back = np.unique(
        np.column_stack([trips.origin, trips.destination]), axis=0, return_inverse=True
    )
    if len(ends) < len(trips):
        again = counted(len(trips) - len(ends), "row")
        notes.append(f"taken together: {again} of trips between the same ends as others")
    unweighed = len(ends) < len(trips) and bool(np.isnan(trips.volume).all())
    weights = np.ones(len(trips)) if unweighed else trips.volume
    volume = np.bincount(back.ravel(), weights=weights, minlength=len(ends)).astype(np.float64)
    trips = Trips(ends[:, 0], ends[:, 1], volume)
    found = replace(roads, trips=trips)
    left_out(~reachable(found), "without a path")
    return replace(found, trips=trips), notes


def _repeated(what: str, ids: Ints) -> Iterator[str]:
    """Yield the ids that stand more than once."""
    found, count = np.unique(ids, return_counts=True)
    twice = found[count > 1]
    if len(twice):
        yield f"{what} {some(twice)}: the id stands more than once; ids must differ"


def _fault(what: str, ids: Ints, bad: Mask, why: str) -> Iterator[str]:
    """Yield one sentence for all rows where ``bad`` holds."""
    if np.any(bad):
        yield f"{what} {some(np.unique(ids[bad]))}: {why}"
