# SPDX-License-Identifier: MIT
"""Write the built-in case siouxfalls from the figures that LeBlanc published.

L. J. LeBlanc, E. K. Morlok, W. P. Pierskalla, "An efficient approach to solving the road network
equilibrium traffic assignment problem", Transportation Research 9 (1975) 309-318: 24 nodes, 38
streets with one link a direction, time a + b v^4 in 0.01 h at v vehicles a day, and a trip table.
The traffic is our own equilibrium assignment of that table.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pocin.roads.assignment import Delay, assign
from pocin.roads.cases import __file__ as cases
from pocin.roads.certificate import solve
from pocin.roads.gamma import fitted
from pocin.roads.gmns import write
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.paths import TripPaths

# from, to, a in 0.01 h, b in 1e-18 x 0.01 h: both directions alike
STREETS = """
1 2 6 2      1 3 4 2      2 6 5 1241   3 4 4 7      3 12 4 2     4 5 2 3
4 11 6 1550  5 6 4 1001   5 9 5 75     6 8 2 521    7 8 3 119    7 18 2 1
8 9 10 2306  8 16 5 1157  9 10 3 12    10 11 5 75   10 15 6 27   10 16 4 1080
10 17 8 1930 11 12 6 1550 11 14 4 1061 12 13 3 1    13 24 4 893  14 15 5 1085
14 23 4 1020 15 19 3 10   15 22 3 53   16 17 2 401  16 18 3 3    17 19 2 554
18 20 4 2    19 20 4 958  20 21 6 1373 20 22 5 1130 21 22 2 401  21 24 3 790
22 23 4 960  23 24 2 451
"""
# trips a day from each node to each node, in hundreds
TRIPS = """
0 1 1 5 2 3 5 8 5 13 5 2 5 3 5 5 4 1 3 3 1 4 3 1
1 0 1 2 1 4 2 4 2 6 2 1 3 1 1 4 2 0 1 1 0 1 0 0
1 1 0 2 1 3 1 2 1 3 3 2 1 1 1 2 1 0 0 0 0 1 1 0
5 2 2 0 5 4 4 7 7 12 14 6 6 5 5 8 5 1 2 3 2 4 5 2
2 1 1 5 0 2 2 5 8 10 5 2 2 1 2 5 2 0 1 1 1 2 1 0
3 4 3 4 2 0 4 8 4 8 4 2 2 1 2 9 5 1 2 3 1 2 1 1
5 2 1 4 2 4 0 10 6 19 5 7 4 2 5 14 10 2 4 5 2 5 2 1
8 4 2 7 5 8 10 0 8 16 8 6 6 4 6 22 14 3 7 9 4 5 3 2
5 2 1 7 8 4 6 8 0 28 14 6 6 6 9 14 9 2 4 6 3 7 5 2
13 6 3 12 10 8 19 16 28 0 40 20 19 21 40 44 39 7 18 25 12 26 18 8
5 2 3 15 5 4 5 8 14 39 0 14 10 16 14 14 10 1 4 6 4 11 13 6
2 1 2 6 2 2 7 6 6 20 14 0 13 7 7 7 6 2 3 4 3 7 7 5
5 3 1 6 2 2 4 6 6 19 10 13 0 6 7 6 5 1 3 6 6 13 8 8
3 1 1 5 1 1 2 4 6 21 16 7 6 0 13 7 7 1 3 5 4 12 11 4
5 1 1 5 2 2 5 6 10 40 14 7 7 13 0 12 15 2 8 11 8 26 10 4
5 4 2 8 5 9 14 22 14 44 14 7 6 7 12 0 28 5 13 16 6 12 5 3
4 2 1 5 2 5 10 14 9 39 10 6 5 7 15 28 0 6 17 17 6 17 6 3
1 0 0 1 0 1 2 3 2 7 2 2 1 1 2 5 6 0 3 4 1 3 1 0
3 1 0 2 1 2 4 7 4 18 4 3 3 3 8 13 17 3 0 12 4 12 3 1
3 1 0 3 1 3 5 9 6 25 6 5 6 5 11 16 17 4 12 0 12 24 7 4
1 0 0 2 1 1 2 4 3 12 4 3 6 4 8 6 6 1 4 12 0 18 7 5
4 1 1 4 2 2 5 5 7 26 11 7 13 12 26 12 17 3 12 24 18 0 21 11
3 0 1 5 1 1 2 3 5 18 13 7 8 11 10 5 6 1 3 7 7 21 0 7
1 0 0 2 0 1 1 2 2 8 6 5 7 4 4 3 3 0 1 4 5 11 7 0
"""
NODES = 24
B, POWER = 0.15, 4.0
GAP = 1e-8
TITLE = "Sioux Falls, 24 nodes (LeBlanc 1975)"
UNITS = Units("0.01 h", "none", "veh/day")
OUT = Path(cases).parent


def roads() -> Roads:
    """Return the network with its equilibrium traffic, in whole vehicles."""
    street = np.array(STREETS.split(), dtype=np.float64).reshape(-1, 4)
    both = np.concatenate([street, street[:, [1, 0, 2, 3]]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    tail, head = both[:, 0].astype(np.int64), both[:, 1].astype(np.int64)
    d, capacity = both[:, 2], np.round((B * both[:, 2] / (both[:, 3] * 1e-18)) ** 0.25)
    table = 100.0 * np.array(TRIPS.split(), dtype=np.float64).reshape(NODES, NODES)
    origin, destination = np.nonzero(table)
    volume = table[origin, destination]
    none, b, power = np.full(len(d), np.nan), np.full(len(d), B), np.full(len(d), POWER)
    closed = np.zeros(NODES, dtype=bool)
    paths = TripPaths.of(tail - 1, head - 1, NODES, closed, origin, destination, threads=1)
    found = assign(paths, volume, Delay(d, capacity, b, power), gap=GAP, rounds=20_000)
    ids, unknown = np.arange(1, NODES + 1), np.full(NODES, np.nan)
    traffic = np.round(found.traffic)
    return Roads(
        Nodes(ids, unknown, unknown, np.full(NODES, NO_ZONE), closed),
        Links(np.arange(1, len(d) + 1), tail, head, d, none, traffic, capacity, b, power, none),
        Trips(origin + 1, destination + 1, volume),
        UNITS,
    )


def main() -> None:
    """Write the tables, what they say of themselves, and the entry in the list of cases."""
    made = roads()
    gamma = float(f"{fitted(made.links)[0]:.2g}")
    folder = OUT / "siouxfalls"
    folder.mkdir(exist_ok=True)
    for name, data in write(made).items():
        (folder / name).write_bytes(data)
    about = {"title": TITLE, "gamma": gamma, "units": vars(UNITS)}
    (folder / "network.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    entry = {
        "name": "siouxfalls",
        "title": TITLE,
        "published": float(f"{solve(made, gamma).cost:.6g}"),
        "nodes": NODES,
        "links": len(made.links),
        "trips": len(made.trips),
    }
    (OUT / "cases.json").write_text(json.dumps([entry], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
