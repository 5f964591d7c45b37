# SPDX-License-Identifier: MIT
"""The private mean trip time: its value by networkx, its sensitivity by brute force, its width."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.roads.catalogue import CITIES, GAMMA, another_readers_mean, city, roads

from pocin import api, flow
from pocin.errors import UsageError
from pocin.plan import Request, plan
from pocin.privacy.noise import SeededNoise
from pocin.roads.figure import mean_time, noise_scale, private_figure, reach, step, width
from pocin.roads.gmns import write
from pocin.roads.kind import ROADS
from pocin.roads.split import split


def cut(name, gamma=GAMMA, cap=50_000.0):
    policy = ROADS.book.find("pairs").with_constants(cap=cap)
    return split(roads(name), policy, gamma)


def promise(epsilon="1"):
    return SimpleNamespace(figure=SimpleNamespace(epsilon=Fraction(epsilon)))


def steps(public, counts):
    """k(t): what noise is added to, for whole counts by site."""
    clipped = np.minimum(counts, float(reach(public.policy)))
    mean = mean_time(public, public.links.d + public.gamma * clipped)
    return math.floor(mean / float(step(public)) + 0.5)


class Silent:
    """No noise; it remembers what it was asked for."""

    def laplace(self, values, scale):
        self.values, self.scale = values, scale
        return values


@pytest.mark.parametrize("name", CITIES)
def test_without_noise_it_is_the_mean_trip_time_of_the_counts(name):
    public, secret = cut(name)
    silent = Silent()
    found = private_figure(public, secret, promise("1/2"), silent)
    whole = roads(name)
    counts = np.floor(whole.links.volume + 0.5)
    table = replace(whole, links=replace(whole.links, volume=counts))
    expected = another_readers_mean(write(table), GAMMA)
    assert found == pytest.approx(expected, abs=float(step(public)))
    assert silent.scale == noise_scale(public, promise("1/2"))
    assert silent.scale * step(public) == pytest.approx(50_000 * 1.001 * GAMMA * 2, rel=1e-9)


def test_counts_are_clipped_to_the_cap():
    public, secret = cut("block", cap=1100.0)
    found = private_figure(public, secret, promise(), Silent())
    lower = split(
        replace(roads("block"), links=replace(roads("block").links, volume=np.full(24, 1100.0))),
        public.policy, GAMMA,
    )  # fmt: skip
    assert found < private_figure(*lower, promise(), Silent())


# ----------------------------------------------- |k(t) - k(t')| <= L (swaps cap + sum |t - t'|)


def per_vehicle(public):
    return math.ceil(Fraction(public.gamma) / step(public)) + 1


@pytest.mark.parametrize("name", CITIES)
@pytest.mark.parametrize("gamma", [1e-7, GAMMA, 3.7])
def test_every_swap_costs_at_most_epsilon(name, gamma):
    cap = 1300.0
    public, secret = cut(name, gamma, cap)
    counts = np.empty(len(secret))
    counts[secret.sites] = secret.values
    here = steps(public, counts)
    moves = []
    for a, b in combinations(range(len(counts)), 2):
        other = counts.copy()
        other[[a, b]] = other[[b, a]]
        moves.append(abs(steps(public, other) - here))
    assert max(moves) <= per_vehicle(public) * cap
    assert max(moves) > 0


@given(
    st.sampled_from(sorted(CITIES)),
    st.floats(1e-6, 1e3),
    st.integers(1, 2_000),
    st.lists(st.integers(0, 3_000), min_size=30, max_size=30),
    st.lists(st.integers(-60, 60) | st.integers(-3_000, 3_000), min_size=30, max_size=30),
)
@settings(max_examples=150, deadline=None)
def test_changes_of_values_cost_in_proportion(name, gamma, cap, base, changes):
    public, secret = cut(name, gamma, float(cap))
    counts = np.array(base[: len(secret)], dtype=float)
    other = np.maximum(0.0, counts + np.array(changes[: len(secret)]))
    moved = abs(steps(public, other) - steps(public, counts))
    assert moved <= per_vehicle(public) * np.abs(other - counts).sum()


def test_one_vehicle_can_cost_all_that_is_claimed():
    # two nodes, one way: the bound is met, so no smaller noise would do
    public, _ = cut("ring")
    counts = np.full(5, 1000.0)
    more = counts + 1
    moved = steps(public, more) - steps(public, counts)
    assert moved / (per_vehicle(public) * 5) > 0.4


def test_a_step_is_wider_than_floats_are_off():
    # adding a vehicle to a path where gamma drowns in d: k must not jump
    public, _ = cut("islands", gamma=1e-14)
    counts = np.full(7, 1e9)
    assert float(step(public)) > 2e-14
    for e in range(7):
        other = counts.copy()
        other[e] += 1
        assert abs(steps(public, other) - steps(public, counts)) <= per_vehicle(public)


# ---------------------------------------------------------------------------------------- width


def test_the_width_holds_19_times_in_20():
    policy = ROADS.book.find("pairs").with_constants(cap=2000.0)
    public, secret = split(roads("block"), policy, 1e-4)
    told = width(public, promise("1"), 0.9)
    true = private_figure(public, secret, promise("1"), Silent())
    drawn = [private_figure(public, secret, promise("1"), SeededNoise(k)) for k in range(600)]
    inside = np.mean([abs(figure - true) <= told for figure in drawn])
    assert 0.92 <= inside <= 0.98


def test_noise_that_is_too_wide_is_refused_before_it_is_spent():
    request = Request(api.privacy(epsilon_cost="1/2"), seed=0)
    with pytest.raises(UsageError, match=r"wider than beta allows .*: raise it .* times, lower"):
        plan(city("block"), request)


def test_trips_that_take_no_time_allow_no_noise():
    content = city("ring").content
    idle = replace(content, links=replace(content.links, d=np.zeros(5)))
    with pytest.raises(UsageError, match=r"\(about 0\): lower the policy's cap"):
        plan(replace(city("ring"), content=idle), Request(api.privacy(epsilon_cost="1"), seed=0))


def test_a_release_with_a_private_figure(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[constants]\ncap = 1500\n")
    network = city("ring", gamma=1e-3)
    request = Request(
        api.privacy(epsilon_cost="2"), 0.5, str(own), seed=5,
    )  # fmt: skip
    planned = plan(network, request)
    assert planned.width == pytest.approx(1500 * 1.001e-3 / 2 * math.log(20), rel=1e-6)
    made = flow.release(network, request)
    assert made.guarantee.figure.source == "private"
    assert made.guarantee.total == 4
    # any swap costs its hops' share and epsilon_c; a change by the cap as much
    assert made.guarantee.loss(hops_moved=4, swaps=1) == 1 + 2
    assert made.guarantee.loss(value_change=1500) == 150 + 2
    assert "2 x (swaps of two elements + (sum of |value change|) / 1500 veh)" in (
        made.guarantee.statement
    )


def test_a_declared_figure_that_empty_roads_exceed_is_refused_before_the_spend():
    network = city("ring")  # without traffic 300 m a trip
    said = r"--cost-figure: the mean trip takes 300 without any traffic, over beta more than this"
    with pytest.raises(UsageError, match=said):
        plan(network, Request(beta=0.1, cost_figure=300 / 1.1 - 1e-3, seed=0))
    made = plan(network, Request(beta=0.1, cost_figure=300 / 1.1, seed=0))
    assert made.declared == 300 / 1.1


def test_it_serves_no_single_trips():
    request = Request(
        api.privacy(epsilon_cost="1"),
        choices=(("reading", "per-trip"), ("trip_times", "computed")),
        seed=0,
    )
    with pytest.raises(UsageError, match="the other choices bring the figure; leave them out"):
        plan(city("block"), request)
