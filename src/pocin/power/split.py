# SPDX-License-Identifier: MIT
"""Cut a grid into its public part and its secret part, as the policy says."""

from __future__ import annotations

from dataclasses import fields, replace
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import InputError
from pocin.policy import Treatment
from pocin.power.columns import AREA, BASE_KV, PMIN, Q_LIMITS, RATE_B, RATE_C, ZONE
from pocin.power.curves import open_ended
from pocin.power.grid import ISOLATED, PQ
from pocin.power.public import MEGAWATT, PublicGrid, SiteLimits
from pocin.privacy.secret import Secret

if TYPE_CHECKING:
    from pocin.arrays import Columns, Floats, Ints
    from pocin.policy import Policy
    from pocin.power.grid import Branches, Buses, Grid, Units


def split(grid: Grid, policy: Policy, only: Ints | None = None) -> tuple[PublicGrid, Secret]:
    """Return what everybody may see, and what nobody may.

    Elements are the units in service with capacity (at the buses ``only``, where given). Units
    without capacity and dispatchable loads are a public class and stay as they are.
    """
    live = grid.units.take(grid.live_units)
    costs = grid.costs.take(grid.live_units).plain()
    hidden = live.pmax > 0
    if only is not None:
        hidden &= np.isin(live.bus, only)
    if not hidden.any():
        raise InputError("no unit with capacity is left to protect; check the network and --only")
    order = _site_order(live.take(hidden), costs.take(hidden).matrix, policy)
    elements = live.take(hidden).take(order)
    load = fsum(grid.buses.pd[grid.live_buses])  # in whatever order
    element_costs = open_ended(costs.take(hidden).take(order), load)
    fixed = _public_units(live.take(~hidden))
    fixed_order = _row_order(fixed, costs.take(~hidden).matrix)
    public = PublicGrid(
        base_mva=grid.base_mva,
        buses=_public_buses(grid.buses, policy),
        branches=_public_branches(grid.branches, policy),
        fixed=fixed.take(fixed_order),
        fixed_costs=costs.take(~hidden).take(fixed_order),
        site_bus=elements.bus,
        site_limits=_site_limits(elements, policy),
        cost_width=costs.coefficients.shape[1],
        policy=policy,
    )
    secret = Secret(
        sites=np.arange(len(elements)),
        values=MEGAWATT.whole(elements.pmax),
        moved=_moved(elements, element_costs.matrix, policy),
    )
    return public, secret


def _public_units(units: Units) -> Units:
    """Take away what is dropped, lest it decide the order of units at one bus."""
    none, ones = np.zeros(len(units)), np.ones(len(units))
    return replace(units, pg=none, qg=none, vg=ones, mbase=ones)


def _site_order(elements: Units, costs: Floats, policy: Policy) -> Ints:
    """Order elements by bus, and at one bus by the limits that stay public at the site.

    Sites at one bus with the same public limits are interchangeable (zero hops apart, and the law
    of the draws is the same for both), so what decides between them cannot reach the release: their
    own numbers do, lest a seeded release depend on the order of the source's rows.
    """
    limits = _site_limits(elements, policy)
    public = (limits.pmin, limits.qmin, limits.qmax, elements.bus)
    own = (elements.pmin, elements.qmin, elements.qmax, elements.pmax, *costs.T[::-1])
    return np.lexsort((*own, *public))


def _site_limits(elements: Units, policy: Policy) -> SiteLimits:
    """Return the limits that the policy leaves at the sites."""

    def kept(column: str, values: Floats) -> Floats:
        return values if policy[column] is Treatment.PUBLIC else np.full(len(values), np.nan)

    return SiteLimits(
        pmin=kept(PMIN, elements.pmin),
        qmin=kept(Q_LIMITS, elements.qmin),
        qmax=kept(Q_LIMITS, elements.qmax),
    )


def _moved(elements: Units, costs: Floats, policy: Policy) -> Floats:
    """Return the columns that travel with the elements, side by side."""
    columns = [costs]
    if policy[Q_LIMITS] is Treatment.MOVES:
        columns += [elements.qmin[:, None], elements.qmax[:, None]]
    if policy[PMIN] is Treatment.MOVES:
        columns += [elements.pmin[:, None]]
    return np.hstack(columns) + 0.0  # no negative zeros: equal rows sort as equal


def _public_buses(buses: Buses, policy: Policy) -> Buses:
    """Sort buses by id and take away solutions, the reference mark and what the policy drops."""
    ones, whole = np.ones(len(buses)), np.ones(len(buses), dtype=np.int64)
    dropped = {AREA: ("area", whole), ZONE: ("zone", whole), BASE_KV: ("base_kv", ones)}
    blanks = _blanks(dropped, policy)
    plain = replace(
        buses,
        type=np.where(buses.type == ISOLATED, ISOLATED, PQ),
        vm=ones,
        va=0 * ones,
        **blanks,
    )
    return plain.take(np.argsort(buses.id))


def _public_branches(branches: Branches, policy: Policy) -> Branches:
    """Sort branches by their ends and then by every other column; drop what the policy drops."""
    nothing = np.zeros(len(branches))
    blanks = _blanks({RATE_B: ("rate_b", nothing), RATE_C: ("rate_c", nothing)}, policy)
    plain = replace(branches, **blanks)
    return plain.take(_row_order(plain))


def _blanks(columns: dict[str, tuple[str, Any]], policy: Policy) -> dict[str, Any]:
    """Return the blank values of those columns that the policy drops."""
    return {
        name: blank
        for column, (name, blank) in columns.items()
        if policy[column] is Treatment.DROPPED
    }


def _row_order(table: Columns, beside: Floats | None = None) -> Ints:
    """Order rows by their columns, the first column first."""
    keys = [getattr(table, column.name) for column in fields(table)]  # type: ignore[arg-type]
    if beside is not None:
        keys += list(beside.T)
    return np.lexsort(keys[::-1])
