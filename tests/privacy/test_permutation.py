# SPDX-License-Identifier: MIT
"""The exponential mechanism over whole permutations: its table, its law, its integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from tests.privacy.test_softmax import exact_weights

from pocin.audit.fit import chi_square
from pocin.errors import UsageError
from pocin.privacy import permutation
from pocin.privacy.noise import SeededNoise
from pocin.privacy.permutation import MOST, PermutationLocations, sample_permutation, subset_table

HOPS = np.array([[0, 1, 2, 4], [1, 0, 1, 3], [2, 1, 0, 2], [4, 3, 2, 0]])
EVERY = list(permutations(range(4)))


def law(x):
    weight = np.array([np.exp(-float(x) * HOPS[range(4), sigma].sum()) for sigma in EVERY])
    return weight / weight.sum()


def counts(draw, runs):
    number = {sigma: i for i, sigma in enumerate(EVERY)}
    found = np.zeros(len(EVERY), dtype=int)
    for _ in range(runs):
        found[number[tuple(draw().tolist())]] += 1
    return found


class Line:
    """A metric given by its table."""

    def matrix(self):
        return HOPS


def test_the_table_holds_the_weights_of_all_ways_to_fill_a_set():
    weight = np.exp(-0.3 * HOPS)
    table = subset_table(weight)
    assert table.shape == (16,)
    for mask in range(16):
        sites = [s for s in range(4) if mask >> s & 1]
        ways = (np.prod(weight[range(len(sites)), sigma]) for sigma in permutations(sites))
        assert table[mask] == pytest.approx(sum(ways), rel=1e-12)


@pytest.mark.parametrize("x", [Fraction(1, 4), Fraction(3, 2)])
@pytest.mark.parametrize("floats", [True, False])
def test_draws_follow_the_law(x, floats, monkeypatch):
    """By the float table, and by the integers that decide where floats cannot."""
    if not floats:
        monkeypatch.setattr(permutation, "_by_floats", lambda *_: None)
    noise, runs = SeededNoise(2), 4_000 if floats else 1_000
    found = counts(lambda: sample_permutation(HOPS, x, noise), runs)
    assert chi_square(found, law(x)) > 1e-4


def test_floats_and_integers_decide_alike(monkeypatch):
    one, other = SeededNoise(5), SeededNoise(5)
    by_floats = [sample_permutation(HOPS, Fraction(1, 2), one) for _ in range(200)]
    monkeypatch.setattr(permutation, "_by_floats", lambda *_: None)
    by_integers = [sample_permutation(HOPS, Fraction(1, 2), other) for _ in range(200)]
    assert np.array_equal(by_floats, by_integers)


def test_hops_of_any_width_are_drawn_alike():
    wide, narrow = (
        [sample_permutation(hops, Fraction(1, 2), noise) for _ in range(20)]
        for noise, hops in ((SeededNoise(6), HOPS), (SeededNoise(6), HOPS.astype(np.int16)))
    )
    assert np.array_equal(wide, narrow)
    assert {sigma.dtype for sigma in wide} == {np.dtype(np.int64)}


def test_floats_decide_but_near_a_boundary():
    """Two equal weights: the boundary is a half, and 2^-36 of it is beyond the margin."""
    row, table, half = np.ones(2), np.ones(4), 1 << 127
    for u, decided in (
        (0, 0),
        (half - (1 << 92), 0),
        (half - (1 << 91), None),
        (half - 1, None),
        (half, None),
        (half + (1 << 91), None),
        (half + (1 << 92), 1),
        (2 * half - 1, 1),
    ):
        site = None if decided is None else [5, 7][decided]
        found = permutation._by_floats(np.ones(8), np.ones(256), 0b10100000, [5, 7], u)
        assert found == site
    assert permutation._by_floats(row, table, 0b10, [1], half) == 1


def test_integers_are_asked_only_near_a_boundary(monkeypatch):
    def asked(*_):
        raise AssertionError

    monkeypatch.setattr(permutation, "_by_integers", asked)
    noise = SeededNoise(5)
    for _ in range(100):
        sample_permutation(HOPS, Fraction(1, 2), noise)


class Scripted:
    """A noise source that replays words."""

    def __init__(self, *words):
        self.words = list(words)

    def bits(self, count):
        assert count == 128
        return self.words.pop(0)


@pytest.mark.parametrize(
    ("words", "site"),
    [
        ([1 << 127, 1 << 127], 1),  # a half, and a little
        ([1 << 127, 0, 0, 1], 1),
        ([(1 << 127) - 1, 0], 0),
        ([(1 << 127) - 1, (1 << 128) - 1, 1 << 127], 0),
    ],
)
def test_at_a_boundary_as_many_bits_are_drawn_as_it_takes(words, site):
    """Two elements at one place: which of the two sites the second takes is a coin."""
    noise = Scripted(*words, 0)
    sigma = sample_permutation(np.zeros((2, 2), int), Fraction(1), noise)
    assert sigma.tolist() == [1 - site, site]
    assert noise.words == []


@pytest.mark.parametrize("members", [(0, 1, 2, 3), (1, 3), (2,)])
@pytest.mark.parametrize("bits", [8, 64])
def test_integers_lie_on_both_sides_of_the_weights(members, bits):
    """Of each site for the last element of a set, and all ways to place those before it."""
    x, size = Fraction(1, 3), len(members)
    low, high = permutation._class_bounds(HOPS, x, members, bits)
    exact = exact_weights(x, range(20))
    for s, below, above in zip(members, low, high, strict=True):
        rest = permutations([t for t in members if t != s])
        ways = sum(exact[int(HOPS[range(size), (*placed, s)].sum())] for placed in rest)
        assert below < ways * 2 ** (bits * size) < above
        assert above - below < ways * 2 ** (bits * size)


def test_no_weight_of_a_table_vanishes():
    most = int(HOPS.max(axis=1).sum())
    for total, tabled in ((Fraction(59999, 100), True), (Fraction(600), False), (601, False)):
        x = total / Fraction(most)
        _, table = permutation._floats(HOPS.tobytes(), 4, x)
        assert (table is not None) == tabled
        if table is not None:
            assert table.min() > 0


def test_weights_that_vanish_in_floats_are_drawn_by_integers():
    """exp(-2000): the far permutation keeps its chance, and none is divided by zero."""
    far = 4_000 * HOPS
    noise = SeededNoise(1)
    assert sample_permutation(far, Fraction(1, 2), noise).tolist() == [0, 1, 2, 3]


def test_the_mechanism_draws_at_half_its_epsilon_a_hop():
    """A swap moves two elements: exp(-eps / (2 alpha)) a hop, so that alpha hops cost eps."""
    mechanism, noise = PermutationLocations(Fraction(3), Fraction(2)), SeededNoise(4)
    found = counts(lambda: mechanism.draw(np.arange(4), Line(), noise), 4_000)
    assert chi_square(found, law(3 / 4)) > 1e-4
    assert all(chi_square(found, law(x)) < 1e-9 for x in (1 / 2, 1, 3 / 2))
    assert mechanism.loss(2 * mechanism.alpha) == mechanism.epsilon
    assert mechanism.loss(1) == Fraction(3, 4)


def test_elements_take_what_their_sites_drew():
    """The law is the same wherever the rows of the source stand."""
    mechanism, truth = PermutationLocations(Fraction(1), Fraction(2)), np.array([2, 0, 3, 1])
    by_site = mechanism.draw(np.arange(4), Line(), SeededNoise(9))
    assert mechanism.draw(truth, Line(), SeededNoise(9)).tolist() == by_site[truth].tolist()


def test_more_elements_than_can_be_drawn_exactly_are_refused():
    PermutationLocations.check(MOST)
    with pytest.raises(UsageError) as refused:
        PermutationLocations.check(MOST + 1)
    assert str(refused.value) == (
        "--mechanism permutation: is exact for at most 22 secret elements; choose softmax, or "
        "fewer elements by --only"
    )
