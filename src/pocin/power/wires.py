# SPDX-License-Identifier: MIT
"""What a model of a grid is built from: all but the limits and the costs of its units."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Grid

UNBOUNDED = 1e20


@dataclass(frozen=True, eq=False)
class Wires:
    """The part of a grid that a model is built from, per unit and by bus index."""

    base_mva: float
    pd: Floats
    qd: Floats
    gs: Floats
    bs: Floats
    vmin: Floats
    vmax: Floats
    reference: int
    start: Ints
    end: Ints
    r: Floats
    x: Floats
    b: Floats
    tap: Floats
    shift: Floats
    rate: Floats
    angmin: Floats
    angmax: Floats
    unit_bus: Ints

    @classmethod
    def of(cls, grid: Grid) -> Wires:
        """Take what is in service."""
        buses, branches = grid.buses.take(grid.live_buses), grid.branches.take(grid.live_branches)
        units = grid.units.take(grid.live_units)
        index = {int(bus): k for k, bus in enumerate(buses.id)}
        base = grid.base_mva
        limited = ~((branches.angmin == 0) & (branches.angmax == 0))

        def at(ids: Ints) -> Ints:
            return np.array([index[int(i)] for i in ids], dtype=np.int64)

        return cls(
            base_mva=base,
            pd=buses.pd / base,
            qd=buses.qd / base,
            gs=buses.gs / base,
            bs=buses.bs / base,
            vmin=buses.vmin,
            vmax=buses.vmax,
            reference=int(np.flatnonzero(buses.type == 3)[0]),  # noqa: PLR2004
            start=at(branches.from_bus),
            end=at(branches.to_bus),
            r=branches.r,
            x=branches.x,
            b=branches.b,
            tap=np.where(branches.tap == 0, 1.0, branches.tap),
            shift=np.deg2rad(branches.shift),
            rate=branches.rate_a / base,
            angmin=_angle_limit(branches.angmin, limited, -UNBOUNDED),
            angmax=_angle_limit(branches.angmax, limited, UNBOUNDED),
            unit_bus=at(units.bus),
        )

    @cached_property
    def fingerprint(self) -> str:
        """A digest of every number that the model is built from."""
        digest = hashlib.sha256()
        for name in self.__dataclass_fields__:
            value = np.asarray(getattr(self, name))
            digest.update(f"{name}{value.shape}".encode())
            digest.update(value.tobytes())
        return digest.hexdigest()


def _angle_limit(degrees: Floats, limited: Any, unlimited: float) -> Floats:
    """Radians, or no limit where both are zero (MATPOWER's convention) or beyond a full turn."""
    free = ~limited | (np.abs(degrees) >= 360.0)  # noqa: PLR2004
    return np.where(free, unlimited, np.deg2rad(degrees))
