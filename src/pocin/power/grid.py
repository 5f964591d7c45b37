# SPDX-License-Identifier: MIT
"""A power grid as immutable columns.

Units and conventions are MATPOWER's: MW, MVAr, degrees, per unit on ``base_mva``; rows keep the
order of their source, and buses are named by their ids. Nothing here knows what is secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from pocin.arrays import Columns

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask

POLYNOMIAL = 2
PIECEWISE_LINEAR = 1
REFERENCE, PV, PQ, ISOLATED = 3, 2, 1, 4


@dataclass(frozen=True, eq=False)
class Buses(Columns):
    """The bus table."""

    id: Ints
    type: Ints
    pd: Floats
    qd: Floats
    gs: Floats
    bs: Floats
    area: Ints
    vm: Floats
    va: Floats
    base_kv: Floats
    zone: Ints
    vmax: Floats
    vmin: Floats


@dataclass(frozen=True, eq=False)
class Branches(Columns):
    """The branch table. ``rate_a`` 0 and angle limits of 0 or beyond 360 degrees mean no limit."""

    from_bus: Ints
    to_bus: Ints
    r: Floats
    x: Floats
    b: Floats
    rate_a: Floats
    rate_b: Floats
    rate_c: Floats
    tap: Floats
    shift: Floats
    status: Ints
    angmin: Floats
    angmax: Floats


@dataclass(frozen=True, eq=False)
class Units(Columns):
    """The generating units: MATPOWER's gen table as far as an optimal power flow reads it."""

    bus: Ints
    pg: Floats
    qg: Floats
    qmax: Floats
    qmin: Floats
    vg: Floats
    mbase: Floats
    status: Ints
    pmax: Floats
    pmin: Floats


@dataclass(frozen=True, eq=False)
class Costs(Columns):
    """The cost curves, one row a unit, as MATPOWER's gencost.

    ``model`` is 2 (polynomial, highest power first) or 1 (piecewise linear, MW and $/h in turn);
    ``n`` counts coefficients or points; ``coefficients`` is padded with zeros on the right.
    """

    model: Ints
    startup: Floats
    shutdown: Floats
    n: Ints
    coefficients: Floats

    @property
    def matrix(self) -> Floats:
        """The table as numbers: model, startup, shutdown, n, coefficients."""
        head = np.column_stack([self.model, self.startup, self.shutdown, self.n])
        return np.hstack([head, self.coefficients]).astype(np.float64)

    def plain(self) -> Self:
        """Return the curves without what stands behind the numbers that ``n`` asks for."""
        asked = np.where(self.model == PIECEWISE_LINEAR, 2 * self.n, self.n)
        width = int(np.max(asked, initial=1))
        used = np.arange(width) < asked[:, None]
        return replace(self, coefficients=np.where(used, self.coefficients[:, :width], 0.0))

    @classmethod
    def from_matrix(cls, rows: Floats) -> Self:
        """Build the table from the numbers of ``matrix``."""
        model, n = rows[:, [0, 3]].T.astype(np.int64)
        return cls(model, rows[:, 1], rows[:, 2], n, rows[:, 4:])


@dataclass(frozen=True, eq=False)
class Grid:
    """A whole network. ``notes`` says in sentences what the reader met and left out."""

    base_mva: float
    buses: Buses
    branches: Branches
    units: Units
    costs: Costs
    notes: tuple[str, ...] = field(default=())

    def on_base(self, base_mva: float) -> Grid:
        """Return the same grid in per unit of another base: impedances grow with it."""
        if base_mva == self.base_mva:
            return self
        by, lines = base_mva / self.base_mva, self.branches
        branches = replace(lines, r=lines.r * by, x=lines.x * by, b=lines.b / by)
        return replace(self, base_mva=base_mva, branches=branches)

    @cached_property
    def live_buses(self) -> Mask:
        """Mask of the buses that are not isolated."""
        return np.asarray(self.buses.type != ISOLATED)

    @cached_property
    def live_branches(self) -> Mask:
        """Mask of the branches in service between live buses."""
        live = self.buses.id[self.live_buses]
        ends = np.isin(self.branches.from_bus, live) & np.isin(self.branches.to_bus, live)
        return np.asarray((self.branches.status > 0) & ends)

    @cached_property
    def live_units(self) -> Mask:
        """Mask of the units in service at live buses."""
        live = self.buses.id[self.live_buses]
        return np.asarray((self.units.status > 0) & np.isin(self.units.bus, live))
