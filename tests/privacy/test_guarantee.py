# SPDX-License-Identifier: MIT
"""The guarantee: additive, monotone, tied to the mechanisms, and printed in the design's words."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.privacy.guarantee import Disclosure, Guarantee, LocationGuarantee, ValueGuarantee
from pocin.privacy.location import MECHANISMS
from pocin.privacy.metric import Hops
from pocin.privacy.value import LaplaceValues

epsilons = st.fractions(Fraction(1, 100), 10, max_denominator=100)
alphas = st.fractions(Fraction(1, 4), 20, max_denominator=4)
amounts = st.fractions(0, 1000, max_denominator=100)
counts = st.integers(0, 50)
disclosures = st.one_of(
    st.just(Disclosure("declared")),
    st.just(Disclosure("computed", exact=("the optimum of the AC optimal power flow",))),
    st.builds(lambda e: Disclosure("private", e), epsilons),
    st.builds(lambda e, r: Disclosure("private", e, reach=r), epsilons, alphas),
)
guarantees = st.builds(
    lambda el, al, ev, av, figure: Guarantee(
        LocationGuarantee(el, al, 19, 11), ValueGuarantee(ev, av, "MW"), figure, (), ("gencost",)
    ),
    epsilons,
    alphas,
    epsilons,
    alphas,
    disclosures,
)
changes = st.tuples(amounts, amounts, counts)

SOUND = Guarantee(
    LocationGuarantee(Fraction(1), Fraction(4), 19, 19),
    ValueGuarantee(Fraction(1), Fraction(10), "MW"),
    Disclosure("declared"),
    ("bus.Pd",),
    ("gencost",),
)


@given(guarantees, changes, changes)
def test_it_is_additive(guarantee, one, other):
    both = [a + b for a, b in zip(one, other, strict=True)]
    assert guarantee.loss(*both) == guarantee.loss(*one) + guarantee.loss(*other)
    assert guarantee.loss() == 0


@given(guarantees, changes, changes)
def test_it_is_monotone(guarantee, one, more):
    farther = [a + b for a, b in zip(one, more, strict=True)]
    assert guarantee.loss(*farther) >= guarantee.loss(*one) >= 0


@given(guarantees, st.integers(1, 20))
def test_k_elements_cost_k_times_one(guarantee, k):
    hops, change = 2 * guarantee.location.alpha, guarantee.value.alpha
    assert guarantee.loss(k * hops, k * change, k) == k * guarantee.loss(hops, change, 1)


@given(guarantees)
def test_a_swap_within_alpha_costs_epsilon_and_so_does_a_value(guarantee):
    location, value, figure = guarantee.location, guarantee.value, guarantee.figure
    swap = guarantee.loss(hops_moved=2 * location.alpha, swaps=1)
    one_value = guarantee.loss(value_change=value.alpha)
    if figure.reach is None:  # a private figure is counted with the values
        assert swap == location.epsilon
        assert one_value == value.epsilon + figure.epsilon
    else:
        assert swap == location.epsilon + figure.epsilon
        assert one_value == value.epsilon + figure.epsilon * value.alpha / figure.reach


@given(guarantees)
def test_each_phase_carries_its_own_and_the_release_composes_them(guarantee):
    alone = replace(guarantee, figure=Disclosure("declared"))
    assert alone.loss(3, 7, 2) == guarantee.location.loss(3) + guarantee.value.loss(7)
    assert guarantee.total >= alone.total == guarantee.location.epsilon + guarantee.value.epsilon


@given(epsilons, alphas, amounts)
def test_the_mechanisms_claim_what_the_phases_promise(epsilon, alpha, hops):
    promise = LocationGuarantee(epsilon, alpha, 5, 5)
    for mechanism in MECHANISMS.values():
        assert mechanism(epsilon, alpha).loss(hops) == promise.loss(hops)
    steps = int(alpha * 4)
    assert LaplaceValues(epsilon, steps).loss(hops) == ValueGuarantee(
        epsilon, Fraction(steps), "MW"
    ).loss(hops)


@given(st.integers(2, 7), st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_it_is_a_distance_between_networks(n, random):
    """Through a third network no less is lost: hops moved obey the triangle inequality."""
    ends = np.array([(i, random.randrange(i)) for i in range(1, n)])
    hops = Hops(ends, n, np.arange(n)).matrix()
    a, b, c = (np.array(random.sample(range(n), n)) for _ in range(3))

    def loss(one, other):
        return SOUND.loss(int(hops[one, other].sum()))

    assert loss(a, c) <= loss(a, b) + loss(b, c)
    assert loss(a, b) == loss(b, a)
    assert loss(a, a) == 0


# ------------------------------------------------------------------------------ the printed text


def test_the_statement_in_full():
    """Word for word; whoever changes it changes what curators sign."""
    assert SOUND.statement == (
        "Hold fixed the public part: topology, lines, loads, the sites of secret elements and how "
        "many stand at each, the unplaced list of every moved column (gencost), everything the "
        "policy lists as public, and the cost figure as a number not taken from the secret.\n"
        "Between any two networks that share it, the probability of any release differs by at most "
        "a factor exp(1 x (sum of hops moved) / 8 + 1 x (sum of |value change| on the grid) / 10 "
        "MW).\n"
        "Two elements at most 4 hops apart swapped: 1. One value changed by at most 10 MW: 1. "
        "Both: 2. k changes add up.\n"
        "19 of 19 elements have a partner at 1 to 4 hops.\n"
        "Not hidden: which sites are occupied, how many elements there are, or what can be "
        "inferred from the public part."
    )


DESIGN = """Hold fixed the public part: topology, lines, loads, the sites of secret elements and how
many stand at each, the unplaced list of every moved column everything the policy lists as public,
and the cost figure as a number not taken from the secret. Between any two networks that share it,
the probability of any release differs by at most a factor exp( (sum of hops moved) / (sum of |value
change| on the grid) / Two elements at most hops apart swapped: One value changed by at most
Both: k changes add up. of elements have a partner at 1 to hops. Not hidden: which sites are
occupied, how many elements there are, or what can be inferred from the public part. Spent on this
network so far:"""


@given(guarantees)
@settings(max_examples=30)
def test_every_statement_says_all_that_the_design_says(guarantee):
    text = replace(guarantee, spent="2").statement
    words = iter(text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split())
    design = DESIGN
    if guarantee.figure.source != "declared":
        design = design.replace("and the cost figure as a number not taken from the secret.", "")
    if guarantee.figure.reach is not None:
        return  # another bound, tested below
    for word in design.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split():
        assert any(word.rstrip(".:") == found.rstrip(".:") for found in words), word


BOUND = (
    "Between any two networks that share it, the probability of any release differs by at most a "
    "factor exp("
)


def test_a_private_figure_of_the_values_is_counted_with_them():
    private = replace(SOUND, figure=Disclosure("private", Fraction(1, 2)))
    fixed, bound, changes, *_ = private.statement.splitlines()
    assert fixed.endswith(
        "everything the policy lists as public (not the cost figure: it spent epsilon 0.5, counted "
        "with the values)."
    )
    assert bound == (
        f"{BOUND}1 x (sum of hops moved) / 8 + 1.5 x (sum of |value change| on the grid) / 10 MW)."
    )
    assert changes == (
        "Two elements at most 4 hops apart swapped: 1. One value changed by at most 10 MW: 1.5. "
        "Both: 2.5. k changes add up."
    )


def test_a_private_figure_of_places_too_is_counted_with_both():
    placed = replace(SOUND, figure=Disclosure("private", Fraction(1, 2), reach=Fraction(20)))
    fixed, bound, changes, *_ = placed.statement.splitlines()
    assert fixed.endswith(
        "everything the policy lists as public (not the cost figure: it spent epsilon 0.5, counted "
        "below)."
    )
    assert bound == (
        f"{BOUND}1 x (sum of hops moved) / 8 + 1 x (sum of |value change| on the grid) / 10 MW + "
        "0.5 x (swaps of two elements + (sum of |value change|) / 20 MW))."
    )
    assert changes == (
        "Two elements at most 4 hops apart swapped: 1.5. One value changed by at most 10 MW: 1.25. "
        "Both: 2.75. k changes add up."
    )


@given(guarantees)
@settings(deadline=None)
def test_the_printed_changes_cost_what_the_guarantee_says(guarantee):
    """Swapped within alpha, a value within alpha, and both, as the third line prints them."""
    hops, change = 2 * guarantee.location.alpha, guarantee.value.alpha
    costs = [guarantee.loss(*args) for args in ((hops, 0, 1), (0, change, 0), (hops, change, 1))]
    line = guarantee.statement.splitlines()[2]
    printed = [part.rpartition(": ")[2] for part in line.split(". ")[:3]]
    assert [Fraction(cost) for cost in printed] == costs


def test_what_is_disclosed_exactly_is_named_and_a_seed_is_stamped():
    told = Disclosure("computed", exact=("the optimum", "the trip times"))
    stamp, fixed, *_, last = replace(SOUND, figure=told, private=False).statement.splitlines()
    assert stamp == "NOT A PRIVATE RELEASE: the draws repeat from a seed."
    assert fixed.endswith("public, and the cost figure, which was computed from the secret.")
    assert last == ("Disclosed exactly beside it, outside this bound: the optimum, the trip times.")


def test_what_is_held_fixed_is_named():
    """Two moved columns, none, and elements that the curator chose."""
    two, none, chosen = (
        replace(SOUND, **changed).statement.partition("\n")[0]
        for changed in (
            {"moved_columns": ("gencost", "gen.ramp")},
            {"moved_columns": (), "fixed": "the streets"},
            {"only": True},
        )
    )
    assert "each, the unplaced list of every moved column (gencost, gen.ramp), everything" in two
    assert none.startswith(
        "Hold fixed the public part: the streets, the sites of secret elements and how many stand "
        "at each, everything the policy"
    )
    assert "the sites of secret elements chosen by the curator and how many stand" in chosen


def test_the_defaults():
    assert Disclosure("declared") == Disclosure("declared", Fraction(0), (), None)
    assert (
        replace(SOUND, fixed="topology, lines, loads", only=False, private=True, spent=None)
        == SOUND
    )


@given(guarantees)
def test_no_statement_is_rounded(guarantee):
    """A claim of 1/3 is printed as 1/3, not as 0.333: a printed bound is never under the true."""
    location = replace(guarantee.location, epsilon=Fraction(1, 3))
    assert (
        "swapped: 1/3"
        in replace(guarantee, location=location, figure=Disclosure("declared")).statement
    )


@pytest.mark.parametrize("hops", [1, 4, 9])
def test_the_claim_for_a_swap_is_the_exact_worst_of_the_draws(hops):
    """Two sites: max_r ln (K[a, r] K[b, r'] / K[b, r] K[a, r']) = eps h / alpha, no less."""
    x = float(SOUND.location.epsilon / (2 * SOUND.location.alpha))
    kernel = np.exp(-x * np.array([[0, hops], [hops, 0]]))
    kernel /= kernel.sum(axis=1, keepdims=True)
    worst = np.log(kernel[0, 0] * kernel[1, 1] / (kernel[1, 0] * kernel[0, 1]))
    assert worst == pytest.approx(float(SOUND.loss(2 * hops)))
