# SPDX-License-Identifier: MIT
"""What the benchmarks share: the cases by name, Markdown tables, and medians of timed calls."""

from __future__ import annotations

import os
import statistics
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from pocin.power.cases import builtin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data" / "power"

NESTA = {"nesta14": "244.05", "nesta30": "204.97", "nesta57": "1143.27", "nesta118": "3718.64"}
"""The NESTA cases and their published AC optima; their files are not part of the repository."""


def source(name: str) -> str:
    """Return what ``pocin.read`` takes for a case's name."""
    if name in NESTA:
        return str(DATA / f"nesta_case{name.removeprefix('nesta')}_ieee.m")
    return name


def absent(name: str) -> str | None:
    """Say why a case cannot be run; None where it can."""
    if name in NESTA and not Path(source(name)).exists():
        return "skipped: its file is not beside the repository (shared/data/power)"
    return None


def cases(names: Iterable[str]) -> list[str]:
    """Keep the cases that can be run, and say which cannot."""
    kept = []
    for name in names:
        if why := absent(name):
            print(f"{name}: {why}\n")
        else:
            kept.append(name)
    return kept


def all_cases() -> list[str]:
    """Name the built-in and the NESTA cases."""
    return [*builtin(), *NESTA]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; every column but the first is aligned right."""
    lines = [headings, ["---", *["---:"] * (len(headings) - 1)], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def seconds(call: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Time one call."""
    began = clock()
    call()
    return clock() - began


def children() -> float:
    """Return the processor seconds of the commands that have ended, a clock of what they take."""
    return sum(os.times()[2:4])


def median(values: Iterable[float]) -> float:
    """Return the median, or nan of nothing."""
    kept = list(values)
    return statistics.median(kept) if kept else float("nan")
