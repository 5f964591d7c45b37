# SPDX-License-Identifier: MIT
"""The public part of a power grid: all that restore, certify and write may see of the source.

It cannot hold the secret: there is no place in it for a unit's capacity or for which unit stands
where. Rows are sorted by public ids, so that no source order passes through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.policy import Treatment
from pocin.power.columns import PMIN, Q_LIMITS
from pocin.power.grid import ISOLATED
from pocin.privacy.metric import Hops
from pocin.privacy.value import ValueGrid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints, Mask
    from pocin.policy import Policy
    from pocin.power.grid import Branches, Buses, Costs, Units


MEGAWATT = ValueGrid(Decimal("0.01"), "MW")
"""Capacities live on a public grid of 0.01 MW."""


@dataclass(frozen=True, eq=False)
class SiteLimits:
    """Limits that stay at the sites, one row a site; NaN where the policy takes them away."""

    pmin: Floats
    qmin: Floats
    qmax: Floats


@dataclass(frozen=True, eq=False)
class PublicGrid:
    """Topology, lines, loads, the occupied sites, the public units and the policy.

    ``site_bus`` names the bus of every site, in ascending order; a bus stands in it as often as
    it has secret elements. ``fixed`` are the units that stay as they are.
    """

    base_mva: float
    buses: Buses
    branches: Branches
    fixed: Units
    fixed_costs: Costs
    site_bus: Ints
    site_limits: SiteLimits
    cost_width: int
    policy: Policy

    @cached_property
    def live(self) -> Mask:
        """Mask of the buses that are not isolated."""
        return np.asarray(self.buses.type != ISOLATED)

    @cached_property
    def ends(self) -> Ints:
        """Positions of the end buses of the branches in service, (m, 2)."""
        on = self.branches.status > 0
        live = self.buses.id[self.live]
        on &= np.isin(self.branches.from_bus, live) & np.isin(self.branches.to_bus, live)
        ends = np.column_stack([self.branches.from_bus[on], self.branches.to_bus[on]])
        return np.searchsorted(self.buses.id, ends)

    @cached_property
    def metric(self) -> Hops:
        """Hops between the sites."""
        nodes = np.searchsorted(self.buses.id, self.site_bus)
        return Hops(self.ends, len(self.buses), nodes)

    @cached_property
    def unit_order(self) -> Ints:
        """Positions of [fixed units, sites] in the order in which a release writes them."""
        bus = np.concatenate([self.fixed.bus, self.site_bus])
        return np.argsort(bus, kind="stable")

    @cached_property
    def site_rows(self) -> Ints:
        """Row of every site in the unit table of a release."""
        place = np.empty(len(self.unit_order), dtype=np.int64)
        place[self.unit_order] = np.arange(len(self.unit_order))
        return place[len(self.fixed) :]

    @property
    def site_ids(self) -> Ints:
        """The bus of every site."""
        return self.site_bus

    @property
    def node_count(self) -> int:
        """Number of buses that are not isolated."""
        return int(np.sum(self.live))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Nothing beside the policy's constants: the file's format says the rest."""
        return {}

    def moved_columns(self, moved: Floats) -> MovedColumns:
        """Name the moved columns of some records."""
        at = 4 + self.cost_width
        nothing = np.full(len(moved), np.nan)
        qmin = qmax = pmin = nothing
        if self.policy[Q_LIMITS] is Treatment.MOVES:
            qmin, qmax = moved[:, at], moved[:, at + 1]
            at += 2
        if self.policy[PMIN] is Treatment.MOVES:
            pmin = moved[:, at]
        return MovedColumns(moved[:, : 4 + self.cost_width], pmin, qmin, qmax)


@dataclass(frozen=True, eq=False)
class MovedColumns:
    """What travels with the elements; NaN where a column does not."""

    costs: Floats
    pmin: Floats
    qmin: Floats
    qmax: Floats


@dataclass(frozen=True, eq=False)
class LimitRules:
    """How the other limits follow from a site's released capacity v: intercept + slope v, in MW."""

    pmin: tuple[Floats, Floats]
    qmin: tuple[Floats, Floats]
    qmax: tuple[Floats, Floats]

    def at(self, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Return pmin, qmin and qmax for these capacities; pmin is cut to the capacity."""
        pmin, qmin, qmax = (a + b * v for a, b in (self.pmin, self.qmin, self.qmax))
        return np.minimum(pmin, v), qmin, qmax


def limit_rules(public: PublicGrid, moved: MovedColumns, noisy: Floats) -> LimitRules:
    """Return the policy's rules for the limits, given the records that stand at the sites.

    A pmin that travels or stays is cut to the noisy capacity first.
    """
    number = public.policy.constants
    none, ones = np.zeros(len(noisy)), np.ones(len(noisy))

    def given(column: str, from_site: Floats, from_unit: Floats) -> Floats:
        return from_site if public.policy[column] is Treatment.PUBLIC else from_unit

    if public.policy[PMIN] is Treatment.DERIVED:
        pmin = none, number["pmin_ratio"] * ones
    else:
        least = given(PMIN, public.site_limits.pmin, moved.pmin)
        pmin = np.minimum(least, noisy) if public.policy[PMIN] is Treatment.MOVES else least, none
    if public.policy[Q_LIMITS] is Treatment.DERIVED:
        qmax = number["qmax_offset"] * ones, number["qmax_slope"] * ones
        qmin = -number["qmin_offset"] * ones, -number["qmin_slope"] * ones
    else:
        qmax = given(Q_LIMITS, public.site_limits.qmax, moved.qmax), none
        qmin = given(Q_LIMITS, public.site_limits.qmin, moved.qmin), none
    return LimitRules(pmin, qmin, qmax)
