# SPDX-License-Identifier: MIT
"""Sums in one order, and phase 3 under any number of threads of linear algebra."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from pocin.roads.sums import dot, norm, triangle


def test_they_are_what_their_names_say() -> None:
    draw = np.random.default_rng(0)
    a, b = draw.normal(size=(2, 1001))
    assert dot(a, b) == pytest.approx(float(a @ b))
    assert norm(a) == pytest.approx(float(np.linalg.norm(a)))


def test_the_triangle_has_the_same_squares() -> None:
    """R^T R = X X^T, also where rows nearly coincide or do."""
    draw = np.random.default_rng(1)
    rows = draw.random((6, 300))
    rows[4] = rows[3] + 1e-9 * draw.random(300)
    rows[5] = rows[0]
    found = triangle(rows)
    np.testing.assert_allclose(found.T @ found, rows @ rows.T, rtol=1e-12)
    np.testing.assert_array_equal(found, np.triu(found))


SOLVE = """
import hashlib
import numpy as np
from pocin.roads.choice import Effort
from pocin.roads.city import make_city
from pocin.roads.fidelity import restore
from pocin.roads.problem import RestoreProblem
from pocin.roads.shortest import trip_times

roads = make_city(16_000, 400, 3)
d, gamma = roads.links.d, roads.gamma
volume = np.random.default_rng(0).permutation(roads.links.volume)
times = trip_times(roads, d + gamma * roads.links.volume)
common = dict(
    tail=roads.tail, head=roads.head, node_count=len(roads.nodes),
    no_through=np.array(roads.nodes.no_through), d=np.array(d), noisy=d + gamma * volume,
    origins=roads.origins, destinations=roads.destinations, weights=np.ones(400),
    beta=0.02, grid=gamma * 1e-3,
)
for total, each in ((None, times), (1.2 * float(np.mean(times)), None)):
    found = restore(RestoreProblem(**common, total=total, times=each), effort=Effort(nodes=1))
    print(hashlib.sha256(found.w.tobytes()).hexdigest(), found.bound, found.diagnostics)
"""


@pytest.mark.slow
def test_cores_do_not_matter() -> None:
    """Long enough for a library of linear algebra to divide its sums."""
    outputs = []
    for threads in ("1", "2", "3"):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = os.environ | dict.fromkeys(names, threads)
        told = subprocess.run(
            [sys.executable, "-c", SOLVE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(told.stdout)
    assert outputs[0].count("\n") == 2
    assert outputs[0] == outputs[1] == outputs[2]
