# SPDX-License-Identifier: MIT
"""What a grid must satisfy before pocin releases it.

All faults are gathered and raised at once. Rows are named by their number in the table, from 1;
capacities, reactive limits and costs are never echoed.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pocin.errors import InputError
from pocin.power.grid import ISOLATED, PIECEWISE_LINEAR, POLYNOMIAL, PQ, REFERENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Columns, Ints, Mask
    from pocin.power.grid import Grid

_SHOWN = 10  # faults in a message
_ROWS = 5  # rows named in a fault
_CUBIC = 3
_MOST_MW = 1e9
_LEAST = 1e-12  # of impedances and taps, which are divided by
_MOST = 1e30  # of any number: its square and its cube are numbers still
_SLOPE_TOLERANCE = 1e-9  # relative: breakpoints are printed with few digits


def check(grid: Grid, place: str) -> None:
    """Raise one error that lists all faults of a grid; ``place`` names its source."""
    faults = [*_buses(grid), *_branches(grid), *_units(grid), *_costs(grid)]
    if len(grid.buses):
        faults += [*_reference(grid), *_islands(grid)]
    if not faults:
        return
    shown = faults[:_SHOWN]
    if len(faults) > _SHOWN:
        shown.append(f"and {len(faults) - _SHOWN} more")
    raise InputError(f"{place}: " + "; ".join(shown))


def _buses(grid: Grid) -> Iterator[str]:
    """Yield the faults of the bus table."""
    buses = grid.buses
    live = grid.live_buses
    if not (np.isfinite(grid.base_mva) and grid.base_mva > 0):
        yield "baseMVA must be positive"
    if not len(buses):
        yield "there are no buses"
    _, first, back = np.unique(buses.id, return_index=True, return_inverse=True)
    yield from _fault("bus", first[back] != np.arange(len(buses)), "the bus id is taken already")
    yield from _fault("bus", buses.id < 1, "bus_i must be 1 or more")
    wrong_type = (buses.type < PQ) | (buses.type > ISOLATED)
    yield from _fault("bus", wrong_type, "type must be 1, 2, 3 or 4")
    yield from _finite("bus", buses)
    yield from _fault("bus", live & (buses.vmin < 0), "Vmin is negative")
    yield from _fault("bus", live & (buses.vmin > buses.vmax), "Vmin is above Vmax")


def _branches(grid: Grid) -> Iterator[str]:
    """Yield the faults of the branch table."""
    branches = grid.branches
    live = grid.live_branches
    if not live.any():
        yield "no branch is in service; a network has buses that branches connect"
    for column in ("from_bus", "to_bus"):
        missing = ~np.isin(getattr(branches, column), grid.buses.id)
        yield from _fault("branch", missing, f"{column.replace('_', ' ')} is not in the bus table")
    yield from _fault("branch", branches.from_bus == branches.to_bus, "both ends are the same bus")
    yield from _finite("branch", branches)
    no_impedance = live & (np.hypot(branches.r, branches.x) < _LEAST)
    yield from _fault("branch", no_impedance, "r and x are both 0; merge the two buses")
    for name in ("rate_a", "rate_b", "rate_c", "tap"):
        yield from _fault("branch", live & (getattr(branches, name) < 0), f"{name} is negative")
    slight = live & (branches.tap > 0) & (branches.tap < _LEAST)
    yield from _fault("branch", slight, "tap is nearly 0; write 0 for a line")
    wrong = live & (branches.angmin > branches.angmax)
    yield from _fault("branch", wrong, "angmin is above angmax")


def _units(grid: Grid) -> Iterator[str]:
    """Yield the faults of the gen table."""
    units = grid.units
    live = grid.live_units
    yield from _fault("gen", ~np.isin(units.bus, grid.buses.id), "bus is not in the bus table")
    yield from _finite("gen", units)
    if not live.any():
        yield "no unit is in service"
    yield from _fault("gen", live & (units.pmin > units.pmax), "Pmin is above Pmax", units.bus)
    yield from _fault("gen", live & (units.qmin > units.qmax), "Qmin is above Qmax", units.bus)
    beyond = live & (units.pmax > _MOST_MW)
    yield from _fault("gen", beyond, f"Pmax is beyond {_MOST_MW:g} MW", units.bus)


def _costs(grid: Grid) -> Iterator[str]:
    """Yield the faults of the cost curves of units in service."""
    costs = grid.costs
    if len(costs) != len(grid.units):
        yield f"gencost has {len(costs)} rows where gen has {len(grid.units)} units"
        return
    yield from _finite("gencost", costs)
    known = np.isin(costs.model, (PIECEWISE_LINEAR, POLYNOMIAL))
    yield from _fault("gencost", ~known, "model must be 1 or 2")
    needed = np.where(costs.model == PIECEWISE_LINEAR, 2 * costs.n, costs.n)
    least = np.where(costs.model == PIECEWISE_LINEAR, 2, 1)
    yield from _fault("gencost", costs.n < least, "n is too small for a curve")
    short = needed > costs.coefficients.shape[1]
    yield from _fault("gencost", short, "n asks for more numbers than the row has")
    finite = (np.abs(costs.coefficients) <= _MOST).all(axis=1)
    usable = grid.live_units & known & finite & (costs.n >= least) & ~short
    yield from _curves(grid, usable)


def _curves(grid: Grid, usable: Mask) -> Iterator[str]:
    """Yield what pocin cannot optimise: steep polynomials, and broken or non-convex lines."""
    costs = grid.costs
    steep, unordered, bent = (np.zeros(len(costs), dtype=bool) for _ in range(3))
    for k in np.flatnonzero(usable):
        curve = costs.coefficients[k]
        if costs.model[k] == POLYNOMIAL:
            steep[k] = curve[: max(costs.n[k] - _CUBIC - 1, 0)].any()
            continue
        points = curve[: 2 * costs.n[k]].reshape(-1, 2)
        steps = np.diff(points, axis=0)
        unordered[k] = (steps[:, 0] <= 0).any()
        if not unordered[k]:
            slopes = steps[:, 1] / steps[:, 0]
            bent[k] = (np.diff(slopes) < -_SLOPE_TOLERANCE * np.abs(slopes).max()).any()
    yield from _fault("gencost", steep, "polynomials above the third degree are not supported")
    yield from _fault("gencost", unordered, "the points of a piecewise-linear cost must increase")
    yield from _fault(
        "gencost", bent, "the piecewise-linear cost is not convex; convexify it or use a quadratic"
    )


def _reference(grid: Grid) -> Iterator[str]:
    """Yield a fault unless there is just one reference bus."""
    count = int((grid.buses.type == REFERENCE).sum())
    if count == 0:
        yield "there is no reference bus; give one bus type 3"
    elif count > 1:
        rows = _rows(grid.buses.type == REFERENCE)
        yield f"there are {count} reference buses (bus {rows}); keep type 3 at one of them"


def _islands(grid: Grid) -> Iterator[str]:
    """Yield a fault unless the live branches connect all live buses."""
    ids = np.unique(grid.buses.id[grid.live_buses])
    branches = grid.branches.take(grid.live_branches)
    ends = (np.searchsorted(ids, branches.from_bus), np.searchsorted(ids, branches.to_bus))
    links = coo_array((np.ones(len(branches)), ends), shape=(len(ids), len(ids)))
    count, island = connected_components(links, directed=False)
    if count > 1:
        smallest = ids[island == np.argmin(np.bincount(island))]
        yield (
            f"the network falls into {count} islands, the smallest at bus {_listed(smallest)}; "
            "connect them, or set their buses to type 4"
        )


def _finite(table: str, columns: Columns) -> Iterator[str]:
    """Yield a fault for each column that holds NaN, or what is as good as infinite."""
    for column in fields(columns):  # type: ignore[arg-type]
        values = getattr(columns, column.name)
        bad = ~(np.abs(values) <= _MOST)
        bad = bad if bad.ndim == 1 else bad.any(axis=1)
        why = f"is infinite or not a number; write a finite one up to {_MOST:g}"
        yield from _fault(table, bad, f"{column.name} {why}")


def _fault(table: str, bad: Mask, why: str, buses: Ints | None = None) -> Iterator[str]:
    """Yield one sentence for all rows where ``bad`` holds."""
    if bad.any():
        at = "" if buses is None else f" (bus {_listed(buses[bad])})"
        yield f"{table} {_rows(bad)}{at}: {why}"


def _rows(mask: Mask) -> str:
    """Name the rows where a mask holds."""
    rows = np.flatnonzero(mask) + 1
    return f"row {rows[0]}" if len(rows) == 1 else f"rows {_listed(rows)}"


def _listed(numbers: Ints) -> str:
    """Write the first few numbers and how many follow."""
    text = ", ".join(map(str, numbers[:_ROWS].tolist()))
    return text if len(numbers) <= _ROWS else f"{text} and {len(numbers) - _ROWS} more"
