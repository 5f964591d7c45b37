# SPDX-License-Identifier: MIT
"""``python -m fuzz TARGET... --runs N``: fuzz, one process after the other, and print a table."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from fuzz.targets import NAMES

_COVERED = re.compile(r"#\d+\s+\w+\s+cov: (\d+) ft: \d+")
_COLUMNS = ("executions", "reached", "built", "refused", "faulty", "seconds")
_LEAST = 0.2
_MISSING = "Fuzzing needs atheris, which has wheels for Linux and macOS: pip install atheris"


def main() -> int:
    """Fuzz the targets named; 1 where a fault was found, 2 where that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(NAMES)}; or all")
    parser.add_argument("--runs", type=int, default=1_000_000, help="executions of each target")
    parser.add_argument("--seed", type=int, default=1, help="what the search begins from")
    parser.add_argument("--folder", type=Path, default=Path("build/fuzz"), help="for what is found")
    parser.add_argument("--resume", action="store_true", help="go on up to the number of runs")
    parser.add_argument("--show", action="store_true", help="only print what the folder holds")
    given = parser.parse_args()
    names = given.targets or list(NAMES)
    if unknown := set(names) - set(NAMES):
        parser.error(f"there is no target {', '.join(sorted(unknown))}; choose {', '.join(NAMES)}")
    if find_spec("atheris") is None and not given.show:
        sys.stderr.write(f"{_MISSING}\n")
        return 2
    _say(f"{'reader':12}", *(f"{name:>12}" for name in (*_COLUMNS, "coverage")))
    amiss = False
    for name in names:
        folder = given.folder / name
        if not given.show:
            _run(name, given.runs, folder, given.seed, resume=given.resume)
        amiss |= _told(name, folder)
    return int(amiss)


def _run(name: str, runs: int, folder: Path, seed: int, *, resume: bool) -> None:
    """Fuzz one target in a process of its own."""
    if not resume:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-m", "fuzz.engine", name, str(runs), str(folder), str(seed)]
    with (folder / "log.txt").open("ab") as log:
        code = subprocess.run(words, stdout=log, stderr=log, check=False).returncode  # noqa: S603
    if code:
        _say(f"{name}: the process ended with {code} (a hang, or no memory); see {folder}/log.txt")


def _told(name: str, folder: Path) -> bool:
    """Print a target's row, and return whether anything is amiss."""
    if not (folder / "counts.json").exists():
        _say(f"{name:12} has no counts in {folder}")
        return True
    counts = json.loads((folder / "counts.json").read_text("utf-8"))
    log = folder / "log.txt"
    covered = _COVERED.findall(log.read_text("utf-8", errors="replace")) if log.exists() else []
    grown = f"{covered[0]}-{covered[-1]}" if covered else "-"
    cells = [*(f"{counts.get(column, 0):,}" for column in _COLUMNS), grown]
    _say(f"{name:12}", *(f"{cell:>12}" for cell in cells))
    for place, count in counts["places"].items():
        _say(f"  fault: {place}, {count} times; see {folder}")
    few = counts.get("reached", 0) < _LEAST * counts["executions"]
    if few:
        _say("  fewer than one in five reached the builder of the network")
    return few or bool(counts["places"])


def _say(*words: str) -> None:
    """Print a line."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
