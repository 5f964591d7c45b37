# SPDX-License-Identifier: MIT
"""A grid of three buses, and its DC-OPF without any solver: every corner of the polygon, by numpy.

One secret unit stands at each bus; 20 MW are drawn at bus 2 and 100 MW at bus 3.
"""

from itertools import combinations

import numpy as np

from pocin.power.dc.problem import Bilevel
from pocin.power.dc.program import program_of
from pocin.power.matpower import parse_matpower
from pocin.power.public import LimitRules

LOAD = np.array([0.0, 20.0, 100.0])
ENDS = np.array([[0, 1], [0, 2], [1, 2]])
X = np.array([0.1, 0.2, 0.1])
RATES = np.array([0.0, 45.0, 60.0])
COSTS = np.array([10.0, 40.0, 25.0])


def text(costs=COSTS, *, second=(0.0, 0.0, 0.0), pmax=200.0):
    """The case as a MATPOWER file; costs are second p^2 + cost p."""
    lines = "\n".join(
        f"{i + 1} {j + 1} 0 {x} 0 {rate} 0 0 0 0 1 -360 360;"
        for (i, j), x, rate in zip(ENDS, X, RATES, strict=True)
    )
    buses = "\n".join(
        f"{k + 1} {3 if k == 0 else 2} {load} 0 0 0 1 1 0 100 1 1.1 0.9;"
        for k, load in enumerate(LOAD)
    )
    units = "\n".join(f"{k + 1} 0 0 99 -99 1 100 1 {pmax} 0;" for k in range(3))
    curves = "\n".join(f"2 0 0 3 {a} {b} 0;" for a, b in zip(second, costs, strict=True))
    return (
        "function mpc = three\nmpc.version = '2';\nmpc.baseMVA = 100;\n"
        f"mpc.bus = [\n{buses}\n];\nmpc.gen = [\n{units}\n];\n"
        f"mpc.branch = [\n{lines}\n];\nmpc.gencost = [\n{curves}\n];\n"
    )


def three_buses(costs=COSTS, *, rho=0.0, second=(0.0, 0.0, 0.0)):
    """The program of the grid, its three units with capacities v and least outputs rho v."""
    grid = parse_matpower(text(costs, second=second), "three buses")
    none = np.zeros(3)
    rules = LimitRules((none, rho + none), (none, none), (none, none))
    return program_of(grid, np.arange(3), rules)


def bilevel(program, noisy, low, high, room=1.0):
    """P_BL on a program."""
    noisy = np.array(noisy, dtype=float)
    return Bilevel(program, noisy, 0 * noisy, low, high, room)


def corners(v, costs=COSTS, *, rho=0.0, room=1.0):
    """phi at every row of v: the cheapest corner of {p: limits}, infinite where there is none.

    With p_3 = 120 - p_1 - p_2 the limits are lines in the plane (p_1, p_2); with distribution
    factors by hand. ``room`` is the share of capacities and ratings that may be used.
    """
    flow = factors()
    inject = flow @ np.array([[1, 0], [0, 1], [-1, -1.0]])
    base = flow @ (np.array([0, 0, LOAD.sum()]) - LOAD)
    rated = RATES > 0
    normal = np.vstack([
        np.eye(2), [[-1, -1]], -np.eye(2), [[1, 1]], inject[rated], -inject[rated],
    ])  # fmt: skip
    count, total = len(v), LOAD.sum()
    most = room * v - np.array([0, 0, total])
    least = np.array([0, 0, total]) - rho * v
    lines = np.tile(
        np.concatenate([room * RATES[rated] - base[rated], room * RATES[rated] + base[rated]]),
        (count, 1),
    )
    limit = np.hstack([most, least, lines])
    best = np.full(count, np.inf)
    for pair in combinations(range(len(normal)), 2):
        sides = normal[list(pair)]
        if abs(np.linalg.det(sides)) < 1e-9:
            continue
        p = np.linalg.solve(sides, limit[:, list(pair)].T).T
        inside = np.all(p @ normal.T <= limit + 1e-9, axis=1)
        cost = p @ costs[:2] + (total - p.sum(axis=1)) * costs[2]
        best = np.where(inside, np.minimum(best, cost), best)
    return best


def factors():
    """Flow on each line per MW injected at each bus (and drawn at the reference)."""
    across = np.zeros((3, 3))
    across[range(3), ENDS[:, 0]] = 1
    across[range(3), ENDS[:, 1]] = -1
    weighted = across / X[:, None]
    return weighted @ np.linalg.pinv(across.T @ weighted)
