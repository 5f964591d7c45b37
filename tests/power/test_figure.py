# SPDX-License-Identifier: MIT
"""The private cost figure: its value against a QP, its sensitivity by properties, its width."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin import api
from pocin.errors import UsageError
from pocin.kinds import Network
from pocin.plan import Request, plan
from pocin.power.figure import _curves, merit_order_cost, noise_scale, private_figure, step
from pocin.power.grid import Costs
from pocin.power.public import MEGAWATT
from pocin.privacy.noise import SeededNoise
from pocin.privacy.settings import Privacy

GRID = Fraction(MEGAWATT.step)

# ------------------------------------------------------------------------------- small networks


def curve(kind, a, b, c, d):
    """A row of gencost: linear, quadratic, or piecewise linear and convex."""
    if kind == "linear":
        return [2, 0, 0, 2, a, b, 0, 0, 0, 0]
    if kind == "quadratic":
        return [2, 0, 0, 3, c / 100, a, b, 0, 0, 0]
    first = 10 + d
    return [1, 0, 0, 3, 0, b, first, b + a * first, 2 * first, b + (2 * a + c) * first]


curves = st.builds(
    curve,
    st.sampled_from(["linear", "quadratic", "piecewise"]),
    *[st.integers(0, 60).map(float)] * 4,
)
whole = st.integers(0, 20_000)


@st.composite
def networks(draw):
    """A public part as far as the figure asks, grid values, and the moved columns."""
    moved = np.array(draw(st.lists(curves, min_size=1, max_size=4)))
    fixed = np.array(draw(st.lists(curves, max_size=2))).reshape(-1, 10)
    caps = np.array([draw(st.sampled_from([0.0, 25.0, 60.0])) for _ in fixed])
    surcharge = draw(st.sampled_from([0.3, 7.0, 40.0]))
    public = SimpleNamespace(
        policy=SimpleNamespace(constants={"surcharge": surcharge, "figure_factor": 1.0}),
        buses=SimpleNamespace(pd=np.array([float(draw(st.integers(1, 300))), 5e6])),
        live=np.array([True, False]),
        fixed=SimpleNamespace(pmax=caps),
        fixed_costs=SimpleNamespace(matrix=fixed),
        moved_columns=lambda moved: SimpleNamespace(costs=moved),
    )
    return public, np.array([draw(whole) for _ in moved]), moved


def by_qp(public, v, moved):
    """C(v) by another way: its primal, by IPOPT."""
    matrix = np.vstack([moved, public.fixed_costs.matrix[public.fixed.pmax > 0]])
    caps = np.concatenate([v, public.fixed.pmax[public.fixed.pmax > 0]])
    costs = Costs.from_matrix(matrix)
    n = len(caps)
    p, over, cost = (ca.SX.sym(name, n) for name in ("p", "over", "cost"))
    total, rows, low, high = 0, [ca.sum1(p)], [public.buses.pd[0]], [public.buses.pd[0]]
    for i in range(n):
        k, numbers = int(costs.n[i]), costs.coefficients[i]
        if costs.model[i] == 1:
            x, y = numbers[0 : 2 * k : 2], numbers[1 : 2 * k : 2]
            lines = [
                y[j] + (y[j + 1] - y[j]) / (x[j + 1] - x[j]) * (p[i] - x[j]) for j in range(k - 1)
            ]
            rows += [cost[i] - line for line in lines]
            low, high = low + [0] * len(lines), high + [np.inf] * len(lines)
            total += cost[i]
        else:
            total += sum(numbers[j] * p[i] ** (k - 1 - j) for j in range(k)) + 0 * cost[i]
        rows.append(p[i] - over[i])
        low, high = [*low, -np.inf], [*high, caps[i]]
    total += public.policy.constants["surcharge"] * ca.sum1(over)
    qp = {"x": ca.vertcat(p, over, cost), "f": total, "g": ca.vertcat(*rows)}
    quiet = {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes", "ipopt.tol": 1e-9}
    solver = ca.nlpsol("qp", "ipopt", qp, {"error_on_fail": True, **quiet})
    least = [-np.inf if model == 1 else 0.0 for model in costs.model]
    most = [np.inf if model == 1 else 0.0 for model in costs.model]
    solved = solver(
        x0=1, lbx=[0] * (2 * n) + least, ubx=[np.inf] * (2 * n) + most, lbg=low, ubg=high
    )
    return float(solved["f"])


def steps(public, values, moved):
    """k(v): what noise is added to."""
    cost = merit_order_cost(public, MEGAWATT.real(values), moved)
    return math.floor(cost / float(step(public, moved)) + 0.5)


def promise(alpha="10", epsilon="1"):
    return SimpleNamespace(
        value=SimpleNamespace(alpha=Fraction(alpha)),
        figure=SimpleNamespace(epsilon=Fraction(epsilon)),
    )


# --------------------------------------------------------------------------------------- tests


@given(networks())
@settings(max_examples=80, deadline=None)
def test_it_is_the_least_cost(network):
    public, values, moved = network
    v = MEGAWATT.real(values)
    found = merit_order_cost(public, v, moved)
    assert found == pytest.approx(by_qp(public, v, moved), rel=1e-6, abs=1e-4)


@given(networks(), st.data())
@settings(max_examples=150, deadline=None)
def test_a_change_of_values_costs_its_share_at_every_distance(network, data):
    """The exact loss |k - k'| / scale stays within eps_c (sum of |change|) / alpha_v."""
    public, values, moved = network
    other = np.array([data.draw(st.one_of(st.just(v), whole, st.just(v + 1))) for v in values])
    apart = abs(steps(public, values, moved) - steps(public, other, moved))
    change = Fraction(int(np.abs(values - other).sum())) * GRID
    assert apart / noise_scale(public, moved, promise()) <= change / 10


