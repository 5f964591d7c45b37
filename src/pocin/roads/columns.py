# SPDX-License-Identifier: MIT
"""The columns of a road network and its named policies.

Whoever knows the demand and the capacities computes the traffic without any release, by an
equilibrium assignment; so both are dropped by default, and with them all that tells of them.
"""

from __future__ import annotations

from pocin.policy import Column, Policy, PolicyBook, Treatment

_S, _P, _D = Treatment.SECRET, Treatment.PUBLIC, Treatment.DROPPED

COORDINATES, LENGTH = "node.coordinates", "link.length"
VOLUME, CAPACITY, DELAY = "link.volume", "link.capacity", "link.b,power"
DEMAND = "demand.volume"

_TABLE: tuple[tuple[Column, Treatment], ...] = (
    (Column("node.id", "node numbers", (_P,)), _P),
    (Column(COORDINATES, "where nodes lie", (_P, _D)), _P),
    (Column("node.zone", "zones, and which no trip may cross", (_P,)), _P),
    (Column("node.other", "names, kinds, controls", (_D,)), _D),
    (Column("link.id", "sites: the links, their numbers and ends", (_P,)), _P),
    (Column("link.d", "travel time without traffic: free-flow time, else length", (_P,)), _P),
    (Column(LENGTH, "lengths", (_P, _D)), _P),
    (Column(VOLUME, "traffic and where it is", (_S,)), _S),
    (Column(CAPACITY, "capacities", (_D, _P)), _D),
    (Column(DELAY, "how travel time grows with traffic", (_D, _P)), _D),
    (Column("link.cost", "travel times with the traffic", (_D,)), _D),
    (Column("link.other", "names, classes, lanes, speeds, tolls, geometry", (_D,)), _D),
    (Column("demand.pairs", "origin-destination pairs, each once", (_P,)), _P),
    (Column(DEMAND, "how many take each pair", (_D, _P)), _D),
    (Column("file", "name, comments, row order, other tables", (_D,)), _D),
)

CONSTANTS = {"cap": 50_000.0}

_BASE = {column.name: treatment for column, treatment in _TABLE}

BOOK = PolicyBook(
    columns=tuple(column for column, _ in _TABLE),
    policies={
        "pairs": Policy("pairs", _BASE, CONSTANTS),
        "demand": Policy("demand", {**_BASE, CAPACITY: _P, DELAY: _P, DEMAND: _P}, CONSTANTS),
    },
    default="pairs",
    bounds={"cap": (1.0, 1e9)},
)
