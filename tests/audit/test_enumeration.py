# SPDX-License-Identifier: MIT
"""The exact law: right by hand and by the product's own runs, tight, and blind to source orders."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from tests.audit import faults
from tests.audit.catalogue import ONE, claim, five_units

from pocin.audit.enumerate import Table, as_named, by_site, exact_loss, laws, source_orders_seen
from pocin.audit.exact import enumeration
from pocin.audit.fit import LEAST_P, alone, chi_square, matched
from pocin.audit.shuffles import (
    SHUFFLES,
    Product,
    Reassigned,
    ReassignedPermutation,
    WholePermutation,
)
from pocin.privacy.location import MECHANISMS
from pocin.privacy.noise import SeededNoise
from pocin.privacy.permutation import PermutationLocations

EVERY = [shuffle for pair in SHUFFLES.values() for shuffle in pair]


def path(sites, step=1):
    return Table(step * np.abs(np.subtract.outer(np.arange(sites), np.arange(sites))))


def losses(mechanism, alpha, table=None, **kwargs):
    found = laws(mechanism(ONE, Fraction(alpha)), table or five_units(), **kwargs)
    return exact_loss(found, float(ONE), float(alpha))


# ----------------------------------------------------------------- the gate: five units of IEEE 14


def test_the_five_units_are_those_of_ieee_14_with_its_condensers():
    assert five_units().hops.tolist() == [
        [0, 1, 2, 2, 4],
        [1, 0, 1, 2, 3],
        [2, 1, 0, 3, 3],
        [2, 2, 3, 0, 4],
        [4, 3, 3, 4, 0],
    ]


@pytest.mark.parametrize("alpha", [1, 2, 3, 4])
@pytest.mark.parametrize("mechanism", EVERY)
def test_no_two_truths_lose_more_than_is_claimed_and_some_lose_it_all(mechanism, alpha):
    found = losses(mechanism, alpha)
    assert found.truths == 120
    assert found.worst <= 1 + 1e-12
    assert found.graded == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("alpha", "by_hops"),
    [
        (1, {1: 1.0, 2: 1.9612, 3: 2.7833, 4: 3.5076}),
        (2, {1: 0.5, 2: 0.9682, 3: 1.3845, 4: 1.7962}),
    ],
)
def test_the_exact_loss_of_swaps(alpha, by_hops):
    """A swap at alpha 1 loses exactly the claimed 1. At alpha 2 collisions hide a little of it."""
    found = losses(Product, alpha)
    assert found.by_hops == pytest.approx(by_hops, abs=5e-5)
    assert found.worst == pytest.approx(by_hops[alpha], abs=5e-5)
    assert found.by_hops[1] == pytest.approx(1 / alpha, abs=1e-12)


@pytest.mark.parametrize("alpha", [1, 2, 3, 4])
def test_a_swap_loses_exactly_what_is_claimed_in_the_draws_themselves(alpha):
    """Before the assignment, at every distance: max_r ln Pr[r] / Pr'[r] = eps h / alpha."""
    product, hops = Product(ONE, Fraction(alpha)), five_units().hops
    kernel = product.kernel(five_units())
    stay = np.log(product.law(kernel))
    for a in range(5):
        for b in range(a):
            swapped = np.arange(5)
            swapped[[a, b]] = b, a
            loss = np.abs(stay - np.log(product.law(kernel[swapped]))).max()
            assert loss == pytest.approx(hops[a, b] / alpha, abs=1e-12)


@pytest.mark.parametrize("alpha", [1, 2, 3, 4])
def test_whole_permutations_lose_exactly_what_is_claimed_at_every_distance(alpha):
    found = losses(WholePermutation, alpha)
    assert found.by_hops == pytest.approx({h: h / alpha for h in (1, 2, 3, 4)}, abs=1e-12)


@pytest.mark.parametrize(("sites", "alpha"), [(4, 2), (5, 2), (5, 3)])
def test_on_a_path_a_swap_at_alpha_loses_exactly_what_is_claimed(sites, alpha):
    """The bound is tight after the assignment too."""
    assert losses(Product, alpha, path(sites)).by_hops[alpha] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("mechanism", "table"), [(Product, five_units()), *((each, path(4)) for each in EVERY)]
)
def test_no_order_of_the_source_rows_changes_a_draw(mechanism, table):
    """All 120 orders of five rows with all 3125 vectors of draws, all 24 of four."""
    assert source_orders_seen(mechanism(ONE, Fraction(2)), table) == 0


