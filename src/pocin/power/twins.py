# SPDX-License-Identifier: MIT
"""Grids that share a grid's public part and differ in its secret: what truth-blindness swaps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.policy import Treatment
from pocin.power.columns import PMIN, Q_LIMITS
from pocin.power.grid import PIECEWISE_LINEAR, PV, REFERENCE, Costs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Columns, Floats, Ints, Mask
    from pocin.policy import Policy
    from pocin.power.grid import Buses, Grid


def twins(grid: Grid, policy: Policy, only: Ints | None = None) -> Iterator[tuple[str, Grid]]:
    """Yield every such grid, and what was changed in it."""
    hidden = grid.live_units & (grid.units.pmax > 0)
    if only is not None:
        hidden &= np.isin(grid.units.bus, only)
    yield "elements permuted", _permuted(grid, policy, hidden)
    yield "values changed", _revalued(grid, policy, hidden)
    yield "source rows permuted", _reordered(grid)
    yield "solution and unreleased columns changed", _resolved(grid, hidden)


def _permuted(grid: Grid, policy: Policy, hidden: Mask) -> Grid:
    """Let each element stand where the next one stood, with all that does not stay at the site."""
    rows = np.flatnonzero(hidden)
    order = np.arange(len(hidden))
    order[rows] = np.roll(rows, 1)
    names = ["pmax", "pg", "qg", "vg", "mbase"]
    names += ["pmin"] if policy[PMIN] is not Treatment.PUBLIC else []
    names += ["qmin", "qmax"] if policy[Q_LIMITS] is not Treatment.PUBLIC else []
    moved = {name: getattr(grid.units, name)[order] for name in names}
    return replace(grid, units=replace(grid.units, **moved), costs=grid.costs.take(order))


def _revalued(grid: Grid, policy: Policy, hidden: Mask) -> Grid:
    """Change every capacity, each by another amount, and what the release derives from it."""
    shift = np.where(hidden, 1.0 + np.arange(len(hidden)), 0.0)
    changed: dict[str, Any] = {"pmax": grid.units.pmax + shift}
    if policy[PMIN] is Treatment.DERIVED:
        changed["pmin"] = grid.units.pmin - shift / 2
    if policy[Q_LIMITS] is Treatment.DERIVED:
        changed |= {"qmax": grid.units.qmax + shift, "qmin": grid.units.qmin - shift}
    units = replace(grid.units, **changed)
    return replace(grid, units=units, costs=_ended_elsewhere(grid.costs, shift))


def _ended_elsewhere(costs: Costs, shift: Floats) -> Costs:
    """Let piecewise linear curves end where the changed capacity does, along the same line."""
    coefficients = np.array(costs.coefficients)
    for k in np.flatnonzero((costs.model == PIECEWISE_LINEAR) & (shift != 0)):
        end = 2 * costs.n[k]
        x, y, xx, yy = coefficients[k, end - 4 : end]
        at = xx + shift[k]
        coefficients[k, end - 2 : end] = at, y + (yy - y) / (xx - x) * (at - x)
    return replace(costs, coefficients=coefficients)


def _reordered(grid: Grid) -> Grid:
    """Turn every table upside down."""

    def turned(table: Columns) -> Columns:
        return table.take(np.arange(len(table))[::-1])

    tables = {name: turned(getattr(grid, name)) for name in ("buses", "branches", "units")}
    return replace(grid, **tables, costs=Costs.from_matrix(grid.costs.matrix[::-1]))  # type: ignore[arg-type]


def _resolved(grid: Grid, hidden: Mask) -> Grid:
    """Change a solution's columns, the mark of the reference, and a unit's machine base."""
    buses, units = grid.buses, grid.units
    wave = 0.01 * np.sin(np.arange(len(buses)))
    dispatch = np.where(hidden, units.pmax / 3, units.pg)
    uneven = np.arange(len(units), 0, -1, dtype=np.float64)
    return replace(
        grid,
        buses=replace(buses, vm=1.0 + wave, va=100 * wave, type=_reference_moved(buses)),
        units=replace(units, pg=dispatch, qg=uneven, vg=uneven / 100, mbase=uneven),
        notes=(),
    )


def _reference_moved(buses: Buses) -> Ints:
    """Let another bus with units be the reference, if there is one."""
    types = buses.type.copy()
    others = np.flatnonzero(types == PV)
    if len(others):
        types[types == REFERENCE] = PV
        types[others[-1]] = REFERENCE
    return types
