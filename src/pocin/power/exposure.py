# SPDX-License-Identifier: MIT
"""What a released grid shows beside the original, site by site.

Units are matched to sites by bus. Where a bus has several, equal values are matched first: what
could be told unchanged is told unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Exposure
from pocin.power.public import MEGAWATT
from pocin.targets import varying

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Grid, Units
    from pocin.power.public import PublicGrid
    from pocin.privacy.secret import Secret

UNIT_COLUMNS = ("qmax", "qmin", "pmin", "pg", "qg", "vg", "mbase")
BUS_COLUMNS = ("pd", "qd", "gs", "bs", "base_kv", "vmax", "vmin")
_HALF = 0.5


def exposure(public: PublicGrid, secret: Secret, original: Grid, released: Grid) -> Exposure:
    """Return the values at the sites, what ranks and marks the sites, and what marks elements."""
    site_bus = public.site_bus
    values = np.empty(len(site_bus))
    values[secret.sites] = MEGAWATT.real(secret.values)
    marks = {**told_by_place(original, site_bus), **unchanged(original, released, site_bus)}
    return Exposure(
        released=_matched(site_bus, values, released),
        standing=varying(marks),
        site_marks=np.column_stack(list(marks.values())),
        element_marks=secret.moved,
    )


def at_sites(
    original: Grid, released: Grid, column: str, among: Ints | None = None
) -> tuple[Floats, Floats]:
    """Return a column of the original's units with capacity, before and after; NaN where gone.

    ``among`` names the buses in question; rows are in the order of the buses.
    """
    hidden = original.live_units & (original.units.pmax > 0)
    if among is not None:
        hidden &= np.isin(original.units.bus, among)
    bus, before = original.units.bus[hidden], getattr(original.units, column)[hidden]
    order = np.argsort(bus, kind="stable")
    return before[order], _matched(bus[order], before[order], released, column)


def _matched(site_bus: Ints, before: Floats, released: Grid, column: str = "pmax") -> Floats:
    """Return the released column at the sites: equal entries first, the rest in their order."""
    units = released.units.take(released.live_units)
    after = np.full(len(site_bus), np.nan)
    for bus in np.unique(site_bus):
        sites = np.flatnonzero(site_bus == bus)
        left = getattr(units, column)[_largest(units, bus, len(sites))].tolist()
        waiting = []
        for site in sites:
            if before[site] in left:
                after[site] = left.pop(left.index(before[site]))
            else:
                waiting.append(site)
        for site, value in zip(waiting, left, strict=False):
            after[site] = value
    return after


def slots(site_bus: Ints, units: Units) -> Ints:
    """Return the released unit at every site: those of a bus in the order of their rows.

    The sites of a bus stand side by side, and it has a unit for each.
    """
    buses, first, counts = np.unique(site_bus, return_index=True, return_counts=True)
    rows = np.empty(len(site_bus), dtype=np.int64)
    for bus, start, count in zip(buses, first, counts, strict=True):
        rows[start : start + count] = _largest(units, bus, count)
    return rows


def _largest(units: Units, bus: int, count: int) -> Ints:
    """Return the rows of a bus's largest units, in their order: the others have no capacity."""
    there = np.flatnonzero(units.bus == bus)
    return np.sort(there[np.argsort(-units.pmax[there], kind="stable")[:count]])


def told_by_place(grid: Grid, site_bus: Ints) -> dict[str, Floats]:
    """Return what the public part tells of a site: its bus, its lines, and its units' number."""
    order = np.argsort(grid.buses.id)
    row = order[np.searchsorted(grid.buses.id, site_bus, sorter=order)]
    found = {f"bus.{name}": getattr(grid.buses, name)[row] for name in BUS_COLUMNS}
    lines = grid.branches.take(grid.live_branches)
    ends = np.concatenate([lines.from_bus, lines.to_bus])
    rates = np.tile(lines.rate_a, 2)
    found["lines at the bus"] = np.array([(ends == bus).sum() for bus in site_bus], dtype=float)
    found["ratings at the bus"] = np.array([rates[ends == bus].sum() for bus in site_bus])
    counts = dict(zip(*np.unique(site_bus, return_counts=True), strict=True))
    found["units at the bus"] = np.array([counts[bus] for bus in site_bus], dtype=float)
    return found


def unchanged(original: Grid, released: Grid, site_bus: Ints) -> dict[str, Floats]:
    """Return the unit columns that most sites kept, by size, in the order of the sites."""
    kept = {}
    for name in UNIT_COLUMNS:
        before, after = at_sites(original, released, name, site_bus)
        if np.mean(before == after) > _HALF and np.any(before != 0):
            kept[f"gen.{name}"] = np.abs(after)
    return kept
