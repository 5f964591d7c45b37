# SPDX-License-Identifier: MIT
"""Times of single trips that are public already, or computed on request as an exact disclosure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads.certificate import travel
from pocin.roads.tables import bytes_of, read_csv, text_of

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.network import Roads, Trips

FLAG = "--trip-times"


@dataclass(frozen=True, eq=False)
class TripTimes:
    """Times by origin and destination, each pair once, sorted."""

    ends: Ints
    time: Floats

    @classmethod
    def of(cls, ends: Ints, time: Floats) -> TripTimes:
        """Sort times by their pairs."""
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        return cls(ends[order], time[order])

    def along(self, trips: Trips) -> Floats | None:
        """Return the times in the order of some trips; None where one has none."""
        asked = np.column_stack([trips.origin, trips.destination])
        both, back = np.unique(np.concatenate([self.ends, asked]), axis=0, return_inverse=True)
        found = np.full(len(both), np.nan)
        back = back.ravel()
        found[back[: len(self.ends)]] = self.time
        times = found[back[len(self.ends) :]]
        return None if np.isnan(times).any() else np.asarray(times)


def computed(roads: Roads, gamma: float) -> TripTimes:
    """Return the real times."""
    ends = np.column_stack([roads.trips.origin, roads.trips.destination])
    return TripTimes.of(ends, travel(roads, gamma))


def read(path: str, roads: Roads) -> TripTimes:
    """Read a table of o_zone_id, d_zone_id and time, which must have every trip."""
    table = read_csv(text_of(bytes_of(Path(path)), path), path)
    table.need("o_zone_id", "d_zone_id", "time")
    time = table.floats("time")
    table.refuse(time < 0, "time", "is negative; expected at least 0")
    names = roads.nodes.zone
    ids = [table.ints(name) for name in ("o_zone_id", "d_zone_id")]
    if np.any(names >= 0):
        by_zone = dict(zip(names.tolist(), roads.nodes.id.tolist(), strict=True))
        ids = [np.array([by_zone.get(zone, zone) for zone in given.tolist()]) for given in ids]
    ends = np.column_stack(ids)
    _, first, back = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    table.refuse(first[back.ravel()] != np.arange(len(ends)), "d_zone_id", "this trip stands twice")
    found = TripTimes.of(ends, time)
    if found.along(roads.trips) is None:
        raise InputError(f"{path}: has no time for some trips of the network; add them")
    return found
