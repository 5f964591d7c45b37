# SPDX-License-Identifier: MIT
"""What the audit says where there is too little to measure."""

from fractions import Fraction

import numpy as np
import pytest

from pocin.audit.apart import auc_of, residual, told_apart
from pocin.audit.bounds import best_guesses, locations_bound, one_run
from pocin.kinds import Exposure
from pocin.privacy.location import SoftmaxLocations
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SeededNoise

NOISE = SeededNoise(0)
ONE = SoftmaxLocations(Fraction(1), Fraction(2))
TOGETHER = Hops(np.array([[0, 1]]), 2, np.zeros(3, dtype=np.int64))


def shown(released, **standing):
    none = np.zeros((len(released), 0))
    return Exposure(np.array(released, dtype=float), standing, none, none)


def test_no_two_sites_within_alpha():
    for found in (locations_bound(ONE, TOGETHER, NOISE), one_run(ONE, TOGETHER, NOISE)):
        assert found.passed is None
        assert found.sentence.startswith("skipped: no two sites are within alpha")


def test_too_many_elements_for_one_run(monkeypatch):
    monkeypatch.setattr("pocin.audit.bounds.MOST_ELEMENTS", 3)
    row = Hops(np.array([[0, 1], [1, 2], [2, 3]]), 4, np.arange(4))
    found = one_run(ONE, row, NOISE)
    assert (found.passed, found.sentence) == (None, "skipped: 4 elements")


def test_guesses_of_nothing():
    assert best_guesses(np.zeros((10, 2)), np.zeros((10, 2), dtype=bool)) == (0, 0)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (lambda: residual("x", shown([1, 2]), np.ones(2)), "no column is left to rank by"),
        (lambda: residual("x", shown([1, 2], a=np.arange(2.0)), np.zeros(2)), "none to find"),
        (lambda: told_apart("x", shown([1, np.nan]), np.ones(2)), "too few values to compare"),
        (lambda: told_apart("x", shown([3, 3, 3]), np.arange(3.0)), "too few values to compare"),
        (lambda: told_apart("x", shown([1, 2, 3]), np.ones(3)), "too few values to compare"),
    ],
)
def test_too_little_is_said(found, said):
    finding = found()
    assert finding.passed is None
    assert finding.sentence.startswith("x: ")
    assert finding.sentence.endswith(said)


def test_there_is_no_auc_without_both_sides():
    scores = np.arange(3.0)
    assert auc_of(scores, np.ones(3, dtype=bool)) is None
    assert auc_of(scores, np.zeros(3, dtype=bool)) is None
    assert auc_of(scores, np.array([False, False, True])) == 1
    assert auc_of(np.ones(3), np.array([False, True, True])) == 0.5
