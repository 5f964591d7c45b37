# SPDX-License-Identifier: MIT
"""Rankings, budgets, chance and standard errors, against brute force and by hand."""

import json
import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocin import attack
from pocin.attack import Average, Mean, Row, Simulation, ranking
from pocin.attack.budgets import Budget, parse
from pocin.attack.ranking import Chance, Prize, hits, random_order
from pocin.errors import UsageError
from pocin.targets import Harm

few = st.lists(st.integers(-3, 3), min_size=1, max_size=7)


# -- who is hit ---------------------------------------------------------------------------------


@given(few, st.data())
def test_the_highest_scores_are_hit_and_of_equals_the_lowest_id(scores, data):
    k = data.draw(st.integers(1, len(scores)))
    found = hits(np.array(scores, dtype=float), k).tolist()
    assert found == sorted(range(len(scores)), key=lambda site: (-scores[site], site))[:k]


def test_what_is_not_known_is_hit_last():
    assert hits(np.array([np.nan, -5.0, 2.0, np.nan]), 3).tolist() == [2, 1, 0]


def test_random_orders_repeat_and_are_uniform():
    first = [tuple(random_order(3, draw)) for draw in range(1200)]
    assert first == [tuple(random_order(3, draw)) for draw in range(1200)]
    counts = [first.count(order) for order in permutations(range(3))]
    assert sum(counts) == 1200
    chi = sum((count - 200) ** 2 / 200 for count in counts)
    assert chi < 20.5  # 0.999 of five degrees of freedom


# -- what it takes ------------------------------------------------------------------------------


@given(few, st.data())
def test_share_is_of_the_best_that_any_sites_give(worth, data):
    k = data.draw(st.integers(1, len(worth)))
    prize = Prize(np.array(worth, dtype=float), k)
    assert prize.most == max(
        sum(worth[i] for i in some) for some in combinations(range(len(worth)), k)
    )
    hit = np.array(data.draw(st.permutations(range(len(worth))))[:k])
    expected = sum(worth[i] for i in hit) / prize.most if prize.most > 0 else 0
    assert prize.share(hit) == pytest.approx(expected)


def test_the_best_of_several_columns():
    prize = Prize(np.array([5.0, 1.0, 4.0, 2.0]), 2)
    by, hit = prize.best({"up": np.arange(4.0), "down": -np.arange(4.0), "none": np.zeros(4)})
    assert (by, hit.tolist()) == ("up", [3, 2])
    assert prize.holds_top(np.array([0, 3]))
    assert not prize.holds_top(hit)


@pytest.mark.parametrize(
    "columns", [[[0, 1]], [[2, 4]], [[0, 3], [1, 2]], [[0, 1], [2, 3], [3, 4]]]
)
def test_p_is_that_of_all_permutations(columns):
    worth = np.array([9.0, 1.0, 4.0, 2.0, 7.0])
    table = np.array(columns)
    real = worth[table].sum(axis=1).max()
    every = [np.array(order)[table].sum(axis=1).max() >= real for order in permutations(worth)]
    p = Chance(Prize(worth, 2)).p([np.array(hit) for hit in columns])
    assert p == pytest.approx(np.mean(every), abs=4 * math.sqrt(0.25 / ranking.SHUFFLES))


def test_p_is_valid_for_the_best_of_several_columns(monkeypatch):
    # Without "as many random rankings", the best of eight would be below .05 in a third of cases.
    monkeypatch.setattr(ranking, "SHUFFLES", 200)
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        prize = Prize(rng.exponential(size=20), 4)
        found.append(Chance(prize).p([rng.permutation(20)[:4] for _ in range(8)]))
    low = sum(p <= 0.05 for p in found)
    assert low <= 21  # binomial(200, .05) is above with probability 1e-3
    assert min(found) >= 1 / 201


def test_p_of_the_best_possible_column_is_small():
    worth = np.arange(20.0)
    assert Chance(Prize(worth, 4)).p([np.arange(16, 20)]) == pytest.approx(1 / 2001, abs=2e-3)


# -- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "elements", "hit"),
    [("10%", 19, 2), ("20%", 19, 4), ("10%", 4, 1), ("1%", 4, 1), ("12.5%", 4, 1), ("37.5%", 4, 2),
     ("100%", 7, 7), ("7", 7, 7), (" 3 ", 19, 3)],
)  # fmt: skip
def test_budgets(text, elements, hit):
    assert Budget.parse(text).of(elements, "unit") == hit


def test_budgets_as_one_text_or_several():
    assert parse("10%, 20,10%") == parse(["10%", "20"])
    assert parse("50%")[0].share == Fraction(1, 2)


@pytest.mark.parametrize(
    "text", ["", "0", "-3", "0%", "101%", "ten", "1.5", "10%%", "1/0%", "nan%"]
)
def test_budgets_that_mean_nothing(text):
    with pytest.raises(UsageError, match="--budget"):
        parse(text)