def test_rounding_counted_once_for_alpha_would_not_do():
    """Capacities one grid unit apart, and the scale (lambda alpha / step + 1) / eps_c."""
    public = SimpleNamespace(
        policy=SimpleNamespace(constants={"surcharge": 0.01, "figure_factor": 1.0}),
        buses=SimpleNamespace(pd=np.array([100.0])),
        live=np.array([True]),
        fixed=SimpleNamespace(pmax=np.zeros(0)),
        fixed_costs=SimpleNamespace(matrix=np.zeros((0, 10))),
        moved_columns=lambda moved: SimpleNamespace(costs=moved),
    )
    moved = np.array([curve("linear", 1.0, 0.0, 0, 0)])
    scale = Fraction(1, 100) * 10 / step(public, moved) + 1
    k = [steps(public, np.array([value]), moved) for value in range(400)]
    apart = max(abs(a - b) for a, b in pairwise(k))
    share = GRID / 10
    assert apart / scale > 5 * share
    assert apart / noise_scale(public, moved, promise()) <= share


@given(networks(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_moving_elements_leaves_it_as_it_is_to_the_last_bit(network, random):
    public, values, moved = network
    order = random.sample(range(len(values)), len(values))
    v = MEGAWATT.real(values)
    assert merit_order_cost(public, v, moved) == merit_order_cost(public, v[order], moved[order])


@given(networks())
@settings(max_examples=30, deadline=None)
def test_twice_what_floats_can_be_off_is_within_a_step(network):
    """By prices that move the sum in floats only: the QP is not exact enough for this."""
    public, values, moved = network
    v, size = MEGAWATT.real(values), float(step(public, moved))
    again = merit_order_cost(public, v, moved)
    exact = by_fractions(public, values, moved)
    if exact is not None:
        assert abs(Fraction(again) - exact) <= Fraction(size) / 2


def by_fractions(public, values, moved):
    """C(v) exactly, in merit order, where all curves are linear; else None."""
    matrix = np.vstack([moved, public.fixed_costs.matrix[public.fixed.pmax > 0]])
    if np.any(matrix[:, 0] != 2) or np.any(matrix[:, 3] != 2):
        return None
    caps = [GRID * int(v) for v in values]
    caps += [Fraction(c) for c in public.fixed.pmax[public.fixed.pmax > 0]]
    surcharge = Fraction(public.policy.constants["surcharge"])
    price, base = ([Fraction(float(x)) for x in matrix[:, at]] for at in (4, 5))
    left, cost = Fraction(public.buses.pd[0]), sum(base)
    blocks = [*zip(price, caps, strict=True), (min(price) + surcharge, None)]
    for each, cap in sorted(blocks, key=lambda block: block[0]):
        taken = left if cap is None else min(cap, left)
        left, cost = left - taken, cost + taken * each
    return cost


def planned(name, epsilon, **changes):
    network = changes.pop("network", None) or api.read(name)
    privacy = Privacy(epsilon_cost=Fraction(epsilon), alpha_value="10MW")
    return plan(network, Request(privacy=privacy, **changes))


def test_the_stated_width_holds_nineteen_times_in_twenty():
    found = planned("ieee118", "2")
    cost = (
        merit_order_cost(found.public, MEGAWATT.real(found.secret.values), found.secret.moved)
        * found.public.policy.constants["figure_factor"]
    )
    drawn = np.array([found.private_figure(SeededNoise(seed)) for seed in range(500)])
    share = np.mean(np.abs(drawn - cost) > found.width)
    assert abs(share - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 500)
    scale = float(noise_scale(found.public, found.secret.moved, found.guarantee))
    assert scale * float(step(found.public, found.secret.moved)) == pytest.approx(200.5)  # $/h


def test_it_is_refused_where_its_noise_is_wider_than_beta_allows():
    with pytest.raises(UsageError, match="wider than beta"):
        planned("ieee14", "1/4")
    with pytest.raises(UsageError, match="wider than beta"):
        planned("ieee118", "1", beta=0.001)


def test_the_refusal_sees_no_value():
    """Twice the capacities: the same width, the same judgement, the same step."""
    network = api.read("ieee118")
    units = network.content.units
    larger = replace(network.content, units=replace(units, pmax=2 * units.pmax))
    twin = Network(network.kind, larger, network.name)
    assert planned("", 2, network=twin).width == planned("ieee118", 2).width
    a, b = planned("ieee118", 2), planned("", 2, network=twin)
    assert noise_scale(a.public, a.secret.moved, a.guarantee) == noise_scale(
        b.public, b.secret.moved, b.guarantee
    )


def test_public_units_take_part(tmp_path):
    """With --only, the other units serve load too: they are public."""
    only = tmp_path / "only.txt"
    only.write_text("10\n")
    network = api.read("ieee118")
    some = plan(network, Request(seed=0, cost_figure=1.0, only=only))
    every = plan(network, Request(seed=0, cost_figure=1.0))
    assert len(some.secret) == 1

    def cost(found):
        return merit_order_cost(
            found.public, MEGAWATT.real(found.secret.values), found.secret.moved
        )

    assert cost(some) == pytest.approx(cost(every), rel=1e-12)
    assert len(_curves(some.public, some.secret.moved).polynomial) == len(every.secret)


def test_it_is_positive_whatever_the_noise():
    class Low:
        private = False

        def laplace(self, values, scale):
            assert scale > 0
            return values - 10**12

    found = planned("ieee118", "2")
    assert private_figure(found.public, found.secret, found.guarantee, Low()) > 0
