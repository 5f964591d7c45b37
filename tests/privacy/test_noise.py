# SPDX-License-Identifier: MIT
"""The noise source: uniform bits, and the discrete Laplace law."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from pocin.audit.fit import distance, laplace_cdf
from pocin.privacy.noise import SeededNoise, SystemNoise, _not_below, below

SOURCES = pytest.mark.parametrize(
    "noise", [SystemNoise(), SeededNoise(11)], ids=["system", "seeded"]
)
CHANCE = 1e-9


@SOURCES
@pytest.mark.parametrize("count", [1, 3, 8, 53, 128, 200])
def test_bits_are_in_range_and_even(noise, count):
    drawn = [noise.bits(count) for _ in range(400)]
    assert all(0 <= word < 2**count for word in drawn)
    for place in {0, count // 2, count - 1}:
        ones = sum(word >> place & 1 for word in drawn)
        assert binom.cdf(min(ones, 400 - ones), 400, 0.5) > CHANCE


@SOURCES
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 17])
def test_below_is_uniform(noise, limit):
    draws = 4000
    counts = np.bincount([below(noise, limit) for _ in range(draws)], minlength=limit)
    assert len(counts) == limit
    for count in counts:
        assert binom.cdf(count, draws, 1 / limit) > CHANCE
        assert binom.sf(count - 1, draws, 1 / limit) > CHANCE


@SOURCES
def test_words_are_64_even_bits_each(noise):
    words = noise.words(400)
    assert words.dtype == np.uint64
    assert len(words) == 400
    for place in range(64):
        ones = sum(int(word) >> place & 1 for word in words)
        assert binom.cdf(min(ones, 400 - ones), 400, 0.5) > CHANCE
    assert len(noise.words(1)) == 1


def test_below_asks_for_no_more_bits_than_it_takes():
    class Zero:
        def bits(self, count):
            self.asked = count
            return 0

    zero, asked = Zero(), []
    for limit in (1, 2, 3, 4, 5, 7, 8, 9, 2**40, 2**40 + 1):
        assert below(zero, limit) == 0
        asked.append(zero.asked)
    assert asked == [1, 1, 2, 2, 3, 3, 3, 4, 40, 41]


def test_below_rejects_and_does_not_fold():
    class Words:
        private = False

        def __init__(self):
            self.words = [7, 6, 5, 4]

        def bits(self, count):
            assert count == 3
            return self.words.pop(0)

    assert below(Words(), 5) == 4


@SOURCES
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(5, 2), Fraction(1000)])
def test_laplace_fits_its_law(noise, scale):
    draws = 20_000
    drawn = noise.laplace(np.zeros(draws, dtype=np.int64), scale)
    assert drawn.dtype == np.int64
    allowed = np.sqrt(np.log(2 / CHANCE) / (2 * draws))
    assert distance(drawn, float(scale)) < allowed
    assert distance(drawn, 1.15 * float(scale)) > 0.01


@SOURCES
def test_no_values_take_no_noise(noise):
    drawn = noise.laplace(np.empty(0, dtype=np.int64), Fraction(1))
    assert drawn.shape == (0,)
    assert drawn.dtype == np.int64


@SOURCES
def test_laplace_adds_to_the_values(noise):
    values = np.array([0, 10**6, -(10**6)])
    assert np.all(np.abs(noise.laplace(values, Fraction(1)) - values) < 100)


def test_the_law_is_the_law():
    k, scale = np.arange(-80, 81), 2.5
    mass = np.diff(laplace_cdf(np.append(k[0] - 1, k), scale))
    assert mass == pytest.approx(np.exp(-np.abs(k) / scale) * np.tanh(0.5 / scale), rel=1e-9)


def test_a_seed_repeats_and_another_does_not():
    words = [SeededNoise(seed).bits(64) for seed in (3, 3, 4)]
    assert words[0] == words[1] != words[2]
    assert SystemNoise.private is True
    assert SeededNoise.private is False
    assert SeededNoise(3) == SeededNoise(3) != SeededNoise(4)


def test_a_seed_draws_the_same_for_ever_and_on_every_machine():
    noise = SeededNoise(3)
    drawn = [noise.bits(count) for count in (20, 64, 7, 3)]
    assert drawn == [0xBEC2F, 0x2DEFD3F515ED1A93, 0x05 >> 1, 0x36 >> 5]
    assert noise.words(2).tolist() == [0xDE860724CD2052C7, 0x0A160F0E95089239]


@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(10, 7), Fraction(1000), Fraction(1, 10)]
)
def test_the_scale_is_never_rounded_down(scale):
    as_float = Fraction(_not_below(scale))
    assert Fraction(math.nextafter(float(as_float), 0)) < scale <= as_float
