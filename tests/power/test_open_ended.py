# SPDX-License-Identifier: MIT
"""Piecewise linear costs begin and end at their units' limits: a release must not show where."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pocin import api
from pocin.audit.blindness import blindness
from pocin.plan import Request, plan
from pocin.power import split as splitting
from pocin.power.columns import BOOK
from pocin.power.curves import cost_at, open_ended
from pocin.power.grid import Costs
from pocin.power.leaks import leaks
from pocin.power.matpower import format_matpower, read_matpower
from pocin.power.split import split

RICH = read_matpower(Path(__file__).parents[1] / "data" / "rich.m")
LOAD = 259.0


def curve(points: list[tuple[float, float]]) -> Costs:
    flat = np.array(points).ravel()
    one = np.ones(1, dtype=np.int64)
    return Costs(one, 0.0 * one, 0.0 * one, len(points) * one, flat[None])


@st.composite
def convex(draw):
    """Points of a convex curve, as files have them: hundredths of a MW and of a $/h."""
    n = draw(st.integers(2, 5))
    steps = draw(st.lists(st.integers(100, 20_000), min_size=n - 1, max_size=n - 1))
    slopes = sorted(draw(st.lists(st.integers(-50, 9_000), min_size=n - 1, max_size=n - 1)))
    x = np.cumsum([draw(st.integers(-5_000, 5_000)), *steps]) / 100
    y = np.cumsum([draw(st.integers(0, 9_000)), *np.multiply(steps, slopes)]) / 100
    return list(zip(x.tolist(), np.round(y, 2).tolist(), strict=True))


@given(convex())
def test_the_cost_of_every_output_stays(points):
    costs = curve(points)
    low, high = points[0][0], points[-1][0]
    p = np.linspace(low, high, 50)
    before, after = cost_at(costs, p)[0], cost_at(open_ended(costs, LOAD), p)[0]
    steepest = max(abs(b - d) / (c - a) for (a, b), (c, d) in pairwise(points))
    assert np.abs(after - before).max() <= 0.02 + 1e-4 * steepest * (high - low)


@given(convex(), st.integers(1, 3_000), st.integers(1, 90))
def test_where_the_ends_were_is_gone(points, longer, shorter):
    """The same lines with ends elsewhere give the same bytes."""
    assume(points[0][0] != 0)
    (a, b), (c, d) = points[:2]
    (e, f), (g, h) = points[-2:]
    first, last = (d - b) / (c - a), (h - f) / (g - e)
    assume(all(abs(s * 10**4 % 1 - 0.5) > 1e-6 for s in (first, last)))  # no tie in rounding
    moved = list(points)
    begin = a + shorter / 100 * (c - a) if len(points) > 2 else a
    assume((begin >= 0) == (a >= 0))
    moved[0] = begin, b + first * (begin - a)
    moved[-1] = g + longer / 100, h + last * longer / 100
    one, other = (open_ended(curve(each), LOAD).coefficients for each in (points, moved))
    assert np.abs(one - other).max() <= 1e-5
    assert np.isin(one[0, [0, -2]], [0.0, 1_000.0, -1_000.0, 10_000.0, -10_000.0]).all()


@given(convex())
def test_it_stays_convex_and_twice_is_once(points):
    once = open_ended(curve(points), LOAD)
    x, y = once.coefficients.reshape(-1, 2).T
    slopes = np.diff(y) / np.diff(x)
    assert (np.diff(x) > 0).all()
    assert (np.diff(slopes) >= -1e-9 * np.abs(slopes).max()).all()
    again = open_ended(once, LOAD).coefficients
    assert np.abs(again - once.coefficients).max() <= 1e-5


def test_a_curve_that_ends_at_the_capacity_tells_it_no_more():
    """The grid's curve ends at 61.19, the unit's Pmax."""
    assert 61.19 in RICH.costs.coefficients[0]
    _, secret = split(RICH, BOOK.find(None))
    assert not np.isin(secret.values / 100, secret.moved).any()
    quicker = replace(
        RICH, units=replace(RICH.units, pmax=np.where(RICH.units.bus == 4, 50.0, RICH.units.pmax))
    )
    points = quicker.costs.coefficients.copy()
    points[0, 4:6] = 50, 330 + 17 * 20
    _, other = split(
        replace(quicker, costs=replace(RICH.costs, coefficients=points)), BOOK.find(None)
    )
    assert np.array_equal(secret.moved, other.moved)


def test_truth_blindness_sees_a_curve_that_ends_where_the_capacity_does(monkeypatch):
    request = Request(seed=0, cost_figure=2690.8)
    assert blindness(plan(api.read("tests/data/rich.m"), request), 2690.8)[0].passed
    monkeypatch.setattr(splitting, "open_ended", lambda costs, _: costs)
    finding, _ = blindness(plan(api.read("tests/data/rich.m"), request), 2690.8)
    assert finding.figures["seen"] == ["values changed, in the list of what moves"]


def test_the_audit_finds_such_ends_in_files_of_other_tools():
    units = replace(RICH.units, pmax=RICH.units.pmax * 1.1)
    theirs = replace(RICH, units=units)
    document = {"": format_matpower(theirs, (), "case").encode()}
    told = leaks("tests/data/rich.m", RICH, theirs, document, BOOK.find(None))
    assert any("end at a unit's real capacity" in said for said in told)


@pytest.mark.parametrize("end", [61.19, 1_000.0])
def test_a_release_of_its_own_has_none(end):
    """Even where a real capacity happens to be the power of ten that all curves end at."""
    points, pmax = RICH.costs.coefficients.copy(), RICH.units.pmax.copy()
    points[0, 4:6], pmax[0] = (end, 330 + 17 * (end - 30)), end
    grid = replace(
        RICH,
        units=replace(RICH.units, pmax=pmax),
        costs=replace(RICH.costs, coefficients=points),
    )
    opened = replace(grid, costs=open_ended(grid.costs, LOAD))
    told = leaks("tests/data/rich.m", grid, opened, {"": b""}, BOOK.find(None))
    assert not any("real capacity" in said for said in told)
