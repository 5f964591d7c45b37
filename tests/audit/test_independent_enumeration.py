# SPDX-License-Identifier: MIT
r"""The five units of IEEE 14 enumerated once more, with nothing of the product's but its claim.

Hops are counted on the text of the file. With q = exp(-eps / (2 alpha)) the probability of an
output is, up to a factor that no truth changes, a polynomial in q with whole coefficients: how many
vectors of draws r give that output at each sum_e d(pi(e), r_e). So no float comes in before the
last step, and one enumeration serves every alpha.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cache
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import pocin.power.cases

TEXT = Path(pocin.power.cases.__file__).with_name("ieee14.m").read_text()
N = 5
ORDERS = list(permutations(range(N)))


def table(name):
    block = re.search(rf"mpc\.{name}\s*=\s*\[(.*?)\];", TEXT, re.DOTALL)[1]
    rows = (line.partition("%")[0].replace(";", " ").split() for line in block.splitlines())
    return [[float(word) for word in row] for row in rows if row]


@cache
def hops():
    """Breadth first from every unit's bus."""
    near = {}
    for a, b, *rest in table("branch"):
        if rest[8] > 0:
            near.setdefault(a, set()).add(b)
            near.setdefault(b, set()).add(a)
    buses = sorted(row[0] for row in table("gen"))
    found = np.empty((N, N), dtype=int)
    for row, bus in enumerate(buses):
        away, queue = {bus: 0}, deque([bus])
        while queue:
            v = queue.popleft()
            for w in near[v] - away.keys():
                away[w] = away[v] + 1
                queue.append(w)
        found[row] = [away[other] for other in buses]
    return found


def by_scipy(drawn):
    """A cheapest assignment, as scipy breaks ties; entry s is the record at site s."""
    _, sites = linear_sum_assignment(hops()[list(drawn)])
    return tuple(np.argsort(sites).tolist())


def lexicographic(drawn):
    """The first cheapest assignment in the order of the records."""
    cost = hops()[list(drawn)]
    best = min(ORDERS, key=lambda order: (cost[range(N), order].sum(), order))
    return tuple(np.argsort(best).tolist())


@cache
def polynomials(rule):
    """Coefficients by truth, output and power of q."""
    drawn = np.array(list(product(range(N), repeat=N)))
    number = {order: o for o, order in enumerate(ORDERS)}
    placed = []
    for vector in drawn.tolist():
        names = sorted(range(N), key=lambda e: (vector[e], e))  # records in the order of sealing
        at = rule(tuple(vector[e] for e in names))
        placed.append(number[tuple(names[k] for k in at)])
    powers = N * hops().max() + 1
    found = np.zeros((len(ORDERS), len(ORDERS), powers), dtype=int)
    for t, truth in enumerate(ORDERS):
        total = hops()[list(truth), drawn].sum(axis=1)
        np.add.at(found[t], (placed, total), 1)
    return found


def losses(rule, alpha):
    """The worst swap at each distance, and the largest share of the claim of any two truths."""
    found = polynomials(rule)
    logs = np.log(found @ np.exp(-np.arange(found.shape[2]) / (2 * alpha)))
    truths = np.array(ORDERS)
    by_hops, share = {}, 0.0
    for t, truth in enumerate(truths):
        loss = np.abs(logs[t] - logs).max(axis=1)
        moved = hops()[truth, truths].sum(axis=1)
        share = max(share, (loss[moved > 0] / (moved[moved > 0] / (2 * alpha))).max())
        swaps = (truth != truths).sum(axis=1) == 2
        for h in np.unique(moved[swaps]):
            worst = loss[swaps & (moved == h)].max()
            by_hops[int(h) // 2] = max(by_hops.get(int(h) // 2, 0.0), worst)
    return [round(by_hops[h], 3) for h in sorted(by_hops)], share


@pytest.mark.parametrize(
    ("rule", "alpha", "swaps"),
    [
        (by_scipy, 1, [1.000, 1.961, 2.783, 3.508]),
        (by_scipy, 2, [0.500, 0.968, 1.385, 1.796]),
        (lexicographic, 1, [1.000, 2.000, 3.000, 4.000]),
        (lexicographic, 2, [0.500, 1.000, 1.500, 2.000]),
    ],
)
def test_the_figures_of_the_guarantee(rule, alpha, swaps):
    """Ties decide whether a placement tells all that the draws do; the claim holds either way."""
    found, share = losses(rule, alpha)
    assert found == swaps
    assert share == pytest.approx(1.0, abs=1e-12)
