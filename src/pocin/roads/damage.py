# SPDX-License-Identifier: MIT
"""Real roads as attackers meet them, and what each of them ranks their links by.

    informed     volume: the real traffic; load: how many trips' shortest paths take a link
    public       load: the same on d, the time without traffic
    obfuscated   volume: the released traffic; load: the same on the released times
    residual     left: link columns that the release shares unchanged with the original, the
                 traffic by an equilibrium of the written volumes, a constant projected onto the
                 written trip times where these are exact; floor: d, links at the ends, load on d

An attack multiplies the time of the links hit; drivers take the paths that are shortest then.
Every pair counts once, as in the problem: no sample of trips is drawn, and none is weighted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pocin.errors import InputError, UsageError
from pocin.roads.assignment import recomputed
from pocin.roads.choice import Start, choose
from pocin.roads.columns import LENGTH
from pocin.roads.exposure import told_by_place, trip_paths, unchanged
from pocin.roads.fidelity import FIRST, first_anchor
from pocin.roads.network import PER_TRIP, positions
from pocin.roads.problem import RestoreProblem
from pocin.roads.projection import Rows
from pocin.roads.reading import PerTrip
from pocin.targets import Harm, varying

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.roads.network import Roads
    from pocin.roads.paths import TripPaths
    from pocin.targets import Variants

SLOWDOWN = 10.0
DRIVERS = "of_all_drivers"
QUANTILES = (0.5, 0.9, 0.99)
NEAR = 0.03
"""How near to the written trip times a constant is projected; within 1 % no end is found."""


@dataclass(frozen=True, eq=False)
class RoadsTarget:
    """Answers ``pocin.targets.Target``; links are sorted by public id."""

    name: str
    roads: Roads
    gamma: float
    slowdown: float

    unit = "%"
    element = "link"
    worth_meaning = "traffic"
    beside: ClassVar[Mapping[str, str]] = {
        DRIVERS: "Increase of the time of all drivers, as the source counts them (%)"
    }

    @classmethod
    def of(cls, roads: Roads, gamma: float, slowdown: str | None, name: str) -> RoadsTarget:
        """Sort the links."""
        ordered = replace(roads, links=roads.links.take(np.argsort(roads.links.id)))
        return cls(name, ordered, gamma, _factor(slowdown))

    @property
    def meaning(self) -> str:
        """What damage is."""
        return f"increase of the time of all trips where links take {self.slowdown:g} times as long"

    @property
    def count(self) -> int:
        """How many links there are."""
        return len(self.roads.links)

    @property
    def worth(self) -> Floats:
        """The traffic of every link."""
        return self.roads.links.volume

    @cached_property
    def times(self) -> Floats:
        """The shortest time of every trip before any attack."""
        return self._paths.times(self._w)

    @property
    def optimum(self) -> float:
        """The mean trip time before any attack."""
        return float(np.mean(self.times))

    def check(self, released: Roads, name: str) -> None:
        """Refuse roads of other links."""
        ours, remedy = self.roads.links, f"name a release of {self.name}"
        at = positions(released.links.id, ours.id)
        if len(released.links) != len(ours) or np.any(at < 0):
            raise InputError(f"{name}: its links are not those of {self.name}; {remedy}")
        theirs = released.links.take(at)
        moved = (theirs.tail != ours.tail) | (theirs.head != ours.head)
        if np.any(moved):
            link = ours.id[np.argmax(moved)]
            raise InputError(f"{name}: link {link} has other ends than in {self.name}; {remedy}")

    def informed(self) -> Variants:
        """Rank by the real traffic, and by the load of the real shortest paths."""
        return {
            "volume": {"volume": self.worth},
            "load": {"load of the shortest paths": _load(self._paths, self._w)},
        }

    def public(self) -> Variants:
        """Rank by the load of the shortest paths without traffic."""
        return {"load": {"load of the trips on d": _load(self._paths, self.roads.links.d)}}

    def obfuscated(self, released: Roads, solve: object = None) -> Variants:
        """Rank by the released traffic, and by the load of the released shortest paths."""
        del solve
        theirs = self._sorted(released)
        w = theirs.links.d + (theirs.gamma or self.gamma) * theirs.links.volume
        return {
            "volume": {"volume": theirs.links.volume},
            "load": {"load of the shortest paths": _load(trip_paths(theirs), w)},
        }

    def residual(self, released: Roads) -> Variants:
        """Rank by what is left, and by what the public part tells."""
        theirs = self._sorted(released)
        left = unchanged(self.roads.links.id, self.roads, theirs)
        floor = told_by_place(theirs)
        if LENGTH in left:
            floor[LENGTH] = left.pop(LENGTH)
        if np.isfinite(theirs.trips.volume).all():
            left["equilibrium of the written volumes"] = recomputed(theirs).traffic
        if theirs.reading == PER_TRIP:
            left["a constant projected onto the trip times"] = self._projected(theirs)
        return {"left": varying(left), "floor": varying(floor)}

    def harm(self, hit: Ints) -> Harm:
        """Let the links take longer and the drivers choose again."""
        w = self._w.copy()
        w[hit] *= self.slowdown
        after, before = self._paths.times(w), self.times
        mean = float(np.mean(after))
        share = 100.0 * (after / np.where(before > 0, before, np.inf) - 1.0)[before > 0]
        spread = np.quantile(share, QUANTILES)
        return Harm(
            damage=100.0 * (mean / self.optimum - 1.0),
            objective=mean - self.optimum,
            details={
                "mean_over_trips": float(np.mean(share)),
                **{f"q{100 * q:g}": float(at) for q, at in zip(QUANTILES, spread, strict=True)},
                "largest": float(np.max(share)),
                "trips_hit": float(np.mean(share > 0)),
                **self._by_drivers(after),
            },
        )

    @cached_property
    def _w(self) -> Floats:
        """The real times of the links."""
        return np.asarray(self.roads.links.d + self.gamma * self.worth)

    @cached_property
    def _paths(self) -> TripPaths:
        """The shortest paths of the real trips."""
        return trip_paths(self.roads)

    def _by_drivers(self, after: Floats) -> Mapping[str, float]:
        """Return the increase of all drivers' time, where the source counts them."""
        drivers = self.roads.trips.volume
        if not np.isfinite(drivers).all() or not drivers @ self.times > 0:
            return {}
        return {DRIVERS: 100.0 * float(drivers @ after / (drivers @ self.times) - 1.0)}

    def _sorted(self, released: Roads) -> Roads:
        """Return a release with its links in our order."""
        at = positions(released.links.id, self.roads.links.id)
        return replace(released, links=released.links.take(at))

    def _projected(self, theirs: Roads) -> Floats:
        """Return the traffic nearest to a constant under which trips take the written times."""
        gamma, volume = theirs.gamma or self.gamma, theirs.links.volume
        times = trip_paths(theirs).times(theirs.links.d + gamma * volume)
        reading = PerTrip(
            RestoreProblem.on(
                theirs,
                theirs.links.d + gamma * np.median(volume),
                NEAR,
                total=None,
                times=times,
            )
        )
        noisy, anchor = reading.problem.noisy, first_anchor(reading, FIRST)
        found = choose(reading, noisy, Start(Rows.none()), anchor, FIRST)  # as phase 3 begins
        return np.asarray((found.w - theirs.links.d) / gamma)


def _load(paths: TripPaths, w: Floats) -> Floats:
    """Return how many trips' shortest paths take a link."""
    return paths.loads(w, np.ones(len(paths.place)))


def _factor(text: str | None) -> float:
    """Read how many times as long a link takes that is hit."""
    try:
        factor = SLOWDOWN if text is None else float(text)
    except ValueError:
        factor = 0.0
    if not 1.0 < factor < float("inf"):
        raise UsageError("--slowdown: expected a number above 1, such as 10")
    return factor
