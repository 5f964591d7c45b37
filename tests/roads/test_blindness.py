# SPDX-License-Identifier: MIT
"""Truth-blindness on roads: the same draws with other truths behind them, to the byte."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.blind import told
from tests.roads.catalogue import CITIES, city

from pocin import api, flow
from pocin.kinds import Finished, Goal, Network
from pocin.plan import Plan, Request, plan
from pocin.privacy.draws import Draws
from pocin.privacy.noise import SeededNoise
from pocin.roads.network import Roads
from pocin.roads.twins import twins

PER_TRIP = (("reading", "per-trip"), ("trip_times", "computed"))
WALKS = [(name, policy, reading) for name in CITIES for policy in ("pairs", "demand")
         for reading in ((), PER_TRIP)]  # fmt: skip


FIGURES = {"block": 48.0, "odd": 50.0, "ring": 290.0, "islands": 41.0}


def planned(network: Network, policy: str, choices) -> Plan:
    figure = None if choices else FIGURES[network.name]
    privacy = api.privacy(epsilon_location="1/10", epsilon_value="1/20")
    return plan(network, Request(privacy, 0.4, policy, cost_figure=figure, choices=choices, seed=0))


def finish(made: Plan, draws: Draws, figure: float, beta: float = 0.4) -> Finished:
    side = flow.OpenSide(made.kind, made.public, made.guarantee)
    return flow.finish(side, draws, Goal(figure, beta))


def everything(finished: Finished) -> tuple[object, ...]:
    """Return what is told, and the trips' times that the certificate found."""
    return told(finished, finished.certificate.solve)


def shuffled(roads: Roads, seed: int) -> Roads:
    mix = np.random.default_rng(seed)
    tables = {name: getattr(roads, name) for name in ("nodes", "links", "trips")}
    return replace(roads, **{n: t.take(mix.permutation(len(t))) for n, t in tables.items()})


def truths(made: Plan) -> Iterator[tuple[str, Roads]]:
    """Yield roads with the same public part: other secrets, and other orders of the source."""
    content = made.network.content
    yield from twins(content, made.public.policy)
    empty = replace(content.links, volume=np.zeros(len(content.links)))
    yield "no traffic", replace(content, links=empty)
    for seed in range(2):
        yield f"source rows shuffled ({seed})", shuffled(content, seed)


@pytest.mark.parametrize(("name", "policy", "choices"), WALKS)
def test_no_byte_depends_on_the_truth(name, policy, choices):
    made = planned(city(name), policy, choices)
    figure = made.known_figure()
    draws, _, _ = flow.draw(made, SeededNoise(1), lambda _: None)
    first = finish(made, draws, figure)
    assert first.bilevel == "certified"
    for what, truth in truths(made):
        other = planned(replace(made.network, content=truth), policy, choices)
        assert everything(finish(other, draws, figure)) == everything(first), what


def test_nor_does_a_failure():
    made = planned(city("block"), "pairs", ())
    draws, _, _ = flow.draw(made, SeededNoise(1), lambda _: None)
    first = finish(made, draws, 1e-3)  # no trip is as quick as that, whatever the traffic
    assert first.bilevel == "failed"
    for what, truth in truths(made):
        other = planned(replace(made.network, content=truth), "pairs", ())
        assert everything(finish(other, draws, 1e-3)) == everything(first), what


def test_what_differs_is_seen():
    made = planned(city("block"), "pairs", ())
    draws, _, _ = flow.draw(made, SeededNoise(1), lambda _: None)
    others, _, _ = flow.draw(made, SeededNoise(2), lambda _: None)
    content = made.network.content
    slower = replace(content, links=replace(content.links, d=content.links.d + 0.5))
    public = planned(replace(made.network, content=slower), "pairs", ())
    first = everything(finish(made, draws, 48.0))
    assert everything(finish(made, others, 48.0)) != first
    assert everything(finish(public, draws, 48.0)) != first
    assert everything(finish(made, draws, 48.5)) != first
