# SPDX-License-Identifier: MIT
"""After the draws nothing sees the truth: by bytes, and by the exact law of a whole release."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pocin import api, flow
from pocin.audit.blindness import blindness
from pocin.kinds import Goal, Network
from pocin.plan import Request, plan
from pocin.privacy.draws import seal
from pocin.privacy.noise import SeededNoise

RICH = "tests/data/rich.m"


def side_of(planned):
    return flow.OpenSide(planned.kind, planned.public, planned.guarantee)


def told(finished):
    """All that leaves the building."""
    certificate = finished.certificate
    return (
        tuple(finished.document.items()) if certificate.within else (),
        certificate.within,
        finished.bilevel,
        finished.reason,
    )


def twins_of(planned):
    request, content = planned.request, planned.network.content
    for changed, twin in planned.kind.twins(content, planned.public.policy, request.only):
        network = Network(planned.kind, twin, planned.network.name, planned.network.published)
        yield changed, plan(network, request)


@pytest.mark.parametrize("policy", ["derived", "unit", "site"])
@pytest.mark.parametrize("mechanism", ["softmax", "permutation"])
def test_a_grid_with_everything_in_it(policy, mechanism):
    request = Request(seed=0, cost_figure=6000.0, policy=policy, mechanism=mechanism)
    planned = plan(api.read(RICH), request)
    finding, _ = blindness(planned, planned.kind.solve(planned.network.content).cost)
    assert finding.passed
    assert finding.figures["truths"] == 4
    assert finding.figures["bytes"] > 1000


def test_a_failure_is_as_blind():
    finding, made = blindness(plan(api.read("ieee14"), Request(seed=0)), 1.0)
    assert finding.passed
    assert not made.certificate.within


def test_draws_placed_anew_are_as_blind():
    """On 300 buses some draws are placed anew; what becomes of them is the same for every truth."""
    planned = plan(api.read("ieee300"), Request(seed=0, beta=0.01))
    goal = Goal(0.98 * planned.known_figure(), 0.01)
    for seed in range(12):
        draws, _, _ = flow.draw(planned, SeededNoise(seed), lambda _: None)
        made = flow.finish(side_of(planned), draws, goal)
        if made.bilevel == "reassigned":
            break
    assert made.bilevel == "reassigned"
    seen = [
        name
        for name, twin in twins_of(planned)
        if told(flow.finish(side_of(twin), draws, goal)) != told(made)
    ]
    assert not seen


# --------------------------------------------------------------- the law of the released bytes


def laws_of_bytes(planned, goal, noise):
    """For every truth the probability of everything that leaves the building, exactly.

    Elements are the two of 30 buses, ``noise`` what phase 2 adds to them. The truths are the
    network and the one with its elements swapped; each goes through its own split, all its draws,
    and phase 3 with the certificate.
    """
    permuted = next(twin for name, twin in twins_of(planned) if name == "elements permuted")
    x = float(planned.guarantee.location.epsilon / (2 * planned.guarantee.location.alpha))
    kernel = np.exp(-x * planned.public.metric.matrix())
    kernel /= kernel.sum(axis=1, keepdims=True)
    order = np.argsort(planned.secret.values)
    found = []
    for truth in (planned, permuted):
        secret = truth.secret
        named = order[np.argsort(np.argsort(secret.values))]  # the same elements, other rows
        assert (planned.secret.values[named] == secret.values).all()
        law: dict = {}
        for drawn in product(range(2), repeat=2):
            draws, _ = seal(np.array(drawn), secret.values + noise[named], secret.moved)
            out = told(flow.finish(side_of(truth), draws, goal))
            chance = float(np.prod(kernel[secret.sites, list(drawn)]))
            law[out] = law.get(out, 0.0) + chance
        found.append(law)
    return found


@pytest.mark.parametrize(
    ("share", "ways"), [(1.0, {"certified", "tightened"}), (0.8, {"tightened", "failed"})]
)
def test_the_exact_law_of_all_that_leaves_the_building(share, ways):
    """With failures among the outputs, and tightening among the ways to them."""
    planned = plan(api.read("ieee30"), Request(seed=0, beta=0.02))
    goal = Goal(share * planned.known_figure(), 0.02)
    stay, swapped = laws_of_bytes(planned, goal, np.array([300, -200]))
    assert stay.keys() == swapped.keys()
    assert {out[2] for out in stay} == ways
    assert sum(stay.values()) == pytest.approx(1)
    worst = max(abs(np.log(stay[out] / swapped[out])) for out in stay)
    hops = planned.public.metric.matrix()[0, 1]
    assert 0 < worst <= float(planned.guarantee.loss(2 * int(hops))) + 1e-12
