# SPDX-License-Identifier: MIT
"""Sioux Falls as it ships: LeBlanc's figures, and traffic that is the equilibrium of them."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.roads import tntp as independent
from tests.roads.catalogue import another_readers_mean

from pocin.kinds import kinds
from pocin.roads import cases
from pocin.roads.assignment import recomputed
from pocin.roads.files import read_roads
from pocin.roads.gamma import fitted


@pytest.fixture(scope="module")
def siouxfalls():
    return read_roads("siouxfalls")[0]


def test_its_traffic_is_the_equilibrium_of_its_demand(siouxfalls):
    found = recomputed(siouxfalls, gap=1e-7, rounds=2_000)
    np.testing.assert_allclose(siouxfalls.links.volume, found.traffic, atol=3)


def test_its_gamma_is_the_slope_of_its_delays(siouxfalls):
    assert siouxfalls.gamma == float(f"{fitted(siouxfalls.links)[0]:.2g}")


def test_its_published_mean_is_what_another_tool_finds():
    (case,) = cases.builtin().values()
    files = {path.name: path.read_bytes() for path in case.path.iterdir()}
    assert another_readers_mean(files, 0.00034) == pytest.approx(case.published, abs=1e-4)


def test_the_list_of_cases_is_true(siouxfalls):
    (told,) = next(kind for kind in kinds() if kind.name == "roads").cases()
    assert told["name"] == "siouxfalls"
    assert (told["nodes"], told["links"], told["trips"]) == (24, 76, 528)
    assert (len(siouxfalls.nodes), len(siouxfalls.links), len(siouxfalls.trips)) == (24, 76, 528)
    assert siouxfalls.notes == ()
    about = json.loads((Path(cases.__file__).parent / "siouxfalls" / "network.json").read_text())
    assert about["units"] == {"time": "0.01 h", "length": "none", "volume": "veh/day"}


def test_it_is_the_network_that_others_use(siouxfalls):
    """Others keep capacities to more digits, and drop pairs of no trips."""
    theirs = independent.network("SiouxFalls")
    order = np.lexsort((theirs.head, theirs.tail))
    assert (siouxfalls.tail == theirs.tail[order]).all()
    assert (siouxfalls.head == theirs.head[order]).all()
    assert (siouxfalls.links.d == theirs.delay.free[order]).all()
    np.testing.assert_allclose(siouxfalls.links.capacity, theirs.delay.capacity[order], atol=0.5)
    assert siouxfalls.trips.volume.sum() == theirs.volume.sum() == 360_600
    np.testing.assert_allclose(siouxfalls.links.volume, theirs.best_known[order], atol=3)
