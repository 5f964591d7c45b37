# SPDX-License-Identifier: MIT
"""Every gate lets the product through, and fails the audit of what it stands there for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from tests.audit import faults
from tests.audit.catalogue import ALPHA, NOISE, ONE, five_units, peeking, zeros_kept

from pocin import api
from pocin.audit import bounds, fit, inspect
from pocin.audit.blindness import blindness
from pocin.audit.bounds import best_guesses, epsilon_of_guesses, lower_bound, one_run, pairs
from pocin.audit.inspect import audit
from pocin.plan import Request
from pocin.power.columns import BOOK
from pocin.power.matpower import format_matpower
from pocin.power.split import split
from pocin.privacy.location import SoftmaxLocations
from pocin.privacy.value import LaplaceValues

GATES = (
    "enumeration",
    "enumeration, placed anew",
    "fit of phase 1",
    "fit of phase 2",
    "lower bound, phase 1",
    "lower bound, phase 2",
    "one-run audit",
    "truth-blindness",
    "leaks",
)


@pytest.fixture(autouse=True)
def fewer(monkeypatch):
    """Fewer draws: enough for faults as large as these."""
    monkeypatch.setattr(fit, "SITE_DRAWS", 2_000)
    monkeypatch.setattr(fit, "VALUE_DRAWS", 10_000)
    monkeypatch.setattr(bounds, "PAIR_RUNS", 6_000)
    monkeypatch.setattr(bounds, "RUNS", 600)


class Bold(SoftmaxLocations):
    """Every element draws where it stands."""

    def draw(self, sites, *_):
        return np.array(sites)


class Far(SoftmaxLocations):
    """The paper's plus sign."""

    def draw(self, sites, metric, noise):
        return faults.PlusSign(self.epsilon, self.alpha).draw(sites, metric, noise)


@dataclass(frozen=True)
class Unclamped(LaplaceValues):
    """Units without capacity stay as they are."""

    def draw(self, values, *_):
        return zeros_kept(values, float(self.alpha / self.epsilon))


def failed(*released):
    return audit(api.read("ieee57"), released, Request(seed=0)).failed


@pytest.mark.parametrize("mechanism", ["softmax", "permutation"])
def test_the_product_passes_every_gate(mechanism):
    found = audit(api.read("ieee57"), (), Request(seed=0, mechanism=mechanism))
    assert found.failed == ()
    assert tuple(f.gate for f in found.findings if f.passed is not None) == GATES
    assert [f.gate for f in found.findings if f.passed is None] == [
        "fingerprints",
        "residual ranking",
        "told apart",
    ]


def test_a_loss_beyond_the_claim(monkeypatch):
    both = (faults.ForgottenFactor, faults.ForgottenFactor)
    monkeypatch.setattr(inspect, "SHUFFLES", {"softmax": both})
    assert failed() == GATES[:2]


@pytest.mark.parametrize(
    ("sampler", "gates"),
    [
        (Far, {"fit of phase 1"}),  # just as private
        (Bold, {"fit of phase 1", "lower bound, phase 1", "one-run audit"}),
    ],
)
def test_draws_by_another_law(monkeypatch, sampler, gates):
    monkeypatch.setattr(inspect, "mechanism", lambda _: sampler)
    assert set(failed()) == gates


def test_values_without_noise(monkeypatch):
    monkeypatch.setattr(inspect, "LaplaceValues", Unclamped)
    assert set(failed()) == {"fit of phase 2", "lower bound, phase 2"}


def test_a_phase_3_that_sees_the_truth(monkeypatch):
    monkeypatch.setattr(inspect, "blindness", partial(blindness, finish=peeking))
    assert set(failed()) == {"truth-blindness"}


def test_a_file_that_gives_the_source_away(tmp_path):
    grid = api.read("ieee57").content
    (tmp_path / "same.m").write_text(format_matpower(grid, (), "case57"))
    assert failed(tmp_path / "same.m") == ("leaks",)


def test_a_placement_by_the_truth_is_told_by_guesses():
    """Nothing but the true order of the columns: the assignment's ties fall by it."""

    def by_truth(*seen):
        standing = seen[-1]
        placed = np.empty_like(standing)
        placed[standing] = np.arange(len(standing))
        return placed

    locations = SoftmaxLocations(ONE, ALPHA)
    assert one_run(locations, five_units(), NOISE).passed
    assert one_run(locations, five_units(), NOISE, by_truth).passed is False


# --------------------------------------------------------------------------- the bounds are bounds


def test_counts_prove_no_more_than_there_is():
    """Two events of odds e^eps: at most one bound in 10^7 is over eps; here none of 2,000 is."""
    rng, runs, epsilon = np.random.default_rng(0), 5_000, 1.0
    p = 0.2
    hits = rng.binomial(runs, p * np.exp(epsilon), 2_000)
    others = rng.binomial(runs, p, 2_000)
    found = np.array([lower_bound(*pair, runs) for pair in zip(hits, others, strict=True)])
    assert found.max() < epsilon
    assert np.median(found) > 0.7


def test_guesses_prove_no_more_than_there_is_and_most_of_it():
    rng, epsilon = np.random.default_rng(1), 1.0
    right = rng.binomial(3_000, 1 / (1 + np.exp(-epsilon)), 400)
    found = np.array([epsilon_of_guesses(int(each), 3_000) for each in right])
    assert found.max() < epsilon
    assert np.median(found) > 0.75
    assert epsilon_of_guesses(0, 0) == 0
    assert epsilon_of_guesses(1_500, 3_000) == 0


def test_a_level_is_chosen_on_one_half_and_used_on_the_other():
    """A score that is right by chance on the first half alone proves nothing."""
    coins = np.array([[True], [False]] * 200)
    score = np.where(coins, 1.0, -1.0)
    score[200:] = -score[200:]
    assert best_guesses(score, coins) == (0, 200)


def test_pairs_are_disjoint_and_within_alpha():
    found = pairs(five_units(), 2)
    members = [site for a, b, _ in found for site in (a, b)]
    assert len(set(members)) == len(members)
    assert all(1 <= five_units().hops[a, b] == h <= 2 for a, b, h in found)


def test_a_large_network_is_audited_by_many_pairs():
    """The 54 units of IEEE 118, condensers counted."""
    grid = api.read("ieee118").content
    units = replace(grid.units, pmax=np.maximum(grid.units.pmax, 10.0))
    public, secret = split(replace(grid, units=units), BOOK.find(None))
    assert len(secret) == 54
    finding = one_run(SoftmaxLocations(ONE, Fraction(4)), public.metric, NOISE)
    assert finding.passed
    assert int(finding.sentence.split()[0]) >= 24
