# SPDX-License-Identifier: MIT
"""The certificate judges the written bytes, at the edge of beta, trip by trip or by the mean."""

import numpy as np
import pytest
from tests.roads.catalogue import CITIES, GAMMA, another_readers_mean, city

from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.roads.certificate import certify, travel
from pocin.roads.forms import parse

BETA = 0.125


@pytest.fixture(params=CITIES)
def document(request):
    """A folder as a release would write it, with the real traffic."""
    network = city(request.param)
    planned = plan(network, Request(seed=0))
    about = b'{"parameters": {"gamma": 0.01}}'
    return {**planned.kind.write(network.content, ()), "release.json": about}


def found(document):
    return travel(parse(document, "written"), GAMMA)


def test_the_mean_is_that_of_another_tool(document):
    mean = another_readers_mean(document, GAMMA)
    assert certify(document, Goal(mean, BETA), None).own_optimum == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize("side", [-1, 1])
def test_the_mean_may_be_beta_from_the_figure_and_no_more(document, side):
    mean = float(found(document).mean())
    for share, within in ((0.999, True), (1.001, False)):
        figure = mean / (1 + side * share * BETA)
        judged = certify(document, Goal(figure, BETA), None)
        assert judged.within is within
        assert f"% {'above' if side > 0 else 'below'} the cost figure" in judged.reason


@pytest.mark.parametrize("side", [-1, 1])
def test_every_trip_may_be_beta_from_its_own_time_and_no_more(document, side):
    times = found(document)
    for share, within in ((0.999, True), (1.001, False)):
        own = times.copy()
        own[-1] /= 1 + side * share * BETA
        judged = certify(document, Goal(1.0, BETA), own)
        assert judged.within is within
        kept = len(times) - (not within)
        assert f"{kept} of {len(times)} trips are within 0.125 of their own time" in judged.reason


def test_a_trip_of_no_time_must_stay_one(document):
    times = found(document)
    times[0] = 0.0
    assert not certify(document, Goal(1.0, BETA), times).within


def test_a_trip_without_a_path_is_not_within(document):
    rows = document["link.csv"].split(b"\n")
    into = [row for row in rows[1:] if row]
    trips = parse(document, "written").trips
    last = str(trips.destination[-1]).encode()
    cut = [row for row in into if row.split(b",")[2] != last]
    closed = {**document, "link.csv": b"\n".join([rows[0], *cut])}
    judged = certify(closed, Goal(1.0, 0.9), found(document))
    assert not judged.within
    assert np.isinf(judged.own_optimum)
