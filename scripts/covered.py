# SPDX-License-Identifier: MIT
"""Branch coverage of `pocin` by its quick tests, workers and child processes included.

    python scripts/covered.py [PYTEST ARGUMENTS]

The tests run twice: as they stand, and those of the compiled loops once more with numba switched
off, for coverage cannot see machine code. Prints the lines and branches that were missed, and two
figures: of lines and branches together, and of branches alone. Exit code 1 where a test failed or
one of them is under `fail_under` of .coveragerc. Needs `coverage`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
COVERAGE = (sys.executable, "-m", "coverage")
RC = f"--rcfile={ROOT / '.coveragerc'}"
QUICK = ("-m", "not slow", "--ignore=tests/faults")
"""Those of faults end processes, and bound their time and memory, which a tracer counts against."""

COMPILED = (
    "tests/privacy/test_metric.py",
    "tests/privacy/test_proposals.py",
    "tests/privacy/test_transport.py",
    "tests/roads/test_bound.py",
    "tests/roads/test_paths.py",
    "tests/roads/test_projection.py",
    "tests/metamorphic/test_labels.py",
)
"""Tests of small networks that go through every compiled loop."""

LARGE = (
    "large scipy_finds any_number_of_threads rounding_is compiled_twice some_trips many_sites "
    "system x1 x2 siouxfalls ieee rich town"
)
"""Words in the names of those that would take too long without numba, or need no loop of it."""


def main() -> int:
    """Run, combine, report."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    # The tests of Ctrl-C need it, and a shell lets what it starts in the background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    failed = _tests(*(sys.argv[1:] or QUICK))
    small = " and ".join(f"not {word}" for word in LARGE.split())
    failed |= _tests("-m", "not slow", "-k", small, *COMPILED, NUMBA_DISABLE_JIT="1")
    _coverage("combine", "-q", str(BUILD))
    _coverage("report", "--show-missing", "--skip-covered")
    _coverage("json", "-q", "-o", str(BUILD / "coverage.json"))
    return int(_told() | failed)


def _tests(*words: str, **environment: str) -> bool:
    """Run tests under coverage; return whether any failed."""
    words = ("run", RC, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words)
    return _coverage(*words, **environment) != 0


def _coverage(*words: str, **environment: str) -> int:
    """Run coverage with its data beside the other builds, one thread for the linear algebra."""
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    env = os.environ | one | {"COVERAGE_FILE": str(BUILD / "data")} | environment
    if RC not in words:
        words = (words[0], RC, *words[1:])
    return subprocess.run([*COVERAGE, *words], cwd=ROOT, env=env, check=False).returncode  # noqa: S603


def _told() -> bool:
    """Print both figures; return whether one is too low."""
    totals = json.loads((BUILD / "coverage.json").read_text("utf-8"))["totals"]
    both = float(totals["percent_covered"])
    alone = float(totals["percent_branches_covered"])
    print(
        f"{totals['num_statements']} lines and {totals['num_branches']} branches: "
        f"{both:.2f} % together, {alone:.2f} % of branches"
    )
    settings = ConfigParser()
    settings.read(ROOT / ".coveragerc", "utf-8")
    return min(both, alone) < settings.getfloat("report", "fail_under")


if __name__ == "__main__":
    sys.exit(main())
