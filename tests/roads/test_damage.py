# SPDX-License-Identifier: MIT
"""Roads under attack: damage against networkx, and what ranks links."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import pocin
from pocin import attack
from pocin.errors import InputError, UsageError
from pocin.kinds import chosen
from pocin.roads.city import make_city
from pocin.roads.damage import RoadsTarget
from pocin.roads.exposure import trip_paths
from pocin.roads.kind import ROADS

SEED = 1
EACH = {"reading": "per-trip", "trip_times": "computed"}


@pytest.fixture(scope="module")
def network():
    return pocin.read("siouxfalls")


@pytest.fixture(scope="module")
def target(network):
    return network.kind.target(network.content, "siouxfalls", {})


def by_networkx(roads, w):
    """The shortest time of every trip, by another program."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(len(roads.nodes)))
    graph.add_weighted_edges_from(zip(roads.tail.tolist(), roads.head.tolist(), w, strict=True))
    trips = zip(roads.origins.tolist(), roads.destinations.tolist(), strict=True)
    return np.array([nx.dijkstra_path_length(graph, a, b) for a, b in trips])


# -- damage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slowdown", "k"), [(None, 5), ("3", 10), ("1.5", 1)])
def test_damage_against_networkx(network, slowdown, k):
    roads = network.content
    chosen_by = {} if slowdown is None else {"slowdown": slowdown}
    target = network.kind.target(roads, "siouxfalls", chosen_by)
    hit = np.random.default_rng(k).permutation(len(roads.links))[:k]
    w = roads.links.d + roads.gamma * roads.links.volume
    before = by_networkx(roads, w)
    id_hit = target.roads.links.id[hit]
    slow = np.where(np.isin(roads.links.id, id_hit), float(slowdown or 10), 1.0)
    after = by_networkx(roads, w * slow)
    harm = target.harm(hit)
    assert harm.damage == pytest.approx(100 * (after.mean() / before.mean() - 1), rel=1e-9)
    assert harm.objective == pytest.approx(after.mean() - before.mean(), rel=1e-9)
    share = 100 * (after / before - 1)
    assert harm.details["mean_over_trips"] == pytest.approx(share.mean(), rel=1e-9)
    assert harm.details["q90"] == pytest.approx(np.quantile(share, 0.9), rel=1e-9)
    assert harm.details["largest"] == pytest.approx(share.max(), rel=1e-9)
    drivers = roads.trips.volume
    if np.isfinite(drivers).all():
        all_of_them = 100 * (drivers @ after / (drivers @ before) - 1)
        assert harm.details["of_all_drivers"] == pytest.approx(all_of_them, rel=1e-9)


def test_damage_in_a_made_city_against_networkx():
    roads = make_city(600, 200, 4)
    target = RoadsTarget.of(roads, 1e-3, None, "made")
    hit = np.arange(0, len(roads.links), 9)
    w = roads.links.d + 1e-3 * roads.links.volume
    before = by_networkx(roads, w)
    slow = np.where(np.isin(roads.links.id, target.roads.links.id[hit]), 10.0, 1.0)
    damage = 100 * (by_networkx(roads, w * slow).mean() / before.mean() - 1)
    assert target.harm(hit).damage == pytest.approx(damage, rel=1e-9)


def test_no_link_no_damage_and_all_links_all_of_it(target):
    none = target.harm(np.zeros(0, dtype=np.int64))
    assert (none.damage, none.objective, none.details["trips_hit"]) == (0.0, 0.0, 0.0)
    whole = target.harm(np.arange(len(target.worth)))
    assert whole.damage == pytest.approx(900)


# -- rankings -----------------------------------------------------------------------------------


def test_loads_are_the_links_of_the_shortest_paths(target):
    # Sum over links of load x time is the sum of all trips' times, on whatever paths are shortest.
    real = target.informed()["load"]["load of the shortest paths"]
    roads = target.roads
    w = roads.links.d + target.gamma * roads.links.volume
    assert real @ w == pytest.approx(by_networkx(roads, w).sum(), rel=1e-9)
    public = target.public()["load"]["load of the trips on d"]
    assert public @ roads.links.d == pytest.approx(
        by_networkx(roads, roads.links.d).sum(), rel=1e-9
    )


def test_an_attacker_with_the_original_is_the_informed_one(network, target):
    shown = target.obfuscated(network.content)
    for variant, scores in target.informed().items():
        assert [values.tolist() for values in shown[variant].values()] == [
            values.tolist() for values in scores.values()
        ]


def test_what_is_left_depends_on_what_is_written(network, target):
    plain = pocin.release(network, seed=SEED)
    assert set(target.residual(plain.network)["left"]) == set()
    written = pocin.release(network, seed=SEED, policy="demand")
    left = target.residual(written.network)["left"]
    assert "equilibrium of the written volumes" in left
    row = best(network, written.network)["left"]
    assert row.by == "equilibrium of the written volumes"
    assert row.share > 0.95
    assert row.p < 0.01


def test_exact_trip_times_give_the_traffic_away(network, target):
    made = pocin.release(network, seed=SEED, **EACH)
    name = "a constant projected onto the trip times"
    values = target.residual(made.network)["left"][name]
    row = best(network, made.network)["left"]
    assert (row.by, row.share > 0.9, row.p < 0.01) == (name, True, True)
    w = target.roads.links.d + target.gamma * values
    released = made.network
    theirs = released.links.d + released.gamma * released.links.volume
    paths = trip_paths(target.roads)
    assert paths.times(w) == pytest.approx(trip_paths(released).times(theirs), rel=0.031)


def best(network, released):
    simulation = attack.simulation(network, "10")
    rows = simulation._residual(0, simulation.target.residual(released))
    return {row.variant: row for row in rows}


def test_a_written_release_says_how_beta_is_read(network, tmp_path):
    for name, choices in (("total", {}), ("per-trip", EACH)):
        pocin.write(pocin.release(network, seed=SEED, **choices), tmp_path / name)
        assert pocin.read(tmp_path / name).content.reading == name
    assert network.content.reading is None


# -- what belongs together ----------------------------------------------------------------------


def test_others_are_refused(network, target):
    roads = network.content
    target.check(roads, "c")
    with pytest.raises(InputError, match=r"^c: its links are not those of siouxfalls; name"):
        target.check(replace(roads, links=roads.links.take(np.arange(len(roads.links)) > 0)), "c")
    turned = replace(roads.links, tail=roads.links.head, head=roads.links.tail)
    with pytest.raises(InputError, match=r"^c: link \d+ has other ends"):
        target.check(replace(roads, links=turned), "c")


@pytest.mark.parametrize("factor", ["1", "0.5", "-2", "ten", "inf", "nan"])
def test_a_slowdown_that_is_none(network, factor):
    with pytest.raises(UsageError, match="--slowdown"):
        network.kind.target(network.content, "x", {"slowdown": factor})


def test_gamma_is_the_sources_or_chosen(network):
    unstated = replace(network.content, gamma=None)
    with pytest.raises(UsageError, match="--gamma"):
        ROADS.target(unstated, "x", {})
    asked = chosen(replace(network, content=unstated, kind=ROADS), (("gamma", "0.5"),))
    assert asked.kind.target(asked.content, "x", {}).gamma == 0.5
