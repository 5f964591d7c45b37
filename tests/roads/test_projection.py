# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from pocin.roads.projection import AT_LEAST, AT_MOST, Projection, Rows


def made(seed: int, *, loads: bool, links: int = 14, rows: int = 10) -> tuple[Projection, Rows]:
    draw = np.random.default_rng(seed)
    d = draw.random(links)
    noisy = d + draw.random(links)
    true = d + 2 * draw.random(links) * (draw.random(links) < 0.4)
    start = np.arange(rows + 1) * 4
    positions = np.concatenate([draw.choice(links, 4, replace=False) for _ in range(rows)])
    values = draw.random(len(positions)) + 0.2 if loads else None
    low = Rows.of(start, positions, AT_LEAST, np.ones(rows), np.arange(rows), values=values)
    time = low.dot(true)
    low = low.bounded(0.95 * time)
    high = Rows.of(start, positions, AT_MOST, 1.05 * time, np.arange(rows), values=values)
    projection = Projection(noisy, d)
    projection.add(low)
    projection.add(high)
    return projection, low.and_(high)


def independent(projection: Projection, rows: Rows) -> float:
    """The same projection by another method."""
    size = len(projection.d)
    a = np.array([rows.combine(unit, size) for unit in np.eye(len(rows))])
    found = minimize(
        lambda w: np.sum((w - projection.noisy) ** 2) / 2,
        projection.noisy,
        jac=lambda w: w - projection.noisy,
        bounds=[(low, None) for low in projection.d],
        constraints={
            "type": "ineq",
            "fun": lambda w: rows.sign * (a @ w - rows.bound),
            "jac": lambda _: rows.sign[:, None] * a,
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    return float(found.fun)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("loads", [False, True])
def test_it_is_the_nearest_point(seed: int, *, loads: bool) -> None:
    projection, rows = made(seed, loads=loads)
    projection.ascend(5000, 1e-12, 1e-12)
    assert (projection.w >= projection.d).all()
    assert projection.violation().max() < 1e-11
    square = np.sum((projection.w - projection.noisy) ** 2) / 2
    assert square == pytest.approx(independent(projection, rows), rel=1e-7)
    assert square > 1e-3  # the noisy point would not do


def test_links_at_d_are_among_the_cases() -> None:
    """Steps that bend are what the inner loop is for."""
    at_d = 0
    for seed in range(8):
        projection, _ = made(seed, loads=False)
        projection.ascend(5000, 1e-12, 1e-12)
        at_d += int(np.sum(projection.y < projection.d))
    assert at_d > 5


@pytest.mark.parametrize("sweeps", [1, 2, 3, 9, 40])
def test_the_dual_value_is_a_bound_at_any_time(sweeps: int) -> None:
    projection, rows = made(3, loads=True)
    best = independent(projection, rows)
    projection.ascend(sweeps, 0.0, 0.0)
    assert projection.value() <= best * (1 + 1e-7)
    if sweeps == 40:
        assert projection.value() >= best * (1 - 1e-3)


def test_forgetting_rows_forgets_what_they_did() -> None:
    projection, rows = made(5, loads=False)
    projection.ascend(100, 0.0, 0.0)
    projection.drop(np.ones(len(rows), dtype=bool))
    np.testing.assert_array_equal(projection.w, projection.noisy)
    projection.add(rows)
    projection.ascend(5000, 1e-12, 1e-12)
    assert projection.value() == pytest.approx(independent(projection, rows), rel=1e-7)


def test_a_warm_start_goes_on_where_it_was() -> None:
    first, rows = made(6, loads=False)
    first.ascend(5000, 1e-12, 1e-12)
    again = Projection(first.noisy, first.d)
    again.add(rows, first.m)
    np.testing.assert_allclose(again.w, first.w, atol=1e-12)
    assert again.value() == pytest.approx(first.value(), rel=1e-12)


def test_rows_in_conflict_let_the_dual_grow_without_end() -> None:
    projection = Projection(np.array([1.0, 1.0]), np.zeros(2))
    start, links, trip = np.array([0, 2]), np.array([0, 1]), np.array([0])
    projection.add(Rows.of(start, links, AT_LEAST, np.array([3.0]), trip))
    projection.add(Rows.of(start, links, AT_MOST, np.array([1.0]), trip))
    projection.ascend(50, 0.0, 0.0)
    first = projection.value()
    projection.ascend(50, 0.0, 0.0)
    assert projection.value() > 1.5 * first > 0
