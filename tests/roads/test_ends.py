# SPDX-License-Identifier: MIT
"""Roads at the edge: no nodes, no traffic, repeated pairs, a policy that drops lengths."""

from dataclasses import replace

import numpy as np
import pytest
from tests.roads.catalogue import CITIES, city, roads
from tests.roads.restoring import lattice, total_of

from pocin import api
from pocin.errors import InputError, UsageError
from pocin.kinds import Network
from pocin.plan import Request, plan
from pocin.policy import Treatment
from pocin.roads import gmns
from pocin.roads.checks import check
from pocin.roads.columns import COORDINATES, LENGTH
from pocin.roads.gamma import fitted
from pocin.roads.kind import ROADS
from pocin.roads.reading import PerTrip, Total
from pocin.roads.twins import twins


def without(name: str, *columns: str) -> dict[str, bytes]:
    """The tables of a city, columns of its links left out."""
    head, *rows = [line.split(",") for line in CITIES[name]["link.csv"].decode().splitlines()]
    kept = [k for k, column in enumerate(head) if column not in columns]
    lines = [",".join(row[k] for k in kept) for row in (head, *rows)]
    return {**CITIES[name], "link.csv": "\n".join(lines).encode()}


def test_roads_without_nodes_or_trips():
    found = roads("ring")
    none = np.arange(0)
    bare = replace(found, nodes=found.nodes.take(none), trips=found.trips.take(none))
    with pytest.raises(InputError) as raised:
        check(bare, "bare")
    assert "there are no nodes" in str(raised.value)
    assert "there are no trips" in str(raised.value)


def test_links_without_any_time():
    with pytest.raises(InputError, match="has none of the columns d, free_flow_time"):
        gmns.parse(without("ring", "length"), "ring")


def test_gamma_cannot_be_computed_without_traffic():
    links = roads("ring").links
    idle = replace(links, volume=0 * links.volume, cost=np.full(len(links), np.nan))
    with pytest.raises(InputError, match="--gamma computed: needs traffic and travel times"):
        fitted(idle)


def test_pairs_that_stand_several_times_are_a_leak():
    network = city("block")
    made = api.release(network, cost_figure=48.0, seed=1)
    policy = network.kind.book.find("pairs")
    trips = made.network.trips
    twice = replace(made.network, trips=trips.take(np.append(np.arange(len(trips)), 0)))
    told = network.kind.leaks("siouxfalls", network.content, twice, made.document, policy)
    assert told == ("its pairs stand several times, which tells their volumes",)
    assert (
        network.kind.leaks("siouxfalls", network.content, made.network, made.document, policy) == ()
    )


def test_a_policy_of_ones_own_that_drops_lengths_and_places():
    network = city("block")
    base = network.kind.book.find("pairs")
    dropped = {LENGTH: Treatment.DROPPED, COORDINATES: Treatment.DROPPED}
    own = replace(base, treatments={**base.treatments, **dropped})
    told = dict(twins(network.content, own))
    changed = told["unreleased columns changed"]
    assert (changed.nodes.x != network.content.nodes.x).all()
    assert (changed.links.length != network.content.links.length).all()
    kept = dict(twins(network.content, base))["unreleased columns changed"]
    assert (kept.nodes.x == network.content.nodes.x).all()
    assert (kept.links.length == network.content.links.length).all()


def test_a_reading_without_its_figures():
    problem, true = lattice(0)
    with pytest.raises(ValueError, match="the total reading needs the mean trip time"):
        _ = Total(problem).figures
    with pytest.raises(ValueError, match="the per-trip reading needs the figure of every trip"):
        _ = PerTrip(total_of(problem, true)).figures


def test_lengths_that_stay_are_told_by_the_place():
    # On the residual attacker's floor, not among what is left of the secret.
    network = city("block")
    made = api.release(network, cost_figure=48.0, seed=1)
    target = ROADS.target(network.content, "block", {})
    found = target.residual(made.network)
    assert "link.length" in found["floor"]
    assert "link.length" not in found["left"]


def test_flags_that_are_for_others():
    with pytest.raises(UsageError, match="--only: is for power grids"):
        plan(city("ring"), Request(only="x.txt", cost_figure=290.0, seed=0))
    with pytest.raises(UsageError, match="--gamma: expected a positive number or 'computed'"):
        api.solve(Network(ROADS, roads("ring"), "ring"), gamma="much")
    with pytest.raises(UsageError, match="--reading: expected total or per-trip"):
        plan(city("ring"), Request(choices=(("reading", "both"),), seed=0))
