# SPDX-License-Identifier: MIT
"""``python -m fuzz TARGET... --runs N``: fuzz, one process after the other, and print a table."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fuzz.targets import NAMES

_COVERED = re.compile(r"#\d+\s+\w+\s+cov: (\d+) ft: (\d+)")
_LEAST = 0.2


def main() -> int:
    """Fuzz the targets named; 1 where a fault was found, 2 where that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(NAMES)}; else all"
    )
    parser.add_argument("--runs", type=int, default=1_000_000, help="executions of each target")
    parser.add_argument("--seed", type=int, default=1, help="what the search begins from")
    parser.add_argument(
        "--folder", type=Path, default=Path("build/fuzz"), help="for logs and faults"
    )
    given = parser.parse_args()
    if unknown := set(given.targets) - set(NAMES):
        parser.error(
            f"there is no target {', '.join(sorted(unknown))}; choose of {', '.join(NAMES)}"
        )
    if find_spec("atheris") is None:
        print(
            "Fuzzing needs atheris, which has wheels for Linux: pip install atheris",
            file=sys.stderr,
        )
        return 2
    head = ("reader", "executions", "reached", "built", "refused", "faulty", "seconds", "coverage")
    print(("{:12}" + 7 * "{:>12}").format(*head), flush=True)
    found = [
        run(name, given.runs, given.folder / name, given.seed) for name in given.targets or NAMES
    ]
    return int(any(found))


def run(name: str, runs: int, folder: Path, seed: int) -> bool:
    """Fuzz one target, print its row, and return whether anything is amiss."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    words = [sys.executable, "-m", "fuzz.engine", name, str(runs), str(folder), str(seed)]
    with (folder / "log.txt").open("wb") as log:
        code = subprocess.run(words, stdout=log, stderr=log, check=False).returncode  # noqa: S603
    told = (folder / "log.txt").read_text("utf-8", errors="replace")
    counts: dict[str, Any] = {"executions": 0, "places": {}}
    if (folder / "counts.json").exists():
        counts |= json.loads((folder / "counts.json").read_text("utf-8"))
    covered = _COVERED.findall(told)
    grown = f"{covered[0][0]}-{covered[-1][0]}" if covered else "-"
    row = [
        f"{counts.get(key, 0):,}" for key in ("executions", "reached", "built", "refused", "faulty")
    ]
    print(
        f"{name:12}" + "".join(f"{cell:>12}" for cell in (*row, counts.get("seconds", 0), grown)),
        flush=True,
    )
    for place, count in counts["places"].items():
        print(f"  fault: {place}, {count} times; see {folder}")
    if code:
        print(f"  the process ended with {code} (a hang, or no memory); see {folder}/log.txt")
    few = counts.get("reached", 0) < _LEAST * counts["executions"]
    if few:
        print("  fewer than one in five reached the builder of the network")
    return bool(counts["places"]) or code != 0 or few


if __name__ == "__main__":
    sys.exit(main())
