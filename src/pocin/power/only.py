# SPDX-License-Identifier: MIT
"""The file of ``--only``: the buses whose units are secret, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.power.mfile import read_text

if TYPE_CHECKING:
    from pathlib import Path

    from pocin.arrays import Ints
    from pocin.power.grid import Grid


def read_only(path: Path, grid: Grid) -> Ints:
    """Read bus ids; blank lines and what follows a # do not count."""
    occupied = set(grid.units.bus[grid.live_units & (grid.units.pmax > 0)].tolist())
    buses, faults = [], []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        word = line.partition("#")[0].strip()
        if not word:
            continue
        if not word.isascii() or not word.isdigit() or len(word) > 18:  # noqa: PLR2004
            faults.append(f"line {number}: expected a bus number")
        elif int(word) not in occupied:
            faults.append(f"line {number}: no unit with capacity stands at this bus")
        else:
            buses.append(int(word))
    if faults:
        shown = "; ".join(faults[:10])
        raise InputError(f"{path}: {shown}; write one occupied bus a line")
    if not buses:
        raise InputError(f"{path}: names no bus; write one occupied bus a line")
    return np.array(buses, dtype=np.int64)
