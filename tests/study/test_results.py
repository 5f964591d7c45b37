# SPDX-License-Identifier: MIT
"""Settings stand in the order of their numbers, whatever files are called."""

import pytest

from pocin.study.results import values

pl = pytest.importorskip("polars")


@pytest.mark.parametrize(
    "ordered",
    [
        ["ieee14", "ieee118", "mygrid.m"],
        ["case9_v1.2.m", "case30.m", "a.b.m", "grid.m"],
        ["2hops", "10hops"],
        ["0.1MW", "1MW", "10MW"],
        [1e-05, 0.1, 1.0, 10.0],
        [None],
    ],
)
def test_values_are_in_the_order_of_their_numbers(ordered):
    assert values(pl.DataFrame({"x": [*ordered[::-1], *ordered]}), "x") == ordered
