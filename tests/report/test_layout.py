# SPDX-License-Identifier: MIT
"""Layouts: of the edges alone, the same every time, true to hops, in the frame, and quick."""

from time import process_time

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from tests.report.large import tiled

import pocin
from pocin.arrays import Floats, Ints
from pocin.report.layout import WIDTH, layout


def placed(ends: Ints, n: int) -> Floats:
    unknown = np.full(n, np.nan)
    return layout(ends, n, unknown, unknown).xy


def hops(ends: Ints, n: int) -> Floats:
    ones = np.ones(len(ends))
    graph = coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
    return np.asarray(shortest_path(graph, directed=False, unweighted=True))


def lattice(side: int) -> Ints:
    at = np.arange(side * side).reshape(side, side)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    down = np.column_stack([at[:-1].ravel(), at[1:].ravel()])
    return np.vstack([across, down])


def stress(xy: Floats, d: Floats) -> float:
    """Return the stress of all pairs at the scale that suits the drawing best."""
    i, j = np.triu_indices(len(xy), 1)
    apart, real = np.linalg.norm(xy[i] - xy[j], axis=1), d[i, j]
    scale = np.sum(apart / real) / np.sum(apart**2 / real**2)
    return float(np.mean((scale * apart - real) ** 2 / real**2))


@pytest.mark.parametrize("side", [2, 5, 12])
def test_a_lattice_is_drawn_as_one(side: int) -> None:
    ends = lattice(side)
    xy = placed(ends, side * side)
    long = np.linalg.norm(xy[ends[:, 0]] - xy[ends[:, 1]], axis=1)
    assert long.max() < 1.6 * long.min()
    # Hops are |dx| + |dy|, which a plane cannot show: this is the stress of the true drawing.
    true = np.column_stack(np.divmod(np.arange(side * side), side)).astype(float)
    d = hops(ends, side * side)
    assert stress(xy, d) < 1.05 * stress(true, d) + 1e-6


@pytest.mark.parametrize("case", ["ieee118", "ieee300"])
def test_a_case_is_drawn_better_than_by_its_start_and_by_chance(case: str) -> None:
    drawing = (network := pocin.read(case)).kind.drawing(network.content)
    n, d = len(drawing.nodes), hops(drawing.ends, len(drawing.nodes))
    found = stress(placed(drawing.ends, n), d)
    chance = stress(np.random.default_rng(1).random((n, 2)), d)
    assert found < 0.05
    assert found < chance / 4


def test_the_same_edges_give_the_same_picture_in_any_order() -> None:
    ends = lattice(9)
    first = placed(ends, 81)
    assert np.array_equal(first, placed(ends, 81))
    turned = placed(ends[::-1][:, ::-1], 81)
    assert np.allclose(first, turned, atol=0.2)


def test_twins_are_drawn_apart() -> None:
    star = np.column_stack([np.zeros(12, dtype=np.int64), np.arange(1, 13)])
    xy = placed(star, 13)
    i, j = np.triu_indices(13, 1)
    assert np.linalg.norm(xy[i] - xy[j], axis=1).min() > 20


@pytest.mark.parametrize(
    ("n", "ends"),
    [
        (0, np.zeros((0, 2), dtype=np.int64)),
        (1, np.zeros((0, 2), dtype=np.int64)),
        (7, np.zeros((0, 2), dtype=np.int64)),
        (3, np.array([[0, 0], [0, 1], [0, 1], [1, 2]])),
        (9, np.array([[0, 1], [1, 2], [3, 4], [5, 6], [6, 7], [7, 5]])),
    ],
)
def test_odd_networks_stay_in_the_frame(n: int, ends: Ints) -> None:
    unknown = np.full(n, np.nan)
    made = layout(ends, n, unknown, unknown)
    assert made.xy.shape == (n, 2)
    assert np.isfinite(made.xy).all()
    assert (made.xy >= 0).all()
    assert (made.xy <= [WIDTH, made.height]).all()
    assert len(np.unique(made.xy, axis=0)) == n


def test_coordinates_are_kept_as_on_a_map() -> None:
    x, y = np.array([-83.80, -83.60, -83.80]), np.array([42.2, 42.2, 42.3])
    made = layout(np.array([[0, 1], [1, 2]]), 3, x, y)
    assert made.geographic
    east, north = made.xy[1] - made.xy[0], made.xy[2] - made.xy[0]
    assert east[0] > 0
    assert north[1] < 0  # up
    assert -north[1] / east[0] == pytest.approx(0.1 / (0.2 * np.cos(np.radians(42.233))), rel=0.01)


def test_ten_thousand_buses_take_seconds() -> None:
    grid = tiled()
    drawing = pocin.read("ieee14").kind.drawing(grid)
    began = process_time()
    xy = placed(drawing.ends, len(drawing.nodes))
    assert process_time() - began < 15
    long = np.linalg.norm(xy[drawing.ends[:, 0]] - xy[drawing.ends[:, 1]], axis=1)
    assert np.median(long) < WIDTH / 50  # neighbours are near
