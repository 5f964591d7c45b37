# SPDX-License-Identifier: MIT
"""What a curator asks for is read exactly, or refused in a sentence."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocin.errors import UsageError
from pocin.privacy.metric import Hops
from pocin.privacy.settings import Privacy, Radius, Scale, epsilon, quantity

PATH = Hops(np.column_stack([np.arange(20), np.arange(1, 21)]), 21, np.array([0, 10, 20]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", Fraction(1)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        ("2.5e-3", Fraction(1, 400)),
        (1, Fraction(1)),
        (0.1, Fraction(1, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        ("1000", Fraction(1000)),
    ],
)
def test_an_epsilon_is_exact(text, value):
    assert epsilon(text) == value


@pytest.mark.parametrize(
    "text",
    ["0", "-1", "nan", "inf", "", "one", "1001", "1/0", "1e999999999", "1e-999999999", "0x1"],
)
def test_a_wrong_epsilon_is_refused(text):
    sentence = ": expected a number over 0 and at most 1000$"
    for flag in ("--epsilon-value", "--epsilon"):
        with pytest.raises(UsageError, match=f"^{flag}{sentence}"):
            epsilon(text, flag)
    with pytest.raises(UsageError, match=f"^--epsilon{sentence}"):
        epsilon(text)


@given(st.fractions(Fraction(1, 10**6), 1000))
def test_an_epsilon_survives_being_printed(value):
    assert epsilon(f"{value.numerator}/{value.denominator}") == value


@pytest.mark.parametrize(
    ("text", "amount", "scale"),
    [
        ("2hops", Fraction(2), Scale.HOPS),
        (" 2.5 hops ", Fraction(5, 2), Scale.HOPS),
        ("5%", Fraction(5), Scale.DIAMETER),
        ("0.5%nodes", Fraction(1, 2), Scale.NODES),
    ],
)
def test_a_radius_is_read(text, amount, scale):
    assert Radius.parse(text) == Radius(amount, scale)


@pytest.mark.parametrize(
    "text", ["2", "hops", "2 miles", "-2hops", "0%", "2hop", "nanhops", "1e99%"]
)
def test_a_wrong_radius_is_refused(text):
    with pytest.raises(UsageError) as refused:
        Radius.parse(text)
    assert str(refused.value) == (
        f"--alpha-location '{text}': expected a positive number with its unit, as 5hops or 5% or "
        "5%nodes"
    )


def test_a_radius_in_hops():
    assert Radius.parse("3hops").hops(PATH, 21) == 3
    assert Radius.parse("5%").hops(PATH, 21) == 1  # of a diameter of 20
    assert Radius.parse("1%nodes").hops(PATH, 21) == Fraction(21, 100)


def test_a_radius_of_nothing_is_refused():
    one_node = Hops(np.zeros((0, 2), dtype=np.int64), 1, np.array([0, 0]))
    with pytest.raises(UsageError) as refused:
        Radius.parse("5%").hops(one_node, 1)
    assert str(refused.value) == (
        "--alpha-location: comes to 0 hops on this network; give it in hops"
    )


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("10MW", Fraction(10), "MW"),
        ("0.1pu", Fraction(1, 10), "pu"),
        ("1e1 MW", Fraction(10), "MW"),
    ],
)
def test_a_quantity_is_read(text, value, unit):
    assert quantity(text, "--alpha-value", ("MW", "pu")) == (value, unit)


@pytest.mark.parametrize("text", ["10", "10mw", "10MW5", "MW", "--1MW", "1e400MW", "0MW"])
def test_a_wrong_quantity_is_refused(text):
    with pytest.raises(UsageError, match="--alpha-value '"):
        quantity(text, "--alpha-value", ("MW", "pu"))


def test_thirty_digits_are_the_most():
    """Beyond them a decimal could stand for a number that fills the memory."""
    for text in ("1e30MW", "9.9e30MW", "1e-30MW"):
        assert quantity(text, "--alpha-value", ("MW",))[0] == Fraction(text.removesuffix("MW"))
    for text in ("1e31MW", "1e-31MW"):
        with pytest.raises(UsageError):
            quantity(text, "--alpha-value", ("MW",))


def test_the_defaults():
    assert Privacy() == Privacy(Fraction(1), Fraction(1), None, None, None)
