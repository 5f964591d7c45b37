# SPDX-License-Identifier: MIT
"""What released roads show beside the original, link by link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Exposure
from pocin.roads.network import positions
from pocin.roads.paths import TripPaths

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.privacy.secret import Secret
    from pocin.roads.network import Roads
    from pocin.roads.public import PublicRoads

COLUMNS = ("length", "capacity", "b", "power", "cost")
_HALF = 0.5


def exposure(public: PublicRoads, secret: Secret, original: Roads, released: Roads) -> Exposure:
    """Return the traffic at the links, and what ranks and marks the links without the noise."""
    marks = {**_public(public), **_unchanged(public, original, released)}
    standing = {name: column for name, column in marks.items() if np.ptp(column) > 0}
    return Exposure(
        released=at_links(public, released, "volume"),
        standing=standing,
        site_marks=np.column_stack(list(marks.values())),
        element_marks=secret.moved,
    )


def at_links(public: PublicRoads, roads: Roads, column: str) -> Floats:
    """Return a column in the order of the public links; NaN where a link is missing."""
    at = positions(roads.links.id, public.links.id)
    values = getattr(roads.links, column)[at]
    return np.where(at < 0, np.nan, values)


def _public(public: PublicRoads) -> dict[str, Floats]:
    """Return what the public part tells of a link: its time, its place, and its load on d."""
    links = public.links
    degree = np.bincount(np.concatenate([public.tail, public.head]), minlength=len(public.nodes))
    ones = np.ones(len(public.trips))
    return {
        "d": links.d,
        "links at its ends": (degree[public.tail] + degree[public.head]).astype(np.float64),
        "load of the trips on d": trip_paths(public).loads(links.d, ones),
    }


def trip_paths(public: PublicRoads) -> TripPaths:
    """Return the trips' shortest paths on the public topology."""
    return TripPaths.of(
        public.tail,
        public.head,
        len(public.nodes),
        public.nodes.no_through,
        public.origins,
        public.destinations,
    )


def _unchanged(public: PublicRoads, original: Roads, released: Roads) -> dict[str, Floats]:
    """Return the link columns that most links kept."""
    kept = {}
    for name in COLUMNS:
        before, after = (at_links(public, roads, name) for roads in (original, released))
        if np.mean(before == after) > _HALF and np.any(before != 0):
            kept[f"link.{name}"] = np.abs(np.nan_to_num(after))
    return kept
