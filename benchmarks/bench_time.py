# SPDX-License-Identifier: MIT
"""Where the time of a release of ieee118 goes, against one AC-OPF of the same grid in the same run.

The phases are medians over seeded releases, each beside an AC-OPF of the original; what is not a
solver's time (reading, building, writing, starting Python) is listed apart. All are seconds of the
processor but for phases 1 and 2, which are by the clock.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from drawn import Releases
from tables import children, median, seconds, table

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
    model, solver = "building the AC model of a topology", "building its AC-OPF"
    apart = {model: seconds(lambda: model_of(network.content), process_time)}
    apart[solver] = seconds(lambda: model_of(network.content).solver({}), process_time)
    opf, drawn, spent = [], [], []
    for seed in [0, *range(REPEATS)]:  # the first one builds
        opf.append(Releases.of(network, Request(seed=0)).opf_seconds())
        began = process_time()
        drawn.append(Releases.of(pocin.read(CASE), Request(seed=0)).seed(seed))
        spent.append(process_time() - began)
    apart["building the models of a release"] = spent[0] - spent[1]
    print(phases(opf[1:], drawn[1:]))
    others = (
        all_of_it - made.solver_seconds(restoring=True) - made.solver_seconds(restoring=False)
        for all_of_it, made in zip(spent[1:], drawn[1:], strict=True)
    )
    apart["all else of a release in the library, from reading on"] = median(others)
    rows = [[name, f"{value:.3f}"] for name, value in (apart | files() | starts()).items()]
    print(table(["apart from the solver", "seconds"], rows))


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
            "reading the case": typical(lambda: pocin.read(CASE), process_time),
            "formatting the release": typical(lambda: kind.write(made.network, ()), process_time),
            "reading it back for the certificate": typical(
                lambda: parse_matpower(text, "it"), process_time
            ),
            "the curator's record, and writing but for the disk": typical(
                lambda: api.write(made, target, force=True), process_time
            ),
        }


def starts() -> dict[str, float]:
    """Time the command line, a new process each: what the processor spent on it."""
    with tempfile.TemporaryDirectory() as folder:
        release = ["release", "ieee14", "-o", f"{folder}/released.m", "--force", "--quiet"]
        release += ["--ledger", f"{folder}/ledger.sqlite"]
        return {
            "`pocin --help`": typical(lambda: command("--help"), children),
            "`pocin release ieee14 -o released.m`": typical(lambda: command(*release), children),
        }


def typical(call: Callable[[], object], clock: Callable[[], float]) -> float:
    """Return the median time of a call."""
    return median(seconds(call, clock) for _ in range(STARTS))


def command(*arguments: str) -> None:
    """Run the command line in a new process."""
    pocin = [sys.executable, "-m", "pocin", *arguments]
    subprocess.run(pocin, check=True, capture_output=True)  # noqa: S603


if __name__ == "__main__":
    main()
