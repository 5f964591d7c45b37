# SPDX-License-Identifier: MIT
"""The public test networks as plain columns, read independently of the product's own reader."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pocin.roads.assignment import Delay
from pocin.roads.paths import TripPaths

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "roads" / "tntp"
FILES = {
    "SiouxFalls": ("SiouxFalls/SiouxFalls", 1),
    "Anaheim": ("Anaheim/Anaheim", 39),
    "Chicago-Sketch": ("Chicago-Sketch/ChicagoSketch", 1),
}
"""Where they are, and the first node that is no zone."""


@dataclass
class Network:
    tail: np.ndarray
    head: np.ndarray
    no_through: np.ndarray
    delay: Delay
    ends: np.ndarray
    volume: np.ndarray
    best_known: np.ndarray

    def paths(self, threads=1):
        links = self.tail, self.head, len(self.no_through), self.no_through
        return TripPaths.of(*links, *self.ends.T, threads=threads)


def rows(path):
    lines = [line.replace(";", " ").split() for line in path.read_text().splitlines()]
    return [line for line in lines if line and line[0].isdigit()]


def trips(path):
    found, origin = [], 0
    for line in path.read_text().splitlines():
        if line.startswith("Origin"):
            origin = int(line.split()[1])
        elif origin:
            pairs = re.findall(r"(\d+)\s*:\s*([\d.]+)", line)
            found += [(origin, int(d), float(volume)) for d, volume in pairs]
    return np.array([trip for trip in found if trip[2] > 0.0])


def network(name):
    place, first = FILES[name]
    if not (DATA / f"{place}_net.tntp").exists():
        pytest.skip("shared/data/roads is not beside the repository")
    table = np.array([line[:7] for line in rows(DATA / f"{place}_net.tntp")], dtype=float)
    ends = table[:, :2].astype(int) - 1
    flow = np.array([line[:3] for line in rows(DATA / f"{place}_flow.tntp")], dtype=float)
    assert (flow[:, :2] == table[:, :2]).all()
    demand = trips(DATA / f"{place}_trips.tntp")
    return Network(
        *ends.T.copy(),
        np.arange(ends.max() + 1) < first - 1,
        Delay(table[:, 4], table[:, 2], table[:, 5], table[:, 6]),
        demand[:, :2].astype(int) - 1,
        demand[:, 2].copy(),
        flow[:, 2],
    )
