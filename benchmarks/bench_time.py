# SPDX-License-Identifier: MIT
"""Where the time of a release of ieee118 goes, against one AC-OPF of the same grid in the same run.

The phases are medians over seeded releases, each beside an AC-OPF of the original; what is not a
solver's time (reading, building, writing, starting Python) is listed apart.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from drawn import Releases
from tables import median, seconds, table

import pocin
from pocin import api
from pocin.plan import Request
from pocin.power.matpower import parse_matpower
from pocin.power.opf import model_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from drawn import Drawn

CASE = "ieee118"
REPEATS = 30
STARTS = 5


def main() -> None:
    """Print both tables."""
    network = pocin.read(CASE)
    apart = {
        "building the AC model of a topology": seconds(lambda: model_of(network.content)),
        "building its AC-OPF": seconds(lambda: model_of(network.content).solver(None)),
    }
    opf, drawn, walls = [], [], []
    for seed in range(-1, REPEATS):  # the first one builds
        opf.append(pocin.solve(network).seconds)
        walls.append(seconds(lambda seed=seed: drawn.append(release(max(0, seed)))))  # type: ignore[misc]
    apart["building the models of a release"] = walls[0] - walls[1]
    print(phases(opf[1:], drawn[1:]))
    others = (
        wall - made.solver_seconds(restoring=True) - made.solver_seconds(restoring=False)
        for wall, made in zip(walls[1:], drawn[1:], strict=True)
    )
    apart["all else of a release in the library, from reading on"] = median(others)
    rows = [[name, f"{spent:.3f}"] for name, spent in (apart | files() | starts()).items()]
    print(table(["apart from the solver", "seconds"], rows))


def release(seed: int) -> Drawn:
    """Read, plan, draw and finish."""
    return Releases.of(pocin.read(CASE), Request(seed=0)).seed(seed)


def phases(opf: list[float], drawn: list[Drawn]) -> str:
    """Return the times of the phases, in seconds and in AC-OPFs."""
    one = median(opf)
    columns = {
        "phase 1, shuffle": [made.seconds["phase1"] for made in drawn],
        "phase 2, noise": [made.seconds["phase2"] for made in drawn],
        "phase 3, P_CL": [made.solver_seconds(restoring=True) for made in drawn],
        "certificate": [made.solver_seconds(restoring=False) for made in drawn],
    }
    columns["all"] = [sum(parts) for parts in zip(*columns.values(), strict=True)]
    rows = [
        [name, f"{median(spent):.4f}", f"{median(spent) / one:.2f}", f"{max(spent) / one:.2f}"]
        for name, spent in ({"one AC-OPF of the original": opf} | columns).items()
    ]
    return table([f"{CASE}, {len(drawn)} releases", "median s", "AC-OPFs", "largest"], rows)


def files() -> dict[str, float]:
    """Time reading, formatting and writing."""
    made = pocin.release(pocin.read(CASE), seed=0)
    text = made.document[""].decode()
    kind = made.diagnostics.plan.kind
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "released.m"
        return {
            "reading the case": typical(lambda: pocin.read(CASE)),
            "formatting the release": typical(lambda: kind.write(made.network, ())),
            "reading it back for the certificate": typical(lambda: parse_matpower(text, "it")),
            "writing the three files": typical(lambda: api.write(made, target, force=True)),
        }


def starts() -> dict[str, float]:
    """Time the command line, a new process each."""
    with tempfile.TemporaryDirectory() as folder:
        release = ["release", "ieee14", "-o", f"{folder}/released.m", "--force", "--quiet"]
        release += ["--ledger", f"{folder}/ledger.sqlite"]
        return {
            "`pocin --help`": typical(lambda: command("--help")),
            "`pocin release ieee14 -o released.m`": typical(lambda: command(*release)),
        }


def typical(call: Callable[[], object]) -> float:
    """Return the median time of a call."""
    return median(seconds(call) for _ in range(STARTS))


def command(*arguments: str) -> None:
    """Run the command line in a new process."""
    pocin = [sys.executable, "-m", "pocin", *arguments]
    subprocess.run(pocin, check=True, capture_output=True)  # noqa: S603


if __name__ == "__main__":
    main()
