# SPDX-License-Identifier: MIT
"""Epsilon at its ends.

very large    every element stays, and its value to a grid step: the release is the original
very small    the placement has a law that does not know where the elements stood

Nearly uniform is the law of `permutation` for small epsilon. That of `softmax` is not: draws that
meet are parted by what is written in the records, the smaller value to the lower site. But it is
the same law whatever the truth, which is what privacy asks; both are held to chi-square here,
against exact probabilities.
"""

import json
import shutil
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import chi2
from tests.metamorphic.networks import Asked, network, planned
from tests.roads.catalogue import GAMMA

from pocin import api, flow
from pocin.kinds import Goal
from pocin.privacy.draws import seal
from pocin.privacy.location import assign, mechanism
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SeededNoise, SystemNoise

LARGE = {"epsilon_location": 1000, "epsilon_value": 1000, "alpha_location": "1hops"}
WAYS = [
    *(Asked("ieee14", policy) for policy in ("unit", "site", "derived")),
    Asked("ieee57", "unit"),
    *(Asked(name, "pairs") for name in ("block", "odd", "islands")),
    Asked("town"),
]


# --------------------------------------------------------------------------------------- very large


@pytest.mark.parametrize("private", [False, True], ids=["seeded", "private"])
@pytest.mark.parametrize("asked", WAYS, ids=str)
def test_a_very_large_epsilon_returns_the_original(asked, private):
    kind = network(asked.name).kind
    alpha = f"{kind.values.step}{kind.values.unit}"
    made = planned(asked, alpha_value=alpha, **LARGE)
    noise = SystemNoise() if private else SeededNoise(11)
    figure = kind.chosen({}, made.network.content).solve(made.network.content).cost
    # Pr[any element moves] <= n n exp(-500), Pr[any value moves] <= 2 n exp(-1000)
    draws, trace, _ = flow.draw(made, noise, lambda _: None)
    assert draws.sites.tolist() == list(range(len(draws)))
    assert (draws.values == made.secret.values[trace.element]).all()
    assert (trace.element == np.arange(len(draws))).all()
    side = flow.OpenSide(made.kind, made.public, made.guarantee)
    done = flow.finish(side, draws, Goal(figure, 0.1))
    assert done.certificate.within
    # where nothing but rounding stands between it and the original, phase 3 leaves it alone
    if asked.policy != "derived":
        assert done.distance == 0
        half_a_vehicle = 0.5 * GAMMA * 4  # on each of four links
        off = half_a_vehicle if asked.policy == "pairs" else 1e-4 * figure
        assert done.certificate.own_optimum == pytest.approx(figure, abs=off)
    true = kind.values.real(made.secret.values)
    assert np.abs(done.noisy - true).max() == 0


# --------------------------------------------------------------------------------------- very small


def softmax_rows(hops, x):
    weights = np.exp(-float(x) * hops)
    return weights / weights.sum(axis=1, keepdims=True)


def law(metric, x, values, standing):
    """Pr[placement] by all draws: element i of value i stands at ``standing[i]``."""
    rows = softmax_rows(metric.matrix(), x)
    found = dict.fromkeys(permutations(range(len(values))), 0.0)
    moved = np.empty((len(values), 0))
    for sites in product(range(len(values)), repeat=len(values)):
        chance = np.prod([rows[standing[i], s] for i, s in enumerate(sites)])
        draws, trace = seal(np.array(sites), values, moved)
        found[tuple(trace.element[assign(draws, metric)].tolist())] += chance
    return found


PLACES = Hops(np.array([[0, 1], [1, 2], [2, 3]]), 4, np.arange(4))
VALUES = np.array([10, 20, 30, 40])
TINY = Fraction(1, 1000)


def drawn(name, count, seed, standing):
    """Count the placements of many draws."""
    relocate, noise = mechanism(name)(TINY, Fraction(2)), SeededNoise(seed)
    found = dict.fromkeys(permutations(range(4)), 0)
    for _ in range(count):
        sites = relocate.draw(standing, PLACES, noise)
        draws, trace = seal(sites, VALUES, np.empty((4, 0)))
        found[tuple(trace.element[assign(draws, PLACES)].tolist())] += 1
    return found


def fits(counts, chances):
    """Whether counts fit exact chances, at 1 in 10,000."""
    total = sum(counts.values())
    some = [key for key, chance in chances.items() if chance > 0]
    assert sum(counts[key] for key in some) == total
    expected = np.array([total * chances[key] for key in some])
    assert expected.min() >= 5
    seen = np.array([counts[key] for key in some])
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return statistic <= chi2.ppf(1 - 1e-4, len(some) - 1)


def test_a_very_small_epsilon_permutes_uniformly():
    even = dict.fromkeys(permutations(range(4)), 1 / 24)
    counts = drawn("permutation", 4000, 3, np.arange(4))
    assert fits(counts, even)
    # and the test can tell: what an epsilon of 1 draws does not fit
    rows = softmax_rows(PLACES.matrix(), Fraction(1, 4))
    chances = {p: float(np.prod([rows[s, p[s]] for s in range(4)])) for p in even}
    total = sum(chances.values())
    assert not fits(counts, {p: chance / total for p, chance in chances.items()})


def test_a_very_small_epsilon_draws_by_its_exact_law():
    exact = law(PLACES, TINY / 4, VALUES, np.arange(4))
    assert sum(exact.values()) == pytest.approx(1)
    counts = drawn("softmax", 4000, 4, np.arange(4))
    assert fits(counts, exact)
    # It is not uniform: draws that meet are parted by their values.
    assert not fits(counts, dict.fromkeys(exact, 1 / 24))


def test_that_law_hardly_knows_the_truth():
    # e^(eps hops / 2 alpha), with the hops of all that stand elsewhere
    exact = law(PLACES, TINY / 4, VALUES, np.arange(4))
    hops = PLACES.matrix()
    for other in ([1, 0, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        bound = np.exp(float(TINY) / 4 * sum(hops[i, other[i]] for i in range(4)))
        changed = law(PLACES, TINY / 4, VALUES, np.array(other))
        ratios = [changed[key] / chance for key, chance in exact.items() if chance > 0]
        assert changed.keys() == exact.keys()
        assert all((changed[key] > 0) == (exact[key] > 0) for key in exact)
        assert 1 / bound <= min(ratios) < 1 < max(ratios) <= bound


@pytest.mark.parametrize("name", ["ieee14", "ieee30", "siouxfalls"])
def test_a_very_small_epsilon_ends_in_a_faithful_release_or_a_reason(pocin, desk, name):
    figure = api.read(name).published
    out = desk / ("out" if name == "siouxfalls" else "out.m")
    for seed in range(3):
        words = ("--epsilon", "1/1000", "--research", "--seed", seed, "--quiet", "--force")
        ended = pocin("release", name, "-o", out, *words)
        assert ended.code in {0, 4}
        if ended.code == 4:
            assert ended.err.endswith("nothing was spent, and no file was written\n")
            assert not out.exists()
            continue
        solved = pocin("solve", out, "--json", "--quiet")
        assert abs(json.loads(solved.out)["optimum"] / figure - 1) <= 0.1
        shutil.rmtree(out) if out.is_dir() else out.unlink()
