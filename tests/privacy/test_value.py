# SPDX-License-Identifier: MIT
"""Phase 2: the public grid, the noise on it, and the clamp."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.faults import clamped, laplace_law, value_loss

from pocin.audit.fit import distance
from pocin.errors import UsageError
from pocin.privacy.noise import SeededNoise, SystemNoise
from pocin.privacy.value import LaplaceValues, ValueGrid

GRID = ValueGrid(Decimal("0.01"), "MW")
THOUSANDTHS = st.integers(-(10**7), 10**7)


def at(thousandths):
    """The float nearest to a decimal, as a file holds it."""
    return float(f"{thousandths / 1000:.3f}")


@given(THOUSANDTHS)
def test_a_value_goes_to_the_nearest_step_and_up_from_halfway(k):
    (whole,) = GRID.whole([at(k)])
    assert whole == (k + 5) // 10


@given(THOUSANDTHS, st.integers(0, 3000), st.integers(0, 9))
def test_rounding_is_non_expansive(k, steps, less):
    """Values within a whole number of steps of each other stay within it."""
    apart = 10 * steps - less
    low, high = GRID.whole([at(k), at(k + max(0, apart))])
    assert 0 <= high - low <= steps


@given(st.floats(-1e9, 1e9))
def test_any_float_is_within_half_a_step(x):
    (whole,) = GRID.whole([x])
    assert abs(Fraction(int(whole), 100) - Fraction(Decimal(repr(x)))) <= Fraction(1, 200)


@given(st.lists(st.integers(-(10**9), 10**9), max_size=5))
def test_the_grid_goes_there_and_back(whole):
    values = GRID.real(np.array(whole, dtype=np.int64))
    assert GRID.whole(values).tolist() == whole
    assert all(
        repr(float(value)) == repr(float(f"{k / 100:.2f}"))
        for value, k in zip(values, whole, strict=True)
    )


def test_an_amount_must_be_whole_steps():
    assert GRID.steps(Fraction(10)) == 1000
    assert GRID.steps(Fraction(1, 100)) == 1
    for wrong in (Fraction(1, 300), Fraction(0), Fraction(-1)):
        with pytest.raises(UsageError) as refused:
            GRID.steps(wrong)
        assert str(refused.value) == ("--alpha-value: expected a positive multiple of 0.01 MW")


def test_no_values_are_whole_too():
    assert GRID.whole([]).dtype == np.int64


@pytest.mark.parametrize("noise", [SystemNoise(), SeededNoise(7)], ids=["system", "seeded"])
@pytest.mark.parametrize(
    ("epsilon", "alpha"), [(Fraction(1), 1000), (Fraction(1, 3), 7), (Fraction(5), 2)]
)
def test_noise_and_clamp_fit_their_laws(noise, epsilon, alpha):
    draws = 15_000
    mechanism = LaplaceValues(epsilon, alpha)
    allowed = np.sqrt(np.log(2 / 1e-9) / (2 * draws))
    scale = float(alpha / epsilon)
    far = mechanism.draw(np.full(draws, 10**7), noise) - 10**7
    near = mechanism.draw(np.zeros(draws, dtype=np.int64), noise)
    assert distance(far, scale) < allowed
    assert distance(near, scale, least=0) < allowed
    assert near.min() == 0


def test_equal_values_get_noise_of_their_own():
    drawn = LaplaceValues(Fraction(1), 1000).draw(np.full(50, 10**6), SystemNoise())
    assert len(set(drawn.tolist())) > 25


@pytest.mark.parametrize("change", [1, 5, 10, 20])
@pytest.mark.parametrize("value", [0, 3, 40])
def test_the_exact_loss_is_what_is_claimed(value, change):
    mechanism = LaplaceValues(Fraction(1), 10)
    scale = Fraction(mechanism.alpha) / mechanism.epsilon
    laws = [clamped(laplace_law(v, scale)) for v in (value, value + change)]
    assert value_loss(*laws, mechanism.alpha) == pytest.approx(
        float(mechanism.loss(change)), abs=1e-9
    )