@pytest.mark.parametrize("mechanism", EVERY)
def test_a_source_order_that_is_the_truth_leaves_the_law_as_it_is(mechanism):
    table, shuffle = path(4), mechanism(ONE, Fraction(2))
    same = laws(shuffle, table, as_named).probability == laws(shuffle, table, by_site).probability
    assert same.all()


# ---------------------------------------------------------------------------- the law is right


def test_two_sites_by_hand():
    """Pr[stay] = a a + a b = a: both stay, or both draw the site where ties leave all in place."""
    found = laws(Product(ONE, ONE), path(2)).probability
    b = 1 / (1 + np.exp(0.5))
    a = 1 - b
    assert found == pytest.approx(np.array([[a, b, 0], [b, a, 0]]), abs=1e-15)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_products_own_runs_follow_it(name):
    """Sampler, seal and assignment together, 6,000 times."""
    table, runs = five_units(), 6_000
    shuffle, noise = SHUFFLES[name][0](ONE, Fraction(2)), SeededNoise(1)
    sampler, truth = MECHANISMS[name](ONE, Fraction(2)), np.array([3, 1, 4, 0, 2])
    exact = laws(shuffle, table, truths=truth[None]).probability[0]
    number = {order: i for i, order in enumerate(permutations(range(5)))}
    counts = np.zeros(len(exact), dtype=int)
    for _ in range(runs):
        drawn = sampler.draw(truth, table, noise)
        placed = shuffle.place(drawn, np.arange(5), table, None)
        counts[number[tuple(placed.tolist())]] += 1
    assert chi_square(counts[:-1], exact[:-1]) > 1e-4


@pytest.mark.parametrize("site", range(5))
def test_the_law_of_one_element_is_the_marginal_of_the_whole(site):
    """Ryser's permanents against enumeration."""
    found = laws(WholePermutation(ONE, Fraction(2)), five_units(), truths=np.arange(5)[None])
    standing = np.argsort(list(permutations(range(5))), axis=1)[:, site]
    marginal = np.bincount(standing, found.probability[0, :-1], minlength=5)
    assert matched(five_units(), site, 0.25) == pytest.approx(marginal, abs=1e-13)
    assert alone(five_units(), site, 0.25) != pytest.approx(marginal, abs=1e-5)


def test_laws_are_laws():
    for mechanism in EVERY:
        found = laws(mechanism(ONE, Fraction(2)), five_units()).probability
        assert found.sum(axis=1) == pytest.approx(np.ones(120), abs=1e-12)


# ------------------------------------------------------------------------- draws placed anew


def test_placing_anew_changes_the_outputs_and_fails_at_times():
    first, anew = (
        laws(shuffle(ONE, Fraction(2)), five_units()).probability for shuffle in SHUFFLES["softmax"]
    )
    assert (np.abs(first - anew).sum(axis=1) / 2).mean() > 0.2
    assert 0.1 < anew[:, -1].mean() < 0.5
    assert np.ptp(anew[:, -1]) > 0.05  # how likely it fails depends on the truth, within the bound


@pytest.mark.parametrize(
    "fault",
    [faults.AnewByTruth(ONE, Fraction(2), limit=1.0), faults.FailsByTruth(ONE, Fraction(2))],
)
def test_placing_or_failing_by_the_truth_is_caught(fault):
    finding = enumeration(path(4), claim(), fault)
    assert finding.passed is False
    assert finding.figures["graded_share"] > 1.2
    assert enumeration(path(4), claim(), Reassigned(ONE, Fraction(2), limit=1.0)).passed


# ------------------------------------------------------------------------------------ samplers


@pytest.mark.parametrize("pairs", [SHUFFLES["permutation"]])
def test_a_permutation_never_collides(pairs):
    assert pairs == (WholePermutation, ReassignedPermutation)
    sampler, noise = PermutationLocations(ONE, Fraction(2)), SeededNoise(3)
    for _ in range(50):
        drawn = sampler.draw(np.arange(5), five_units(), noise)
        assert sorted(drawn.tolist()) == list(range(5))
    assert LEAST_P < 1e-4
