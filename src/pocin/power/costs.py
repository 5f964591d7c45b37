# SPDX-License-Identifier: MIT
"""Cost curves from a CSV file, for sources that carry none (``--costs FILE``)."""

from __future__ import annotations

import csv
import math
import re
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from pocin.errors import InputError
from pocin.power.grid import POLYNOMIAL, Costs
from pocin.power.mfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from pocin.power.grid import Grid

_CURVE = ("c2", "c1", "c0")
_HEADERS = (("bus", *_CURVE), ("bus", "unit", *_CURVE))

_Keys = dict[tuple[int, int], tuple[float, ...]]


def read_costs(path: Path, grid: Grid) -> Costs:
    """Return quadratic costs for a grid's units: c2 p^2 + c1 p + c0 in $/h, p in MW.

    The file's header is ``bus,c2,c1,c0`` or ``bus,unit,c2,c1,c0``. ``unit`` counts the units at the
    bus from 1 in the source's order; without it a row holds for every unit at its bus. Each unit in
    service needs a row.
    """
    curves = _rows(path)
    seen: dict[int, int] = {}
    coefficients = np.zeros((len(grid.units), len(_CURVE)))
    missing, used = [], set()
    for k, bus in enumerate(grid.units.bus.tolist()):
        seen[bus] = seen.get(bus, 0) + 1
        key = (bus, 0) if (bus, 0) in curves else (bus, seen[bus])
        used.add(key)
        if key in curves:
            coefficients[k] = curves[key]
        elif grid.live_units[k]:
            missing.append(f"unit {seen[bus]} at bus {bus}")
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"{path}: no row for {missing[0]}{more}; every unit in service needs one")
    if unknown := sorted(curves.keys() - used):
        bus, unit = unknown[0]
        what = f"unit {unit} at bus {bus}" if unit else f"unit at bus {bus}"
        raise InputError(f"{path}: the grid has no {what}; take that row out")
    none = np.zeros(len(grid.units))
    model, n = np.full(len(none), POLYNOMIAL), np.full(len(none), len(_CURVE))
    return Costs(model, none, none, n, coefficients)


def _rows(path: Path) -> _Keys:
    """Return each row's coefficients by bus and unit; unit 0 stands for all at the bus."""
    reader = csv.reader(read_text(path).splitlines())
    try:
        rows = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        place = f"{path}:{reader.line_num}"
        raise InputError(f"{place}: is not comma-separated text ({error}); mend it") from None
    header = tuple(cell.strip() for cell in rows[0][1])
    if header not in _HEADERS:
        raise InputError(f"{path}:1: the header must be bus,c2,c1,c0 or bus,unit,c2,c1,c0")
    curves: _Keys = {}
    for line, cells in rows[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}:{line}: expected {len(header)} columns")
        row = dict(zip(header, cells, strict=True))
        bus, unit = (_whole(path, line, row, name) for name in ("bus", "unit"))
        if (bus, unit) in curves:
            raise InputError(f"{path}:{line}: this unit has a row already; keep one")
        curves[bus, unit] = tuple(_finite(path, line, row, name) for name in _CURVE)
    return curves


def _whole(path: Path, line: int, row: dict[str, str], name: str) -> int:
    """Return a positive whole number; 0 for a column that the file does not have."""
    if name not in row:
        return 0
    text = row[name].strip()
    if not re.fullmatch(r"[1-9][0-9]{0,17}", text):
        _refuse(path, line, name, "expected a whole number from 1")
    return int(text)


def _finite(path: Path, line: int, row: dict[str, str], name: str) -> float:
    """Return a finite number."""
    try:
        value = float(row[name])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        _refuse(path, line, name, "expected a number")
    return value


def _refuse(path: Path, line: int, column: str, why: str) -> NoReturn:
    """Raise an error that names a cell, never what stands in it."""
    raise InputError(f"{path}:{line}: column {column}: {why}")
