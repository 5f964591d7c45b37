# SPDX-License-Identifier: MIT
"""Equilibrium traffic beside the flows published for the test networks, and making a city.

    OMP_NUM_THREADS=1 python benchmarks/bench_traffic.py

The published flows are the best known ones; Chicago-Sketch's count tolls and lengths besides times,
which ours leave out. Times are CPU seconds of this process.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from tables import table

from pocin.roads.assignment import recomputed, share_found
from pocin.roads.city import make_city
from pocin.roads.files import read_roads

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "roads" / "tntp"
NAMES = ("SiouxFalls", "Anaheim", "Chicago-Sketch")
GAPS = (1e-3, 1e-4, 1e-5)
ROUNDS = 1000
CITIES = ((17_000, 8_000), (40_000, 100_000))


def compared(name: str) -> Iterator[list[str]]:
    """Yield a row for every gap."""
    roads = read_roads(DATA / name)[0]
    recomputed(roads, gap=1.0)  # compile
    known = roads.links.volume
    for gap in GAPS:
        began = process_time()
        found = recomputed(roads, gap=gap, rounds=ROUNDS)
        spent = process_time() - began
        off = np.abs(found.traffic - known)
        yield [
            name,
            f"{found.gap:.1e}",
            str(found.rounds),
            f"{spent:.2f}",
            f"{100 * off.sum() / known.sum():.2f} %",
            f"{100 * off.max() / known.max():.2f} %",
            f"{100 * share_found(found.traffic, known):.0f} %",
        ]


def made(links: int, trips: int) -> list[str]:
    """Make a city, and say how it is."""
    began = process_time()
    roads = make_city(links, trips, 1)
    spent = process_time() - began
    t, found = roads.links.volume, recomputed(roads, gap=1e-3)
    return [
        f"{links:,}",
        f"{trips:,}",
        f"{len(roads.nodes):,}",
        f"{spent:.1f}",
        f"{t @ roads.links.cost / (t @ roads.links.d):.2f}",
        f"{(t / roads.links.capacity).max():.2f}",
        f"{100 * share_found(found.traffic, t):.0f} %",
    ]


def main() -> None:
    """Print the tables."""
    heads = ["network", "relative gap", "rounds", "CPU s", "sum off", "largest off", "50 busiest"]
    if DATA.exists():
        print(table(heads, [row for name in NAMES for row in compared(name)]))
    heads = ["made city, links", "trips", "nodes", "CPU s", "time over free-flow time"]
    heads += ["fullest link", "50 busiest"]
    print(table(heads, [made(*size) for size in CITIES]))


if __name__ == "__main__":
    main()
