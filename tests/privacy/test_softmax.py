# SPDX-License-Identifier: MIT
"""The sampler of phase 1 follows its law exactly: every probability is recounted from bits."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.audit.fit import LEAST_P, chi_square
from pocin.privacy import softmax
from pocin.privacy.noise import SeededNoise, SystemNoise
from pocin.privacy.softmax import decide, sample, weight_bounds

SHORT = 10  # bits of u that are gone through one by one


FINE = 700  # bits of the test's own exponentials


def exp_minus(q):
    """exp(-q) as a fraction, by Taylor's series and squaring on whole numbers: not as softmax."""
    halvings = max(0, int(q).bit_length() + 4)
    r = -q / 2**halvings
    term = total = 1 << FINE
    k = 0
    while term:
        k += 1
        term = _shrink(term, r, k)
        total += term
    for _ in range(halvings):
        total = total * total >> FINE
    return Fraction(total, 1 << FINE)


def _shrink(term, r, k):
    """The next term, rounded towards zero."""
    size = abs(term) * abs(r.numerator) // (r.denominator * k)
    return -size if (term > 0) == (r < 0) else size


def exact_weights(x, distances):
    """exp(-x d), right to hundreds of bits."""
    return [exp_minus(x * d) for d in distances]


def intervals(x, distances, counts):
    """Where each class begins and ends in [0, 1)."""
    weights = [c * w for c, w in zip(counts, exact_weights(x, distances), strict=True)]
    ends = [Fraction(0), *accumulate(weights)]
    return [end / ends[-1] for end in ends]


def chosen_by(x, distances, counts, bits, u, *, known=SHORT):
    """The class that ``known`` bits of u decide, with weights known to ``bits`` bits."""
    bounds = [weight_bounds(x, d, bits) for d in distances]
    low = [c * bound[0] for c, bound in zip(counts, bounds, strict=True)]
    high = [c * bound[1] for c, bound in zip(counts, bounds, strict=True)]
    return decide(low, high, u, known)


# An element's own site is at 0 hops.
CLASSES = st.lists(st.integers(1, 40), max_size=5, unique=True).map(lambda far: [0, *sorted(far)])
RATES = st.fractions(Fraction(1, 20), 3)


