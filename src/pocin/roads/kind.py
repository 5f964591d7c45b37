# SPDX-License-Identifier: MIT
"""Road networks as a kind of network."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import UsageError
from pocin.privacy.ledger import network_key
from pocin.privacy.settings import quantity
from pocin.roads.columns import BOOK
from pocin.roads.network import PER_TRIP, TOTAL
from pocin.roads.public import VEHICLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction
    from pathlib import Path

    from pocin.arrays import Floats
    from pocin.kinds import Document, Drawing, Exposure, Finished, Goal, Solved
    from pocin.policy import Policy
    from pocin.privacy.draws import Draws
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret
    from pocin.roads.network import Roads
    from pocin.roads.public import PublicRoads
    from pocin.roads.times import TripTimes
    from pocin.targets import Target

READINGS = TOTAL, PER_TRIP
COMPUTED = "computed"


@dataclass(frozen=True)
class RoadsKind:
    """Answers ``pocin.kinds.Kind``; the heavy modules are imported by the methods that use them.

    ``gamma`` is the time that a vehicle adds, ``times`` the figures of single trips; both are known
    once the kind is ``chosen`` for a network, and stay with it.
    """

    gamma: float | None = None
    times: TripTimes | None = field(default=None, repr=False)
    disclosed: tuple[str, ...] = ()

    name = "roads"
    formats = "a folder of GMNS tables or TNTP files, OSMnx .graphml"
    folder = True
    compared = 30_000  # the trips once more
    attacked = 30_000  # the trips some times more
    suffix = ""
    choices = ("reading", "trip_times", "gamma")
    attacks = ("slowdown",)
    book = BOOK
    values = VEHICLE
    default_alpha_value = "10veh"

    @property
    def fixed(self) -> str:
        """What is held fixed of the public part, in words."""
        times = "" if self.times is None else ", the times of single trips"
        return f"topology, travel times without traffic, origin-destination pairs, gamma{times}"

    @property
    def problem(self) -> str:
        """The problem that readers solve."""
        return "shortest paths of the trips"

    @property
    def figure(self) -> float | None:
        """The mean of the trip times that stand in for the cost figure."""
        return None if self.times is None else float(np.mean(self.times.time))

    def cases(self) -> Iterator[dict[str, Any]]:
        """Yield the built-in road networks."""
        from pocin.roads.cases import builtin

        for case in builtin().values():
            yield {name: value for name, value in vars(case).items() if name != "path"}

    def claims(self, source: str | Path) -> bool:
        """Return whether a source is a built-in road network or holds one's files."""
        from pocin.roads.files import is_roads_source

        return is_roads_source(source)

    def read(self, source: str | Path, costs: Path | None) -> tuple[Roads, float | None]:
        """Read and check roads."""
        from pocin.roads.files import read_roads

        if costs is not None:
            raise UsageError("--costs: is for power grids; leave it out")
        return read_roads(source)

    def chosen(self, choices: Mapping[str, str], content: Roads) -> RoadsKind:
        """Settle gamma and the times of trips."""
        if self.gamma is not None:
            return self
        gamma, said = _gamma(choices.get("gamma"), content)
        made = replace(self, gamma=gamma, disclosed=said)
        reading, asked = choices.get("reading", TOTAL), choices.get("trip_times")
        if reading not in READINGS:
            raise UsageError(f"--reading: expected {' or '.join(READINGS)}")
        if reading == TOTAL and asked is not None:
            raise UsageError("--trip-times: are the figures of --reading per-trip; give it too")
        return made if reading == TOTAL else made._each(asked, content)  # noqa: SLF001

    def _each(self, asked: str | None, roads: Roads) -> RoadsKind:
        """Settle the times of trips."""
        from pocin.roads import times

        assert self.gamma is not None
        if asked is None:
            raise UsageError(
                "--reading per-trip: ties each trip to its own time, for a city whose trip times "
                "are public already: give them by --trip-times FILE, or disclose the exact ones by "
                "--trip-times computed"
            )
        if asked == COMPUTED:
            said = (*self.disclosed, "the shortest time of every trip")
            return replace(self, times=times.computed(roads, self.gamma), disclosed=said)
        return replace(self, times=times.read(asked, roads))

    def holds(self, content: Roads) -> bool:
        """A published mean is of the source's gamma."""
        return self.gamma == content.gamma

    def solve(self, content: Roads) -> Solved:
        """Return the mean trip time, as a reader finds it."""
        from pocin.roads.certificate import solve

        return solve(content, self._settled)

    @property
    def _settled(self) -> float:
        """Gamma, which is known once the kind is chosen for a network."""
        assert self.gamma is not None
        return self.gamma

    def split(
        self, content: Roads, policy: Policy, only: Path | None
    ) -> tuple[PublicRoads, Secret]:
        """Cut roads in two."""
        from pocin.roads.split import split

        if only is not None:
            raise UsageError(
                "--only: is for power grids, and every link's traffic is secret; leave it out"
            )
        times = None if self.times is None else self.times.along(content.trips)
        return split(content, policy, self._settled, times)

    def amount(self, text: str, content: Roads) -> Fraction:
        """Read ``10veh`` in vehicles."""
        del content
        return quantity(text, "--alpha-value", ("veh",))[0]

    def ledger_key(self, content: Roads) -> str:
        """A digest of the links, whatever their numbers."""
        ends = np.column_stack([content.links.tail, content.links.head])
        return network_key(ends, content.links.head)

    def check_figure(self, public: PublicRoads, figure: float, beta: float) -> None:
        """Refuse times that are too short for empty roads."""
        from pocin.roads.figure import check_figure

        check_figure(public, figure, beta)

    def figure_reach(self, policy: Policy) -> Fraction | None:
        """Return the value change that costs a private figure as much as a swap does."""
        from pocin.roads.figure import reach

        return reach(policy)

    def figure_width(
        self, public: PublicRoads, secret: Secret, guarantee: Guarantee, beta: float
    ) -> float:
        """Return the half-width of the mean trip time's noise."""
        from pocin.roads.figure import width

        del secret
        return width(public, guarantee, beta)

    def private_figure(
        self, public: PublicRoads, secret: Secret, guarantee: Guarantee, noise: NoiseSource
    ) -> float:
        """Draw the mean trip time."""
        from pocin.roads.figure import private_figure

        return private_figure(public, secret, guarantee, noise)

    def finish(
        self,
        public: PublicRoads,
        draws: Draws,
        goal: Goal,
        document: Callable[[Roads], Document],
        say: Callable[[str], None],
    ) -> Finished:
        """Restore and certify."""
        from pocin.roads.finish import finish

        return finish(public, draws, goal, document, say)

    def unrestored(self, public: PublicRoads, draws: Draws) -> Roads:
        """Return the roads of the draws at the links of phase 1's assignment."""
        from pocin.privacy.location import assign
        from pocin.roads.written import on_grid, released_roads

        noisy = VEHICLE.real(draws.values)[assign(draws, public.metric)]
        return released_roads(public, on_grid(noisy))

    def write(self, content: Roads, header: tuple[str, ...]) -> Document:
        """Return the files of a network in the form that it was read in."""
        from pocin.roads.forms import write

        return write(content, header)

    def notes(self, content: Roads) -> tuple[str, ...]:
        """Return what the reader left out, and a warning of a gamma that no city has."""
        from pocin.roads.gamma import RATIO

        if RATIO not in self.disclosed:
            return content.notes
        warning = (
            "gamma is no slope of delay on traffic, for the source has no delays: under the ratio "
            "of the means drivers avoid busy roads; give --gamma VALUE if you know better"
        )
        return (*content.notes, warning)

    def twins(
        self, content: Roads, policy: Policy, only: Path | None
    ) -> Iterator[tuple[str, Roads]]:
        """Yield roads with the same public part and another secret."""
        from pocin.roads.twins import twins

        del only
        return twins(content, policy)

    def exposure(
        self, public: PublicRoads, secret: Secret, original: Roads, released: Roads
    ) -> Exposure:
        """Return what released roads show at the original's links."""
        from pocin.roads.exposure import exposure

        return exposure(public, secret, original, released)

    def leaks(
        self, source: str, original: Roads, released: Roads, document: Document, policy: Policy
    ) -> tuple[str, ...]:
        """Return what of the source is left in released files."""
        from pocin.roads.leaks import leaks

        return leaks(source, original, released, document, policy)

    def given_away(self, content: Roads, policy: Policy) -> Iterator[str]:
        """Yield what trip times, pairs and volumes tell of the traffic."""
        from pocin.roads.away import given_away

        return given_away(content, self._settled, policy)

    def target(self, content: Roads, name: str, attack: Mapping[str, str]) -> Target:
        """Return the roads as attackers meet them; gamma is the source's unless chosen."""
        from pocin.roads.damage import RoadsTarget

        settled = self.chosen({}, content)._settled  # noqa: SLF001
        return RoadsTarget.of(content, settled, attack.get("slowdown"), name)

    def reader_view(self, original: Roads, released: Roads, solve: object) -> dict[str, Any]:
        """Compare the trips' shortest times."""
        from pocin.roads.reader import reader_view

        return reader_view(original, released, self._settled, solve)

    def surrogate(self, public: PublicRoads, seed: int) -> Roads:
        """Return roads with made-up traffic."""
        from pocin.roads.surrogate import surrogate

        return surrogate(public, seed)

    def drawing(self, content: Roads) -> Drawing:
        """Return junctions, links, and the links' traffic."""
        from pocin.roads.drawing import drawing

        return drawing(content)

    def answers(
        self, public: PublicRoads, content: Roads, solve: object = None
    ) -> Mapping[str, Floats]:
        """Return the time of every trip, by origin and destination."""
        from pocin.roads.certificate import travel

        found = solve if isinstance(solve, np.ndarray) else travel(content, public.gamma)
        trips = content.trips
        return {"time of trips": found[np.lexsort((trips.destination, trips.origin))]}


def _gamma(asked: str | None, roads: Roads) -> tuple[float, tuple[str, ...]]:
    """Return gamma, and what it discloses."""
    from pocin.roads.gamma import fitted

    if asked == COMPUTED:
        gamma, said = fitted(roads.links)
        return gamma, (said,)
    if asked is None and roads.gamma is not None:
        return roads.gamma, ()
    if asked is None:
        raise UsageError(
            "--gamma: how much travel time does a vehicle add to a link, in the unit of d? Give "
            "it as a constant by --gamma VALUE, or disclose the one that fits the real traffic by "
            "--gamma computed"
        )
    try:
        gamma = float(asked)
    except ValueError:
        gamma = -1.0
    if not 0 < gamma < float("inf"):
        raise UsageError("--gamma: expected a positive number or 'computed'")
    return gamma, ()


ROADS = RoadsKind()
