# SPDX-License-Identifier: MIT
"""How long `pocin audit` takes, as a reviewer calls it, and whether all gates hold.

    OMP_NUM_THREADS=1 python benchmarks/bench_audit.py

Processor seconds (user and system) of the whole command, and seconds by the clock; the clock runs
on while others use the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from time import perf_counter

from tables import table

COMMANDS = {
    "ieee14": 30,
    "ieee14 --mechanism permutation": None,
    "ieee118": 60,
    "ieee118 --mechanism permutation": None,
    "ieee300": None,
    "siouxfalls": None,
    "siouxfalls --reading per-trip --trip-times computed": None,
}
"""What is audited, and the seconds that it may take."""


def row(command: str, most: int | None) -> list[str]:
    """Run one audit in a process of its own."""
    words = [sys.executable, "-m", "pocin", "audit", *command.split(), "--json", "--quiet"]
    before, began = os.times(), perf_counter()
    ended = subprocess.run(words, check=False, capture_output=True)  # noqa: S603  (our own words)
    clock, after = perf_counter() - began, os.times()
    spent = sum(after[2:4]) - sum(before[2:4])
    gates = [f for f in json.loads(ended.stdout)["findings"] if f["passed"] is not None]
    held = sum(gate["passed"] for gate in gates)
    assert ended.returncode == 0, command
    assert most is None or spent < most, command
    allowed = "" if most is None else f"{most}"
    return [f"`{command}`", f"{held} of {len(gates)}", f"{spent:.1f}", f"{clock:.1f}", allowed]


def main() -> None:
    """Print the table."""
    heads = ["pocin audit", "gates that hold", "processor s", "clock s", "allowed"]
    print(table(heads, [row(command, most) for command, most in COMMANDS.items()]))


if __name__ == "__main__":
    main()
