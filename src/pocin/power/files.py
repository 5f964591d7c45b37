# SPDX-License-Identifier: MIT
"""The one door for power grids: a built-in case's name, ``pglib:NAME`` or a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError
from pocin.kinds import RECORD, STATEMENT
from pocin.power.cases import builtin, pglib_case
from pocin.power.checks import check
from pocin.power.costs import read_costs
from pocin.power.formats import read_foreign
from pocin.power.matpower import read_matpower
from pocin.power.mfile import read_text

if TYPE_CHECKING:
    from pocin.power.grid import Grid

PGLIB = "pglib:"
SUFFIXES = (".m", ".raw", ".json")


def is_grid_source(source: str | Path) -> bool:
    """Tell whether a source names a power grid, by its name alone."""
    name = str(source)
    known = name in builtin() or name.startswith(PGLIB)
    return known or (Path(name).suffix.lower() in SUFFIXES and not Path(name).is_dir())


def read_grid(source: str | Path, costs: Path | None = None) -> tuple[Grid, float | None]:
    """Return the checked grid, and the AC optimum that its archive prints if it is a known case.

    ``costs`` is a CSV file of cost curves that replace the source's; a published optimum does not
    hold for them.
    """
    path, published = _located(source)
    read = read_matpower if path.suffix.lower() == ".m" else read_foreign
    grid = read(path, need_costs=costs is None)
    if costs is not None:
        grid, published = replace(grid, costs=read_costs(costs, grid)), None
    check(grid, str(source))
    return grid, published


def source_text(source: str | Path) -> str:
    """Return the text of a source as it stands in its file; nothing for what has no file."""
    try:
        return read_text(_located(source)[0])
    except InputError:
        return ""


def _located(source: str | Path) -> tuple[Path, float | None]:
    """Return the file that a source names, and its published optimum."""
    name = str(source)
    cases = builtin()
    if name in cases:
        return cases[name].path, cases[name].published
    if name.startswith(PGLIB):
        return pglib_case(name.removeprefix(PGLIB))
    for beside in (STATEMENT, RECORD):
        if name.lower().endswith(f".m.{beside}"):
            network = name[: -len(beside) - 1]
            raise InputError(f"{name}: stands beside a released network; name that: {network}")
    return Path(source), None
