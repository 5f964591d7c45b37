# SPDX-License-Identifier: MIT
"""What a ledger's rows say: sums part by part, the budget, and the sentences about both."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.errors import UsageError
from pocin.privacy.spending import Entry, Spend, Statement, exact

AMOUNTS = st.integers(0, 600).map(lambda number: Fraction(number, 60))
SPENDS = st.builds(Spend, AMOUNTS, AMOUNTS, AMOUNTS, st.sampled_from(["", "the optimum", "times"]))


def entry(said):
    """The row that records a spend, or a budget."""
    spend, budget = (said, None) if isinstance(said, Spend) else (None, said)
    return Entry(1, "now", "grid", spend, budget, "digest")


def statement(*said):
    return Statement("grid", tuple(map(entry, said)))


@given(st.lists(SPENDS, max_size=4))
@settings(deadline=None)
def test_spends_add_up_part_by_part_and_in_all(spends):
    spent = statement(*spends).spent
    for part in ("epsilon_location", "epsilon_value", "epsilon_cost", "total"):
        assert getattr(spent, part) == sum(getattr(spend, part) for spend in spends)
    assert all(spend.total >= spend.epsilon_cost for spend in spends)


def test_a_note_is_told_once_in_the_order_of_the_rows():
    one, two, none = (Spend(Fraction(1), Fraction(1), note=note) for note in ("b", "a", ""))
    assert statement(one, none, two, one).spent.note == "b; a"
    assert statement(none).spent.note == ""


@given(st.lists(SPENDS, max_size=4), AMOUNTS, AMOUNTS, SPENDS)
@settings(deadline=None)
def test_the_newest_budget_is_used_to_the_last_digit_and_not_beyond(spends, old, new, more):
    stand = statement(old, *spends, new)
    used = sum((spend.total for spend in spends), Fraction(0))
    assert stand.budget == new
    assert stand.left == max(0, new - used)
    assert (stand.refusal(more) is None) == (used + more.total <= new)
    just = statement(*spends, used + more.total)
    assert just.refusal(more) is None
    assert just.refusal(Spend(more.total, Fraction(1, 10**9))) is not None


@given(st.lists(SPENDS, max_size=4), SPENDS)
@settings(deadline=None)
def test_without_a_budget_nothing_is_refused_or_left(spends, more):
    stand = statement(*spends)
    assert stand.budget is None
    assert stand.left is None
    assert stand.refusal(more) is None


def test_a_budget_of_nothing_refuses_all_but_nothing():
    stand = statement(Fraction(0))
    assert stand.budget == 0
    assert stand.left == 0
    assert stand.refusal(Spend(Fraction(0), Fraction(0))) is None
    assert stand.refusal(Spend(Fraction(0), Fraction(1, 10**9))) is not None


def test_what_does_not_fit_is_refused_in_a_sentence():
    stand = statement(Fraction(3, 10), Spend(Fraction(1, 10), Fraction(1, 10)))
    assert stand.refusal(Spend(Fraction(1, 10), Fraction(0), Fraction(1, 3))) == (
        "this would spend 13/30, but 0.1 of the budget of 0.3 is left on this network: lower the "
        "epsilons, or raise the budget by `pocin ledger open`"
    )


ONE = Spend(Fraction(1, 2), Fraction(1, 4), Fraction(1, 8))
NOTED = Spend(Fraction(1), Fraction(1), note="the optimum")
SO_FAR = "Spent on this network so far: "


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ([], "0 (location 0, value 0, cost figure 0) in 0 spends; no budget is set."),
        (
            [ONE],
            "0.875 (location 0.5, value 0.25, cost figure 0.125) in 1 spend; no budget is set.",
        ),
        (
            [Fraction(3), NOTED, ONE],
            (
                "2.875 (location 1.5, value 1.25, cost figure 0.125) in 2 spends, each for the "
                "alphas of its own release; further disclosed: the optimum; 0.125 of the budget of "
                "3 is left."
            ),
        ),
        (
            [Fraction(1, 3)],
            "0 (location 0, value 0, cost figure 0) in 0 spends; 1/3 of the budget of 1/3 is left.",
        ),
    ],
)
def test_the_sentence_says_all(said, sentence):
    assert statement(*said).sentence == SO_FAR + sentence


def test_a_row_is_a_spend_or_a_budget():
    head, tail = (7, "now", "grid"), ("note", "digest")
    spend = Spend(Fraction(1, 3), Fraction(2), Fraction(0), "note")
    assert Entry.of((*head, "1/3", "2/1", "0/1", None, *tail)) == Entry(
        *head, spend, None, "digest"
    )
    assert Entry.of((*head, None, None, None, "5/2", *tail)) == Entry(
        *head, None, Fraction(5, 2), "digest"
    )


@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_part_of_a_spend_gives_privacy_back(place):
    parts = [Fraction(1)] * 3
    parts[place] = Fraction(-1, 10**9)
    with pytest.raises(UsageError) as refused:
        Spend(*parts)
    assert str(refused.value) == "a spend cannot be negative: give an epsilon of at least 0"
    parts[place] = Fraction(0)
    assert Spend(*parts).total == 2


def test_a_spend_is_of_no_figure_and_discloses_nothing_unless_it_says_so():
    assert Spend(Fraction(1), Fraction(2)) == Spend(Fraction(1), Fraction(2), Fraction(0), "")


def test_numbers_are_written_as_people_do():
    shown = [exact(value) for value in map(Fraction, (0, 100, "2.250", "1/3"))]
    assert shown == ["0", "100", "2.25", "1/3"]
    thirty = Fraction(123_456_789_012_345_678_901_234_567_891, 10**29)
    assert exact(thirty) == "1.23456789012345678901234567891"
    assert exact(thirty / 4) == str(thirty / 4)
    assert exact(Fraction(1, 10**30 - 1)) == f"1/{10**30 - 1}"
    assert exact(Fraction(1, 3 * 10**30)) == "about 3.33334e-31"
    assert exact(1 + Fraction(1, 10**30)) == "about 1.00001"
    assert exact(Fraction(1, 10**30)) == f"0.{'0' * 29}1"


@given(st.integers(1, 2**127 - 2))
@settings(deadline=None)
def test_a_number_too_long_to_write_is_rounded_up(numerator):
    """What a statement claims is never under what is true."""
    endless = Fraction(numerator, 2**127 - 1)
    word, _, shown = exact(endless).partition(" ")
    assert word == "about"
    assert endless <= Fraction(shown) <= endless * (1 + Fraction(1, 10**5))
