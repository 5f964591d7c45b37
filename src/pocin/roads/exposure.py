# SPDX-License-Identifier: MIT
"""What released roads show beside the original, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Exposure
from pocin.roads.network import positions
from pocin.roads.paths import TripPaths
from pocin.targets import varying

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.privacy.secret import Secret
    from pocin.roads.network import Roads
    from pocin.roads.public import PublicRoads

COLUMNS = ("length", "capacity", "b", "power", "cost")
_HALF = 0.5


def exposure(public: PublicRoads, secret: Secret, original: Roads, released: Roads) -> Exposure:
    """Return the traffic at the links, and what ranks and marks the links without the noise."""
    marks = {**told_by_place(public), **unchanged(public.links.id, original, released)}
    return Exposure(
        released=at_links(public.links.id, released, "volume"),
        standing=varying(marks),
        site_marks=np.column_stack(list(marks.values())),
        element_marks=secret.moved,
    )


def at_links(ids: Ints, roads: Roads, column: str) -> Floats:
    """Return a column in the order of these links; NaN where a link is missing."""
    at = positions(roads.links.id, ids)
    values = getattr(roads.links, column)[at]
    return np.where(at < 0, np.nan, values)


def told_by_place(roads: PublicRoads | Roads) -> dict[str, Floats]:
    """Return what the public part tells of a link: its time, its place, and its load on d."""
    d, tail, head = roads.links.d, roads.tail, roads.head
    degree = np.bincount(np.concatenate([tail, head]), minlength=len(roads.nodes))
    return {
        "d": d,
        "links at its ends": (degree[tail] + degree[head]).astype(np.float64),
        "load of the trips on d": trip_paths(roads).loads(d, np.ones(len(roads.trips))),
    }


def trip_paths(roads: PublicRoads | Roads) -> TripPaths:
    """Return the trips' shortest paths on a topology."""
    return TripPaths.of(
        roads.tail,
        roads.head,
        len(roads.nodes),
        roads.nodes.no_through,
        roads.origins,
        roads.destinations,
    )


def unchanged(ids: Ints, original: Roads, released: Roads) -> dict[str, Floats]:
    """Return the link columns that most links kept, in the order of these links."""
    kept = {}
    for name in COLUMNS:
        before, after = (at_links(ids, roads, name) for roads in (original, released))
        if np.mean(before == after) > _HALF and np.any(before != 0):
            kept[f"link.{name}"] = np.abs(np.nan_to_num(after))
    return kept