@given(CLASSES, RATES, st.lists(st.integers(1, 9), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_what_is_decided_by_few_bits_is_right(distances, x, many):
    counts = many[: len(distances)]
    bounds = intervals(x, distances, counts)
    for u in range(2**SHORT):
        chosen = chosen_by(x, distances, counts, 64, u)
        if chosen is not None:
            assert bounds[chosen] <= Fraction(u, 2**SHORT)
            assert Fraction(u + 1, 2**SHORT) <= bounds[chosen + 1]


@given(CLASSES, RATES, st.lists(st.integers(1, 9), min_size=6, max_size=6))
@settings(max_examples=60, deadline=None)
def test_decided_mass_is_the_law_within_the_undecided_mass(distances, x, many):
    counts = many[: len(distances)]
    bounds = intervals(x, distances, counts)
    chosen = [chosen_by(x, distances, counts, 64, u) for u in range(2**SHORT)]
    undecided = Fraction(chosen.count(None), 2**SHORT)
    assert undecided <= Fraction(len(distances), 2**SHORT)  # at most one u a boundary
    for j in range(len(distances)):
        decided, law = Fraction(chosen.count(j), 2**SHORT), bounds[j + 1] - bounds[j]
        assert decided <= law <= decided + undecided


def test_whole_weights_are_decided_to_the_boundary():
    for weights in ([1, 2, 5], [1, 1, 1, 1, 1, 1, 1, 1], [8], [4, 4]):
        wanted = [j for j, weight in enumerate(weights) for _ in range(weight)]
        assert [decide(weights, weights, u, 3) for u in range(8)] == wanted
    # an eighth that the bounds leave to either side is no one's yet
    assert [decide([1, 2], [2, 3], u, 2) for u in range(4)] == [0, None, 1, 1]


@pytest.mark.parametrize("bits", [4, 8])
def test_coarse_weights_leave_open_and_never_err(bits):
    x, distances, counts = Fraction(1, 3), [0, 1, 4], [1, 2, 5]
    bounds = intervals(x, distances, counts)
    chosen = [chosen_by(x, distances, counts, bits, u) for u in range(2**SHORT)]
    for u, j in enumerate(chosen):
        inside = j is None or (
            bounds[j] <= Fraction(u, 2**SHORT) and Fraction(u + 1, 2**SHORT) <= bounds[j + 1]
        )
        assert inside
    assert None in chosen


@given(RATES, st.integers(0, 5000), st.sampled_from([128, 256, 640]))
@settings(max_examples=200, deadline=None)
def test_a_weight_lies_between_its_bounds(x, distance, bits):
    (exact,) = exact_weights(x, [distance])
    low, high = weight_bounds(x, distance, bits)
    assert low <= exact * 2**bits <= high
    assert 0 <= high - low <= 4


def test_a_weight_beyond_all_decimals_lies_between_its_bounds():
    for far in (10**7, 10**12):
        low, high = weight_bounds(Fraction(1), far, 128)
        assert low == 0 < high <= 4


def test_the_tests_own_exponential():
    for q in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(57, 2), Fraction(120)):
        assert float(exp_minus(q)) == pytest.approx(math.exp(-q), rel=1e-14)


def test_a_far_site_keeps_its_probability():
    # exp(-1000) underflows as a float; here it only asks for more bits.
    x, distances, counts = Fraction(1), [0, 1000], [1, 1]
    tail = 2**1600 - 1  # u so near to 1 that it lies beyond 1 - exp(-1000)
    assert chosen_by(x, distances, counts, 1600, tail, known=1600) == 1
    assert chosen_by(x, distances, counts, 1400, tail, known=1400) is None


class Scripted:
    """A noise source that replays bits, then zeros; counts what it gave."""

    private = False

    def __init__(self, *words):
        self.words, self.given = list(words), 0

    def bits(self, count):
        self.given += count
        return self.words.pop(0) if self.words else 0


def test_more_bits_are_drawn_only_while_needed(monkeypatch):
    monkeypatch.setattr(softmax, "_BITS", 8)
    hops, x = np.array([0, 3, 3]), Fraction(1, 2)
    boundary = intervals(x, [0, 3], [1, 2])[1]
    first = int(boundary * 2**8)  # the word that holds the boundary: 8 bits do not decide
    easy, hard = Scripted(0), Scripted(first, 0)
    assert sample(hops, x, easy) == 0
    assert easy.given == 8 + 1
    sample(hops, x, hard)
    assert hard.given >= 8 + 8 + 1


def test_short_words_give_the_law(monkeypatch):
    # All pairs of 4-bit words: what they decide is the law within what they leave open.
    monkeypatch.setattr(softmax, "_BITS", 4)
    distances, counts, x = [0, 1, 2], [1, 2, 1], Fraction(1, 2)
    bounds = intervals(x, distances, counts)
    tally, open_ = [0, 0, 0], 0
    for words in product(range(16), repeat=3):
        source = Scripted(*words)
        chosen = softmax._sample_class([[0, 1], [1, 2], [2, 1]], x, source)
        if source.given > 12:
            open_ += 1
        else:
            tally[chosen] += 1
    for j, count in enumerate(tally):
        assert Fraction(count, 16**3) <= bounds[j + 1] - bounds[j] <= Fraction(count + open_, 16**3)
    assert open_ <= 16


@pytest.mark.parametrize("noise", [SystemNoise(), SeededNoise(5)], ids=["system", "seeded"])
def test_samples_fit_the_law(noise):
    hops = np.array([3, 0, 1, 1, 7, 2, 2, 2, 0, 5])
    weights = np.exp(-hops / 3.0)
    drawn = [sample(hops, Fraction(1, 3), noise) for _ in range(20_000)]
    counts = np.bincount(drawn, minlength=len(hops))
    assert chi_square(counts, weights / weights.sum()) > LEAST_P


def test_the_fit_tells_a_wrong_law():
    hops = np.array([3, 0, 1, 1, 7, 2, 2, 2, 0, 5])
    drawn = [sample(hops, Fraction(1, 3), SystemNoise()) for _ in range(20_000)]
    counts = np.bincount(drawn, minlength=len(hops))
    for rate in (-1 / 3, 1 / 6, 0.4):
        weights = np.exp(-rate * hops)
        assert chi_square(counts, weights / weights.sum()) < LEAST_P


def test_one_site_is_always_taken():
    assert sample(np.array([0]), Fraction(1), SystemNoise()) == 0
