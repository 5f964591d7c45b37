# SPDX-License-Identifier: MIT
"""How much faster two workers are than one, on 200 releases of ieee118; start-up is left out.

    python benchmarks/bench_study.py

The clock runs from when every worker has given its first results to the last result. Beside it
stand the processor's seconds: of the releases in the workers and of the study itself, which hold
however busy the machine is. What two free cores would give is the one worker's seconds over half
of all that is spent with two.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time

from tables import table

from pocin.study.engine import carry_out
from pocin.study.executors import Processes
from pocin.study.grid import Study, load
from pocin.study.store import read

RELEASES = 200
WARM = 20
"""Results after which every worker is taken to be up: its models are built."""

GRID = f"""
[[grid]]
case = "ieee118"
alpha_location = "10%"
runs = {RELEASES + WARM}
"""


@dataclass
class Clock:
    """Hears of every result."""

    clock: dict[int, tuple[float, float]] = field(default_factory=dict)

    def __call__(self, done: int, of: int) -> None:
        """Note when."""
        del of
        self.clock[done] = perf_counter(), process_time()

    def between(self, kind: int) -> float:
        """Seconds from the warm start to the end."""
        return self.clock[RELEASES + WARM][kind] - self.clock[WARM][kind]


def run(study: Study, folder: Path, workers: int) -> tuple[float, float, float]:
    """Return the seconds by the clock, of the releases, and of the study itself."""
    hears = Clock()
    carry_out(study, folder, Processes(workers), hears)
    spent = read(folder, "timings")["processor"].to_numpy()
    return hears.between(0), float(spent.mean()) * RELEASES, hears.between(1)


def main() -> None:
    """Print the table and the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(GRID, encoding="utf-8")
        study = load(path)
        found = {n: run(study, Path(folder) / f"by{n}", n) for n in (1, 2)}
    rows = [[str(n), *(f"{seconds:.1f}" for seconds in times)] for n, times in found.items()]
    print(table(["workers", "clock s", "releases, processor s", "study, processor s"], rows))
    one, two = found[1], found[2]
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"By the clock: {one[0] / two[0]:.2f} times as fast (load {load_average:.1f}).")
    free = max(one[1], one[2]) / (sum(two[1:]) / 2)
    print(f"On two free cores, by processor time: {free:.2f} times.")


if __name__ == "__main__":
    main()
