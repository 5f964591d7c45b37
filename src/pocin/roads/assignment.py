# SPDX-License-Identifier: MIT
"""Traffic by static user equilibrium: nobody gains by another path (Wardrop 1952).

The time of link e at traffic x is t_e(x) = t0_e (1 + b_e (x / capacity_e)^power_e). The equilibrium
is the minimum of sum_e int_0^{x_e} t_e over the traffic that serves all trips (Beckmann 1956).

Bi-conjugate Frank-Wolfe (Mitradjieva, Lindberg 2013) moves towards s = b0 y + b1 s1 + b2 s2, a mean
of the shortest-path traffic y and of the last two targets, made conjugate to the last two steps in
the Hessian diag(t'(x)); plain Frank-Wolfe, with s = y, zigzags. The relative gap
(x - y) . t(x) / x . t(x) is the share of all time that drivers would save on the shortest paths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.paths import TripPaths

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.roads.network import Roads

_MOST = 0.99  # weight on old targets at the most, so that every step has some of the new one
_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Delay:
    """The time of every link as a function of its traffic (the BPR curve); capacities are > 0."""

    free: Floats
    capacity: Floats
    b: Floats
    power: Floats

    def times(self, x: Floats) -> Floats:
        """Return t(x)."""
        return self.free * (1.0 + self.b * (x / self.capacity) ** self.power)

    def slopes(self, x: Floats) -> Floats:
        """Return t'(x); the least traffic is one vehicle, as x^(power - 1) may have a pole at 0."""
        used = np.maximum(x, 1.0) / self.capacity
        return self.free * self.b * self.power * used ** (self.power - 1.0) / self.capacity


@dataclass(frozen=True, eq=False)
class Assignment:
    """The traffic of every link, its time, and how far this is from equilibrium."""

    traffic: Floats
    times: Floats
    gap: float
    rounds: int


def assign(
    paths: TripPaths, volume: Floats, delay: Delay, *, gap: float = 1e-4, rounds: int = 200
) -> Assignment:
    """Load the volume of every trip until the relative gap is reached, or the rounds are over."""
    x = paths.loads(delay.times(np.zeros(len(delay.free))), volume)
    targets: list[Floats] = []
    step = 0.0
    for done in range(rounds + 1):
        times = delay.times(x)
        y = paths.loads(times, volume)
        total = float(times @ x)
        found = float(times @ (x - y)) / total if total > 0.0 else 0.0
        if found <= gap or done == rounds:
            break
        target = _target(x, y, delay.slopes(x), targets, step)
        step = _step(delay, x, target - x)
        targets = [target, *targets][:2] if step < _MOST else []
        x = x + step * (target - x)
    return Assignment(x, times, found, done)


def recomputed(roads: Roads, *, gap: float = 1e-4, rounds: int = 200) -> Assignment:
    """Return the traffic that anybody can work out from tables that hold no traffic.

    The equilibrium where every trip has a volume; links without a capacity, b or power are taken to
    have no delay. Else all go by d, and a trip without a volume counts as one driver.
    """
    links, volume = roads.links, roads.trips.volume
    known = np.isfinite(links.b + links.power) & (links.capacity > 0.0) & np.isfinite(volume).all()
    b, power = np.where(known, links.b, 0.0), np.where(known, links.power, 1.0)
    delay = Delay(links.d, np.where(known, links.capacity, 1.0), b, power)
    ends = (roads.positions(at) for at in (roads.trips.origin, roads.trips.destination))
    nodes = len(roads.nodes), roads.nodes.no_through
    paths = TripPaths.of(roads.tail, roads.head, *nodes, *ends)
    drivers = np.where(np.isnan(volume), 1.0, volume)
    return assign(paths, drivers, delay, gap=gap, rounds=rounds)


def _target(x: Floats, y: Floats, hessian: Floats, targets: list[Floats], step: float) -> Floats:
    """Return the mean of y and of the old targets whose direction is conjugate to the last ones.

    With d1 = s1 - x the last direction and d2 = step s1 + (1 - step) s2 - x that before it:
    mu = -d2 H (y - x) / d2 H (s2 - s1), nu = mu step / (1 - step) - d1 H (y - x) / d1 H d1, and the
    weights of y, s1, s2 are 1, nu, mu over their sum. A negative one is taken for 0.
    """
    if not targets:
        return y
    last = targets[0]
    towards = hessian * (y - x)
    mu = 0.0
    if len(targets) > 1:
        before = step * last + (1.0 - step) * targets[1] - x
        mu = max(0.0, _conjugate(before, towards, hessian * (targets[1] - last)))
    along = last - x
    nu = max(0.0, _conjugate(along, towards, hessian * along) + mu * step / (1.0 - step))
    kept = min(mu + nu, _MOST / (1.0 - _MOST))
    mu, nu = (mu * kept / (mu + nu), nu * kept / (mu + nu)) if kept > 0.0 else (0.0, 0.0)
    target = y + nu * last + (mu * targets[1] if mu > 0.0 else 0.0)
    return np.asarray(target / (1.0 + mu + nu))


def _conjugate(direction: Floats, first: Floats, second: Floats) -> float:
    """Return the c that makes first + c second orthogonal to the direction; 0 if none does."""
    under = float(direction @ second)
    return -float(direction @ first) / under if under != 0.0 else 0.0


def _step(delay: Delay, x: Floats, along: Floats) -> float:
    """Return the step in [0, 1] that minimises Beckmann's sum: bisect its slope t(x + s d) . d."""
    moved = np.flatnonzero(along)
    part = Delay(*(column[moved] for column in vars(delay).values()))
    x, along = x[moved], along[moved]
    low, high = 0.0, 1.0
    if part.times(x + along) @ along <= 0.0:
        return 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        if part.times(x + middle * along) @ along > 0.0:
            high = middle
        else:
            low = middle
    return low if low > 0.0 else high


def share_found(assigned: Floats, traffic: Floats, count: int = 50) -> float:
    """Return the share of the ``count`` busiest links among as many with most assigned traffic."""
    busiest = _most(traffic, count)
    return len(np.intersect1d(busiest, _most(assigned, count))) / max(1, len(busiest))


def _most(amount: Floats, count: int) -> Ints:
    """Return the links with the most; of equals the first."""
    return np.argsort(-amount, kind="stable")[:count]
