# SPDX-License-Identifier: MIT
"""A real grid as attackers meet it, and what each of them ranks its units by.

    informed     the dispatch of the real grid's AC-OPF
    public       the dispatch where all units have equal capacities and costs
    obfuscated   the dispatch of the released grid's AC-OPF
    residual     left: unit columns and cost slopes that most sites of the release kept
                 floor: loads, lines and voltage levels at the bus, units a bus

Units at one bus are told apart by no public mark: which of them stands for which row of a release
is drawn once, by a public seed, and the same for every attacker. Dispatches are compared in whole
hundredths of a MW, so that a solver's last digits rank nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pocin.errors import InputError
from pocin.power.certificate import solved
from pocin.power.columns import BOOK
from pocin.power.curves import marginal_cost
from pocin.power.damage.shed import Shedding, least_shed
from pocin.power.exposure import slots, told_by_place, unchanged
from pocin.power.grid import POLYNOMIAL, PQ, REFERENCE, Costs
from pocin.power.opf import Optimum, optimum
from pocin.power.reader import in_order
from pocin.privacy.noise import SeededNoise
from pocin.targets import Harm, varying

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints, Mask
    from pocin.power.grid import Grid
    from pocin.targets import Variants

PRICE = 10.0
"""$/MWh of the load that cannot be served."""

MOST = 0.5
DECIMALS = 2
RESERVES = (2.0, 4.0, 16.0)
"""Equal capacities are this many times the load together: the least of these that serves it.

Nobody tells the attacker which. With less, large grids take the solver minutes to give up on.
"""

TRIES = {"ipopt.max_iter": 150}

PUBLIC_SEED = 0


@dataclass(frozen=True, eq=False)
class GridTarget:
    """Answers ``pocin.targets.Target``; ``grid`` is sorted by public ids."""

    name: str
    grid: Grid
    sites: Ints

    meaning = f"load that the rest cannot serve, at {PRICE:g} $/MWh"
    unit = "$/h"
    element = "unit"
    worth_meaning = "MW dispatched"
    beside: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def of(cls, grid: Grid, name: str) -> GridTarget:
        """Sort a grid; refuse one without units to hit."""
        ordered = by_public_id(grid)
        sites = np.flatnonzero(ordered.units.pmax > 0)
        if not len(sites):
            raise InputError(f"{name}: has no unit with capacity to attack; name another network")
        return cls(name, ordered, sites)

    @property
    def count(self) -> int:
        """How many units have capacity."""
        return len(self.sites)

    @cached_property
    def real(self) -> Optimum:
        """The real grid's own AC-OPF."""
        found, _ = solved(self.grid, None)
        if not found.solved:
            raise InputError(
                f"{self.name}: the AC optimal power flow of the original cannot be solved "
                f"({found.status}); check loads, capacities and limits"
            )
        return found

    @cached_property
    def whole(self) -> Shedding:
        """The grid before any attack, by the model that measures attacks."""
        return least_shed(self.grid, np.zeros(0, dtype=np.int64))

    @cached_property
    def worth(self) -> Floats:
        """What every unit sends out; one that stores, or pumps, may draw."""
        return self._dispatch(self.real)[self.sites]

    @property
    def optimum(self) -> float:
        """The cost of the grid before any attack."""
        return self.whole.cost

    def check(self, released: Grid, name: str) -> None:
        """Refuse a grid of other buses, branches or sites."""
        ours, theirs = self.grid, by_public_id(released)
        remedy = f"name a release of {self.name}"
        if not np.array_equal(ours.buses.id, theirs.buses.id):
            raise InputError(f"{name}: its buses are not those of {self.name}; {remedy}")
        if not np.array_equal(_ends(ours), _ends(theirs)):
            raise InputError(f"{name}: its branches are not those of {self.name}; {remedy}")
        buses, counts = np.unique(ours.units.bus[self.sites], return_counts=True)
        there = np.array([np.sum(theirs.units.bus == bus) for bus in buses])
        if np.any(there < counts):
            bus = buses[np.argmax(there < counts)]
            raise InputError(f"{name}: units are missing at bus {bus}; {remedy}")

    def informed(self) -> Variants:
        """Rank by the real dispatch."""
        return {"dispatch": {"dispatch": self.worth}}

    def public(self) -> Variants:
        """Rank by the dispatch of equal units."""
        for reserve in RESERVES:
            found = optimum(self._equal(reserve), TRIES)
            if found.solved:
                break
        return {"dispatch": {"dispatch of equal units": self._dispatch(found)[self.sites]}}

    def obfuscated(self, released: Grid, solve: object = None) -> Variants:
        """Rank by the released dispatch."""
        found = solve if isinstance(solve, Optimum) else solved(released, None)[0]
        there = released.units.take(released.live_units)
        rows = slots(self.grid.units.bus[self.sites], there)
        if not found.solved:
            return {"dispatch": {"capacity (its AC-OPF does not solve)": there.pmax[rows]}}
        return {"dispatch": {"dispatch": self._dispatch(found)[rows]}}

    def residual(self, released: Grid) -> Variants:
        """Rank by what is left, and by what the public part tells."""
        buses = self.grid.units.bus[self.sites]
        left = unchanged(self.grid, released, buses) | self._costs_left(released)
        return {"left": varying(left), "floor": varying(told_by_place(self.grid, buses))}

    def harm(self, hit: Ints) -> Harm:
        """Shed what must be shed without these units."""
        found = least_shed(self.grid, self.sites[hit])
        damage = round(PRICE * found.shed, DECIMALS)
        return Harm(
            damage=damage,
            objective=found.cost + damage - self.whole.cost - PRICE * self.whole.shed,
            details={
                "shed_mw": found.shed,
                "imbalance_mva": found.imbalance,
                "unsolved": float(not found.solve.solved),
            },
        )

    def _costs_left(self, released: Grid) -> dict[str, Floats]:
        """Return the slopes of the cost curves where most sites kept theirs: where few moved."""
        ours = self.grid.costs.take(self.sites).plain()
        rows = slots(self.grid.units.bus[self.sites], released.units.take(released.live_units))
        theirs = released.costs.take(released.live_units).take(rows).plain()
        none = np.zeros(len(self.sites))
        before, after = marginal_cost(ours, none), marginal_cost(theirs, none)
        if np.mean(before == after) <= MOST:
            return {}
        return {"gencost, cheapest first": -after, "gencost, dearest first": after}

    def _dispatch(self, found: Optimum) -> Floats:
        """Return outputs in whole hundredths of a MW."""
        return np.round(found.p * self.grid.base_mva, DECIMALS) + 0.0

    def _equal(self, reserve: float) -> Grid:
        """Return the grid with equal capacities and costs, and limits that follow from them."""
        constants = BOOK.find(None).constants
        load = float(np.sum(self.grid.buses.pd[self.grid.live_buses]))
        v = reserve * load / len(self.sites)
        units = self.grid.units
        at = np.zeros(len(units), dtype=bool)
        at[self.sites] = True

        def at_sites(column: Floats, value: float) -> Floats:
            return np.where(at, value, column)

        return replace(
            self.grid,
            units=replace(
                units,
                pmax=at_sites(units.pmax, v),
                pmin=at_sites(units.pmin, 0.0),
                qmax=at_sites(units.qmax, constants["qmax_slope"] * v + constants["qmax_offset"]),
                qmin=at_sites(units.qmin, -constants["qmin_slope"] * v - constants["qmin_offset"]),
            ),
            costs=_alike(self.grid.costs, at),
        )


