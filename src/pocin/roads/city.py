# SPDX-License-Identifier: MIT
"""A made city: streets of a hierarchy, gravity demand, traffic by equilibrium. All from a seed.

Demand: pairs are drawn with Pr proportional to people(o) jobs(d) exp(-distance / reach), where
people and jobs thin out from the centre. Volumes vary from pair to pair; their scale fills one lane
of the main roads, but for the busiest, when everybody takes the free-flow shortest path.

Lanes: as that traffic needs, less what every city lags behind. Traffic: the equilibrium of the
demand, and on every link some local traffic besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import UsageError
from pocin.privacy.noise import SeededNoise
from pocin.roads.assignment import Delay, assign
from pocin.roads.gamma import fitted
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.paths import TripPaths
from pocin.roads.streets import LOCAL, Streets, laid

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints

_FEWEST = 40  # links
_SPEED = np.array([35.0, 55.0, 50.0, 100.0])  # km/h, by kind of street
_LANE = np.array([600.0, 900.0, 1500.0, 2000.0])  # veh/h
_WAIT = np.array([0.1, 0.1, 0.0, 0.0])  # minutes at the junction
_B, _POWER = 0.15, 4.0
_SPARE = 0.8  # of the main roads would do with one lane
_BUILT = 0.55  # of the lanes that free-flow traffic needs
_GAP, _ROUNDS = 1e-3, 40  # of the assignment
_UNITS = Units("min", "m", "veh/h")


def make_city(links: int, trips: int, seed: int) -> Roads:
    """Make a city with so many directed links and trips; the same for the same seed."""
    if links < _FEWEST:
        raise UsageError(f"--links {links}: a city needs at least {_FEWEST}")
    noise = SeededNoise(seed)
    streets = laid(links, noise)
    most = streets.grid * (streets.grid - 1) // 4
    if not 0 < trips <= most:
        raise UsageError(f"--trips {trips}: with {links} links from 1 to {most} are possible")
    length, free = _links(streets, noise)
    ends, volume = _demand(streets, trips, noise)
    nobody = np.zeros(len(streets.place), dtype=bool)
    paths = TripPaths.of(streets.tail, streets.head, len(nobody), nobody, *ends.T)
    volume, capacity = _scaled(volume, paths.loads(free, volume), streets.kind)
    delay = Delay(free, capacity, np.full(links, _B), np.full(links, _POWER))
    traffic = assign(paths, volume, delay, gap=_GAP, rounds=_ROUNDS).traffic
    local = _LANE[streets.kind] * noise.generator.uniform(0.002, 0.02, links)
    return _tables(streets, (length, np.ceil(traffic + local)), delay, (ends, volume))


def _links(streets: Streets, noise: SeededNoise) -> tuple[Floats, Floats]:
    """Return the lengths in metres, and the free-flow times in minutes."""
    span = streets.place[streets.tail] - streets.place[streets.head]
    length = np.hypot(*span.T) * noise.generator.uniform(1.0, 1.1, len(span))
    length = np.round(np.maximum(length, 1.0), 1)
    free = np.round(0.06 * length / _SPEED[streets.kind] + _WAIT[streets.kind], 4)
    return length, free


def _demand(streets: Streets, trips: int, noise: SeededNoise) -> tuple[Ints, Floats]:
    """Draw pairs of homes, each once, and a volume for each."""
    rng, home = noise.generator, streets.place[: streets.grid]
    far = np.hypot(*home.T) / streets.radius
    people = np.exp(-2.0 * far) * rng.lognormal(0.0, 0.5, len(home))
    jobs = np.exp(-4.0 * far) * rng.lognormal(0.0, 1.0, len(home))
    reach = 0.4 * streets.radius
    found = np.empty(0, dtype=np.int64)
    while len(found) < trips:
        o = rng.choice(len(home), 2 * trips, p=people / people.sum())
        d = rng.choice(len(home), 2 * trips, p=jobs / jobs.sum())
        apart = np.hypot(*(home[o] - home[d]).T)
        kept = (o != d) & (rng.random(len(o)) < np.exp(-apart / reach))
        drawn = np.concatenate((found, (o * len(home) + d)[kept]))
        found = drawn[np.sort(np.unique(drawn, return_index=True)[1])]  # in order of drawing
    ends = np.stack(np.divmod(np.sort(found[:trips]), len(home)), axis=1)
    return ends, rng.lognormal(0.0, 0.7, trips)


def _scaled(volume: Floats, load: Floats, kind: Ints) -> tuple[Floats, Floats]:
    """Return the volumes to one decimal, and the capacities, given the load of unscaled volumes."""
    lanes = load / _LANE[kind]
    main = (load > 0.0) & (kind != LOCAL)
    scale = 1.0 / float(np.quantile(lanes[main if main.any() else load > 0.0], _SPARE))
    built = np.maximum(1.0, np.ceil(_BUILT * scale * lanes))
    return np.maximum(np.round(volume * scale, 1), 0.1), built * _LANE[kind]


def _tables(
    streets: Streets, known: tuple[Floats, Floats], delay: Delay, demand: tuple[Ints, Floats]
) -> Roads:
    """Number nodes and links from 1, and put all into tables."""
    (length, traffic), (ends, volume) = known, demand
    x, y = np.round(streets.place, 1).T
    every = np.arange(1, len(x) + 1)
    nodes = Nodes(every, x, y, np.full(len(x), NO_ZONE), np.zeros(len(x), dtype=bool))
    links = Links(
        np.arange(1, len(length) + 1),
        streets.tail + 1,
        streets.head + 1,
        delay.free,
        length,
        traffic,
        delay.capacity,
        delay.b,
        delay.power,
        np.round(delay.times(traffic), 4),
    )
    trips = Trips(ends[:, 0] + 1, ends[:, 1] + 1, volume)
    gamma = float(f"{fitted(links)[0]:.2g}")  # no disclosure: there is no such city
    return Roads(nodes, links, trips, _UNITS, gamma)
