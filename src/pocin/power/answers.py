# SPDX-License-Identifier: MIT
"""What the AC optimum tells a reader, in an order that the original and its releases share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.power.certificate import solved
from pocin.power.opf import Optimum

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid

UNITS, BUSES = "output of units (MW)", "injection at buses (MW)"


def answers(public: PublicGrid, grid: Grid, solve: object = None) -> dict[str, Floats]:
    """Return the output at every site and at every bus; nothing where there is no optimum.

    Units at one bus are told apart by their outputs only: the largest stands first.
    """
    found = solve if isinstance(solve, Optimum) else solved(grid, None)[0]
    if not found.solved:
        return {}
    bus, p = grid.units.bus[grid.live_units], found.p * grid.base_mva
    index = np.searchsorted(public.buses.id, bus)
    return {
        UNITS: _at_sites(public.site_bus, bus, p),
        BUSES: np.bincount(index, p, len(public.buses.id)).astype(np.float64),
    }


def _at_sites(site_bus: Ints, bus: Ints, p: Floats) -> Floats:
    """Give the k-th largest output at a bus to its k-th site."""
    order = np.lexsort((-p, bus))
    place = np.arange(len(site_bus)) - np.searchsorted(site_bus, site_bus)
    at: Floats = p[order][np.searchsorted(bus[order], site_bus) + place]
    return at