def test_more_than_there_are():
    with pytest.raises(UsageError, match="there are 19 units"):
        Budget.parse("20").of(19, "unit")


# -- means --------------------------------------------------------------------------------------


def test_a_standard_error_by_hand():
    found = Mean.of([1.0, 2.0, 4.0])
    assert found.mean == pytest.approx(7 / 3)
    assert found.se == pytest.approx(math.sqrt(7 / 3) / math.sqrt(3))


def test_one_run_has_no_standard_error_unless_it_is_certain():
    assert Mean.of([3.0]) == Mean(3.0, None)
    assert Mean.of([3.0], certain=True) == Mean(3.0, 0.0)
    assert Mean.of([0.1] * 3) == Mean(0.1, 0.0)


def test_averages_of_rows():
    def row(run: int, by: str, damage: float, objective: float) -> Row:
        harm = Harm(damage, objective, {"shed_mw": damage / 10})
        told = {"share": damage / 100, "top": run == 0, "p": 0.1 * run, "p_any": 0.5}
        return Row(run, "10%", 2, "residual", "floor", by, harm=harm, shares={by: 0.5}, **told)

    found = Average.of([row(0, "a", 10, -4), row(1, "b", 20, 4), row(2, "b", 60, 6)])
    assert found.by == "b"
    assert found.damage.mean == pytest.approx(30)
    assert found.damage.se == pytest.approx(math.sqrt(700 / 3))
    assert found.objective.mean == pytest.approx(2)
    assert found.robustness.mean == pytest.approx(14 / 3)  # of |O*(A) - O*|, run by run
    assert found.top.mean == pytest.approx(1 / 3)
    assert found.p == pytest.approx(0.1)
    assert found.details == {"shed_mw": Mean.of([1.0, 2.0, 6.0])}


# -- the simulation on a kind that this file makes up ---------------------------------------------


@dataclass(frozen=True)
class Wells:
    """A third kind of network, as its target: wells that hold water, one a site."""

    water: tuple[float, ...]
    asked: list[tuple[int, ...]] = field(default_factory=list)
    name = "wells"
    meaning = "water lost"
    unit = "m3"
    element = "well"
    worth_meaning = "water"
    beside: ClassVar = {}
    optimum = 100.0

    @property
    def count(self):
        return len(self.water)

    @property
    def worth(self):
        return np.array(self.water)

    def check(self, released, name):
        """All releases belong."""

    def informed(self):
        return {"": {"water": self.worth}}

    def public(self):
        return {"": {"depth": np.arange(len(self.water), dtype=float)}}

    def obfuscated(self, released, _solve=None):
        return {"a": {"a": np.array(released)}, "b": {"b": -np.array(released)}}

    def residual(self, released):
        return {"left": {"copy": self.worth} if released[0] else {}, "floor": {}}

    def harm(self, hit):
        self.asked.append(tuple(hit.tolist()))
        return Harm(float(self.worth[hit].sum()), -float(len(hit)))


def test_a_third_kind_needs_no_edit():
    wells = Wells((1.0, 5.0, 2.0, 4.0))
    simulation = Simulation(wells, parse("1,50%"), draws=3)
    found = attack.measure(simulation, [[0, 1, 2, 3], [3, 9, 1, 1]])
    one, two = found.budgets
    assert (one.k, two.k) == (1, 2)
    assert one.best("informed").damage == Mean(5.0, 0.0)
    assert two.best("informed").share == Mean(1.0, 0.0)
    assert one.best("public").damage == Mean(4.0, 0.0)
    # release 0 points at well 3 (4 m3), or backwards at 0 (1); release 1 at 1 (5), or at 2 (2)
    assert one.best("obfuscated").variant == "a"
    assert one.best("obfuscated").damage == Mean.of([4.0, 5.0])
    assert one.best("obfuscated").robustness == Mean(1.0, 0.0)
    # what is left tells all in one release; in the other nothing is left, and ids decide
    best = one.best("residual")
    assert (best.variant, best.runs, best.damage) == (attack.BEST, 2, Mean.of([1.0, 5.0]))
    (left,) = (average for average in one.rankings["residual"] if average.variant == "left")
    assert (left.runs, left.damage) == (1, Mean(5.0, None))
    assert len(wells.asked) == len(set(wells.asked))  # no attack is worked out twice
    assert json.loads(json.dumps(attack.as_object(found)))["budgets"][0]["k"] == 1


def test_random_attacks_average_to_what_each_site_holds():
    wells = Wells((1.0, 5.0, 2.0, 4.0))
    found = attack.measure(Simulation(wells, parse("1"), draws=2000), [[0, 0, 0, 0]])
    random = found.budgets[0].best("random").damage
    assert random.mean == pytest.approx(3.0, abs=4 * random.se)
    assert random.se == pytest.approx(math.sqrt(2.5 / 2000), rel=0.1)
