# SPDX-License-Identifier: MIT
"""The released grid, built from a whitelist: the public part, and what stands at each site."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.grid import ISOLATED, PQ, PV, REFERENCE, Costs, Grid, Units

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.public import LimitRules, PublicGrid


def released_grid(public: PublicGrid, v: Floats, costs: Floats, rules: LimitRules) -> Grid:
    """Return the grid with capacity ``v[s]`` (MW) and cost curve ``costs[s]`` at every site s.

    Units are sorted by bus; nothing of a solution is in it: Pg = Qg = 0, Vg = Vm = 1, Va = 0.
    """
    pmin, qmin, qmax = rules.at(v)
    base, fixed = public.base_mva, public.fixed
    at_sites = _units(base, bus=public.site_bus, pmin=pmin, pmax=v, qmin=qmin, qmax=qmax)
    kept = {name: getattr(fixed, name) for name in ("bus", "pmin", "pmax", "qmin", "qmax")}
    staying = _units(base, **kept)
    units = _stack(staying, at_sites).take(public.unit_order)
    curves = np.vstack([public.fixed_costs.matrix, costs])[public.unit_order]
    buses = replace(public.buses, type=_bus_types(public))
    return Grid(public.base_mva, buses, public.branches, units, Costs.from_matrix(curves))


def _units(base_mva: float, *, bus: Ints, **limits: Floats) -> Units:
    """Return units with these limits and nothing else of their own."""
    zeros, ones = np.zeros(len(bus)), np.ones(len(bus))
    plain = {name: _plain(values) for name, values in limits.items()}
    status = np.ones(len(bus), dtype=np.int64)
    mbase = base_mva * ones
    return Units(bus=bus, pg=zeros, qg=zeros, vg=ones, mbase=mbase, status=status, **plain)


def _plain(values: Floats) -> Floats:
    """Round to 1e-6, so that a derived 0.1 + 0.2 is written 0.3; inputs are kept to the digit."""
    rounded = np.round(values, 6)
    return np.where(np.abs(rounded - values) < 1e-9, rounded, values) + 0.0  # noqa: PLR2004


def _stack(first: Units, second: Units) -> Units:
    """Put one table under the other."""
    both = {
        name: np.concatenate([getattr(first, name), getattr(second, name)])
        for name in Units.__dataclass_fields__
    }
    return Units(**both)


def _bus_types(public: PublicGrid) -> Ints:
    """Buses with units hold their voltage; the reference is the lowest site, whatever is there."""
    isolated = public.buses.type == ISOLATED
    occupied = np.isin(public.buses.id, np.concatenate([public.fixed.bus, public.site_bus]))
    types = np.where(occupied, PV, PQ)
    types[public.buses.id == public.site_bus[0]] = REFERENCE
    return np.where(isolated, ISOLATED, types)