def by_public_id(grid: Grid) -> Grid:
    """Sort buses and branches by public ids, units by bus, and take the lowest site as reference.

    So a release is sorted too, and one model of the solver serves both. Units at one bus: first
    those without capacity, the others as a public seed has it.
    """
    plain, live = in_order(grid), grid.live_units
    units, costs = grid.units.take(live), grid.costs.take(live)
    shuffled = SeededNoise(PUBLIC_SEED).generator.permutation(len(units))
    order = np.lexsort((shuffled, units.pmax > 0, units.bus))
    units, sited = units.take(order), units.bus[units.pmax > 0]
    lowest = int(np.min(sited if len(sited) else units.bus))
    kinds = np.where(plain.live_buses, PQ, plain.buses.type)
    return replace(
        plain,
        buses=replace(plain.buses, type=np.where(plain.buses.id == lowest, REFERENCE, kinds)),
        units=units,
        costs=costs.take(order),
    )


def _ends(grid: Grid) -> Ints:
    """Return the ends of the branches in service, sorted."""
    lines = grid.branches.take(grid.live_branches)
    ends = np.sort(np.column_stack([lines.from_bus, lines.to_bus]), axis=1)
    return ends[np.lexsort((ends[:, 1], ends[:, 0]))]


def _alike(costs: Costs, at: Mask) -> Costs:
    """Return curves of 1 $/MWh at some units; the others keep theirs."""
    wide = np.pad(costs.coefficients, ((0, 0), (0, 1)))  # a constant curve has one number
    line = np.eye(1, wide.shape[1])
    return replace(
        costs,
        model=np.where(at, POLYNOMIAL, costs.model),
        n=np.where(at, 2, costs.n),
        coefficients=np.where(at[:, None], line, wide),
    )
