# SPDX-License-Identifier: MIT
"""Times of single trips that are public already, or computed on request as an exact disclosure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads.certificate import travel
from pocin.roads.gmns import ends as named_ends
from pocin.roads.tables import counted, read_csv
from pocin.sources import read_bytes, text_of

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.network import Roads, Trips

_MOST = 1e12


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

    def along(self, trips: Trips) -> Floats:
        """Return the times in the order of some trips; NaN where one has none."""
        asked = np.column_stack([trips.origin, trips.destination])
        both, back = np.unique(np.concatenate([self.ends, asked]), axis=0, return_inverse=True)
        found = np.full(len(both), np.nan)
        back = back.ravel()
        found[back[: len(self.ends)]] = self.time
        return np.asarray(found[back[len(self.ends) :]])


def computed(roads: Roads, gamma: float) -> TripTimes:
    """Return the real times."""
    ends = np.column_stack([roads.trips.origin, roads.trips.destination])
    return TripTimes.of(ends, travel(roads, gamma))


def read(path: str, roads: Roads) -> TripTimes:
    """Read a table of trips, named as in demand.csv, and their time; it must have every trip."""
    table = read_csv(text_of(read_bytes(Path(path)), path), path)
    table.need("time")
    time = table.floats("time")
    table.refuse((time < 0) | (time > _MOST), "time", f"expected a number from 0 to {_MOST:g}")
    ends = np.column_stack(named_ends(table, roads.nodes))
    _, first, back = np.unique(ends, axis=0, return_index=True, return_inverse=True)
    table.refuse(first[back.ravel()] != np.arange(len(ends)), "time", "this trip stands twice")
    found = TripTimes.of(ends, time)
    times = found.along(roads.trips)
    if np.isnan(times).any():
        lacking = roads.trips.take(np.isnan(times))
        such = f"{counted(len(lacking), 'trip')}, as from {lacking.origin[0]} to "
        raise InputError(f"{path}: lacks the time of {such}{lacking.destination[0]}; add it")
    return found
