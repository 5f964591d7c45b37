# SPDX-License-Identifier: MIT
"""Water networks: wells feed junctions through pipes; which well is the large one is secret.

O(v) = min  sum_w c_w p_w + LIFT sum_e length_e |q_e| + MISSING sum_j short_j
       s.t. flow in - flow out + p + short = demand at every junction,
            0 <= p_w <= v_w,  |q_e| <= capacity_e,  short = 0 but in an attack
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

from pocin.errors import InputError
from pocin.policy import Treatment
from pocin.privacy.value import ValueGrid
from pocin.simple.kind import SimpleKind
from pocin.simple.tables import PublicPart, Tables, one_policy
from pocin.targets import Harm

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document, Goal
    from pocin.policy import Policy

LIFT = 1e-4  # what it costs to move one m3 by one metre: a public constant
MISSING = 100.0  # what a missing m3 is held to cost, in an attack
COLUMNS = {"junctions": 2, "pipes": 4, "wells": 3}
HALVINGS = 20


class WaterKind(SimpleKind):
    """Junctions (id, demand), pipes (two junctions, length, capacity), wells (junction, ...)."""

    name, suffix, problem = "water", ".water", "cheapest supply of water"
    fixed = "junctions, demand, pipes"
    values, default_alpha_value = ValueGrid(Decimal(1), "m3"), "10m3"
    element, worth, node_word, edge_word = "well", "capacity", "junction", "pipe"
    damage, damage_unit = "water that the other wells cannot supply in an hour", "m3"
    book = one_policy({
        "junctions": (Treatment.PUBLIC, "numbers and demand"),
        "pipes": (Treatment.PUBLIC, "ends, lengths, capacities"),
        "wells.junction": (Treatment.PUBLIC, "sites: where wells stand"),
        "wells.capacity": (Treatment.SECRET, "m3 in an hour"),
        "wells.cost": (Treatment.MOVES, "cost of a m3"),
        "other": (Treatment.DROPPED, "names, comments, row order"),
    })  # fmt: skip

    def parse(self, document: Document, name: str) -> Tables:
        """Read three tables; the base class checks that they are a network."""
        try:
            data = json.loads(document[""])
            tables = [np.array(data[key], float).reshape(-1, n) for key, n in COLUMNS.items()]
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            wanted = ", ".join(f"{key} ({n} numbers a row)" for key, n in COLUMNS.items())
            raise InputError(f"{name}: must be JSON with the tables {wanted}") from None
        return Tables(*tables)

    def write(self, content: Tables, header: tuple[str, ...]) -> Document:
        """Write the tables and nothing else."""
        tables = (content.nodes, content.edges, content.elements)
        named = {key: table.tolist() for key, table in zip(COLUMNS, tables, strict=True)}
        return {"": json.dumps({"about": header, **named}, indent=1).encode()}

    def cost(self, public: PublicPart, values: Floats, moved: Floats) -> float:
        """Return O(v), as a reader finds it."""
        return Supply(public, moved).cheapest(values)[0]

    def restore(self, public: PublicPart, noisy: Floats, moved: Floats, goal: Goal) -> Floats:
        """Add the least capacity with O(v) low enough; where it is too low, give dear wells more.

        v(s) is s v and the least capacity that then serves the demand, at dear wells first: O(v(s))
        rises as s falls from 1 to 0.
        """
        supply, margin = Supply(public, moved), 0.995 * goal.beta
        values = supply.enlarged(noisy, (1 + margin) * goal.figure)
        low, high = 0.0, 1.0
        if supply.cheapest(values)[0] >= (1 - margin) * goal.figure:
            return values
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            cost, _ = supply.cheapest(supply.enlarged(np.floor(middle * values)))
            low, high = (low, middle) if cost < (1 - margin) * goal.figure else (middle, high)
        return supply.enlarged(np.floor(low * values))

    def harm(self, public: PublicPart, values: Floats, moved: Floats, hit: Ints) -> Harm:
        """Take wells away: how much water is missing, and what that costs."""
        supply, left = Supply(public, moved), values.copy()
        left[hit] = 0
        cost, short = supply.cheapest(left, short=public.nodes[:, 0])
        return Harm(short, cost - supply.cheapest(values)[0])

    def leaks(
        self, source: str, original: Tables, released: Tables, document: Document, policy: Policy
    ) -> tuple[str, ...]:
        """Name what a released file holds beside the tables."""
        del source, original, released, policy
        extra = sorted(set(json.loads(document[""])) - {"about", *COLUMNS})
        return (f"it has further keys: {', '.join(extra)}",) if extra else ()


class Supply:
    """The linear program: columns q+, q- (pipes), p (wells), short (junctions), more (wells)."""

    def __init__(self, public: PublicPart, moved: Floats) -> None:
        self.demand, (length, self.pipe) = public.nodes[:, 0], public.edges.T
        self.n, self.m, self.k = len(self.demand), len(length), len(public.at)
        flow, pump = np.zeros((self.n, self.m)), np.zeros((self.n, self.k))
        np.add.at(flow, (public.ends.T, np.arange(self.m)), np.array([[-1.0], [1.0]]))
        pump[public.at, np.arange(self.k)] = 1.0
        self.balance = np.hstack([flow, -flow, pump, np.eye(self.n), np.zeros((self.n, self.k))])
        paid = [LIFT * length, LIFT * length, moved[:, 0], np.full(self.n, MISSING)]
        self.paid = np.concatenate([*paid, np.zeros(self.k)])
        dear = 1 - 1e-3 * moved[:, 0] / max(moved.max(), 1e-9)  # of equals the dearest gets more
        self.more = np.concatenate([np.zeros(len(self.paid) - self.k), dear])
        self.held = np.zeros((self.k, len(self.paid)))  # p - more <= capacity
        self.held[:, 2 * self.m : 2 * self.m + self.k] = np.eye(self.k)
        self.held[:, -self.k :] = -np.eye(self.k)

    def cheapest(self, room: Floats, *, short: Floats | float = 0.0) -> tuple[float, float]:
        """Return the least cost, and how much falls short where ``short`` allows it."""
        x = self._solve(self.paid, self.held, room, short=short, more=0.0)
        if x is None:
            return np.inf, np.inf
        return float(self.paid @ x), float(x[2 * self.m + self.k : -self.k].sum())

    def enlarged(self, room: Floats, most: float | None = None) -> Floats:
        """Add the least capacity to keep the cost under ``most``; nothing where that cannot be."""
        limit = MISSING * self.demand.sum() if most is None else most
        rows, limits = np.vstack([self.held, self.paid]), np.append(room, limit)
        x = self._solve(self.more, rows, limits, short=0.0, more=np.inf)
        return room if x is None else np.ceil(room + x[-self.k :] - 1e-6)

    def _solve(
        self, aim: Floats, rows: Floats, limits: Floats, *, short: Floats | float, more: float
    ) -> Floats | None:
        tops = [self.pipe, self.pipe, np.full(self.k, np.inf), np.broadcast_to(short, self.n)]
        bounds = [(0, top) for top in np.concatenate([*tops, np.full(self.k, more)])]
        found = linprog(aim, rows, limits, self.balance, self.demand, bounds)
        return found.x if found.status == 0 else None


WATER = WaterKind()
