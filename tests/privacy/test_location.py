# SPDX-License-Identifier: MIT
"""Phase 1: the draws follow their law, records forget their source, and the bound is tight."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.audit.enumerate import Table, exact_loss, laws, source_orders_seen
from pocin.audit.fit import LEAST_P, chi_square
from pocin.audit.shuffles import Product
from pocin.errors import UsageError
from pocin.privacy.draws import seal
from pocin.privacy.location import SoftmaxLocations, assign, mechanism
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SeededNoise, SystemNoise
from pocin.privacy.permutation import PermutationLocations
from pocin.privacy.secret import Secret

PATH = Table(np.abs(np.subtract.outer(np.arange(5), np.arange(5))))
STAR = Table(2 - 2 * np.eye(4, dtype=np.int64))


@st.composite
def records(draw, most=7):
    """Raw draws with many ties, and a metric for their sites."""
    n = draw(st.integers(1, most))
    column = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    sites, values = np.array(draw(column)), np.array(draw(column))
    moved = np.array([draw(column), draw(column)], dtype=float).T
    places = np.array(draw(column))
    return sites, values, moved, Table(np.abs(np.subtract.outer(places, places)))


@given(records(), st.randoms(use_true_random=False))
def test_sealing_forgets_the_order_of_the_source(raw, rng):
    sites, values, moved, metric = raw
    order = np.array(rng.sample(range(len(sites)), len(sites)))
    one, trace = seal(sites, values, moved)
    other, _ = seal(sites[order], values[order], moved[order])
    for column in ("sites", "values", "moved"):
        assert np.array_equal(getattr(one, column), getattr(other, column))
    assert np.array_equal(sites[trace.element], one.sites)
    assert np.array_equal(moved[trace.element], one.moved)
    assert np.array_equal(assign(one, metric), assign(other, metric))


def test_what_is_secret_does_not_show_where_it_is_printed():
    raw = np.array([4711, 815])
    for held in (Secret(raw, raw, raw[:, None].astype(float)), seal(raw, raw, raw[:, None])[1]):
        name = f"<{type(held).__module__}.{type(held).__name__} object"
        assert [shown.partition(" at 0x")[0] for shown in (repr(held), f"{held}")] == [name] * 2


def test_a_negative_zero_does_not_tell_the_order_of_the_source():
    # Two records at one site, both clamped to 0, whose curves differ in the sign of a zero: equal
    # to a sort, and written as 0 and -0 in whatever order the source had.
    sites, values, zeros = np.zeros(2, int), np.zeros(2, int), np.array([[0.0], [-0.0]])
    one, other = (seal(sites, values, moved)[0] for moved in (zeros, zeros[::-1]))
    assert one.moved.tobytes() == other.moved.tobytes()


@given(records())
def test_records_are_sorted_by_all_their_columns(raw):
    sites, values, moved, _ = raw
    sealed, _ = seal(sites, values, moved)
    rows = np.column_stack([sealed.sites, sealed.values, sealed.moved]).tolist()
    assert rows == sorted(rows)


@given(records(most=6))
@settings(deadline=None)
def test_the_assignment_is_a_cheapest_permutation(raw):
    sites, values, moved, metric = raw
    draws, _ = seal(sites, values, moved)
    placed = assign(draws, metric)
    n, hops = len(sites), metric.matrix()
    assert sorted(placed.tolist()) == list(range(n))

    def cost(record):
        return sum(int(hops[draws.sites[record[s]], s]) for s in range(n))

    assert cost(placed) == min(cost(other) for other in permutations(range(n)))


@given(records(most=6))
@settings(deadline=None)
def test_an_extra_cost_is_added(raw):
    sites, values, moved, metric = raw
    draws, _ = seal(sites, values, moved)
    wanted = np.roll(np.arange(len(sites)), 1)
    extra = np.full((len(sites),) * 2, 1e3)
    extra[wanted, np.arange(len(sites))] = 0
    assert np.array_equal(assign(draws, metric, extra), wanted)


@pytest.mark.parametrize("noise", [SystemNoise(), SeededNoise(2)], ids=["system", "seeded"])
def test_the_draws_fit_the_law(noise):
    drawn = SoftmaxLocations(Fraction(1), Fraction(2)).draw(np.full(8000, 1), PATH, noise)
    weights = np.exp(-PATH.row(1) / 4)
    assert chi_square(np.bincount(drawn, minlength=5), weights / weights.sum()) > LEAST_P


@pytest.mark.parametrize("table", [None, 0], ids=["table", "search"])
def test_a_hop_costs_epsilon_over_two_alpha(table):
    """exp(-eps d / (2 alpha)), however the distances are found; laws near by are told from it."""
    line = np.column_stack([np.arange(4), np.arange(1, 5)])
    metric = Hops(line, 5, np.arange(5), table)
    softmax = SoftmaxLocations(Fraction(3), Fraction(2))
    drawn = softmax.draw(np.full(8000, 1), metric, SeededNoise(3))
    counts = np.bincount(drawn, minlength=5)
    assert drawn.dtype == np.int64
    assert ("net" in vars(metric)) == (table == 0)  # which only searches want
    for x, fits in ((1 / 2, False), (3 / 4, True), (1, False), (3 / 2, False)):
        weights = np.exp(-x * metric.row(1))
        assert (chi_square(counts, weights / weights.sum()) > LEAST_P) == fits
    assert softmax.draw(np.empty(0, int), metric, SeededNoise(3)).dtype == np.int64


def test_a_mechanism_is_known_by_its_name():
    assert mechanism("softmax") is SoftmaxLocations
    assert mechanism("permutation") is PermutationLocations
    with pytest.raises(UsageError) as refused:
        mechanism("markov")
    assert str(refused.value) == "--mechanism: expected one of softmax, permutation"


def test_nearer_sites_are_likelier():
    drawn = SoftmaxLocations(Fraction(4), Fraction(1)).draw(np.full(3000, 0), PATH, SystemNoise())
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] > counts[1] > counts[2]
    assert drawn.dtype == np.int64


def test_the_loss_is_eps_for_two_elements_alpha_hops_apart():
    softmax = SoftmaxLocations(Fraction(3, 2), Fraction(7, 3))
    assert softmax.loss(2 * Fraction(7, 3)) == Fraction(3, 2)
    assert softmax.loss(0) == 0


@pytest.mark.parametrize("table", [PATH, STAR], ids=["path", "star"])
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(2), Fraction(5, 2)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1), Fraction(3)])
def test_the_exact_loss_keeps_the_claim(table, alpha, epsilon):
    found = exact_loss(laws(Product(epsilon, alpha), table), float(epsilon), float(alpha))
    assert found.worst <= float(epsilon) * (1 + 1e-12)
    assert found.graded <= 1 + 1e-12


def test_the_bound_is_tight_on_a_path():
    found = exact_loss(laws(Product(Fraction(1), Fraction(1)), PATH), 1.0, 1.0)
    assert found.worst == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("table", [Table(PATH.hops[:4, :4]), STAR], ids=["path", "star"])
def test_no_order_of_the_source_changes_the_law(table):
    assert source_orders_seen(Product(Fraction(1), Fraction(2)), table) == 0


class Reassigned(Product):
    """Phase 3's other assignment: an extra cost that is a function of records and sites."""

    def place(self, drawn, names, metric, standing):
        del standing
        draws, _ = seal(drawn, names, names[:, None].astype(float))
        extra = 0.4 * draws.values[:, None] * np.arange(len(names))[::-1]
        return draws.values[assign(draws, metric, extra)]


def test_reassigning_the_same_draws_costs_nothing():
    found = exact_loss(laws(Reassigned(Fraction(1), Fraction(2)), PATH), 1.0, 2.0)
    assert found.worst <= 1 + 1e-12
    assert found.graded <= 1 + 1e-12
    assert source_orders_seen(Reassigned(Fraction(1), Fraction(2)), STAR) == 0
