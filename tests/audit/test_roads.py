# SPDX-License-Identifier: MIT
"""What the audit holds roads to: the gate of truth-blindness, what it sees, and the exact law.

Cities and Sioux Falls, in both readings, policies and forms, certified and failed; the rows of
links, nodes and trips in other orders, in memory and in the lines of the files that are read.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from tests.blind import told

from pocin import api, flow
from pocin.audit import inspect
from pocin.audit.blindness import blindness
from pocin.kinds import Goal, Network
from pocin.plan import Request, plan
from pocin.privacy import metric as metrics
from pocin.privacy.draws import seal
from pocin.privacy.noise import SeededNoise
from pocin.roads import gmns
from pocin.roads.checks import check
from pocin.roads.city import make_city
from pocin.roads.kind import ROADS
from pocin.roads.twins import twins
from pocin.roads.written import released_roads

TOTAL = ()
PER_TRIP = (("reading", "per-trip"), ("trip_times", "computed"))
WALKS = [  # network, reading, policy, beta, how it ends
    ("siouxfalls", TOTAL, "pairs", 0.1, "certified"),
    ("siouxfalls", TOTAL, "demand", 0.02, "certified"),
    ("siouxfalls", PER_TRIP, "pairs", 0.1, "certified"),
    ("siouxfalls, TNTP", TOTAL, "pairs", 0.1, "certified"),
    ("siouxfalls, TNTP", PER_TRIP, "demand", 0.1, "certified"),
    ("city", TOTAL, "pairs", 0.05, "certified"),
    ("city", PER_TRIP, "pairs", 0.1, "certified"),
    ("city", TOTAL, "pairs", 1e-9, "failed"),
]


@cache
def read(name):
    if name == "city":
        return Network(ROADS, make_city(200, 60, 1), name)
    network = api.read("siouxfalls")
    if "TNTP" in name:
        return replace(network, content=replace(network.content, form="tntp"))
    return network


@cache
def planned(name, choices, policy, beta):
    return plan(read(name), Request(beta=beta, policy=policy, choices=choices, seed=0))


def finish(made, draws, goal):
    side = flow.OpenSide(made.kind, made.public, made.guarantee)
    return flow.finish(side, draws, goal)


def shuffled(roads, seed):
    """Return the same roads with the rows of every table in another order."""
    mix = np.random.default_rng(seed)
    tables = {name: getattr(roads, name) for name in ("nodes", "links", "trips")}
    return replace(roads, **{n: t.take(mix.permutation(len(t))) for n, t in tables.items()})


def read_shuffled(roads, seed):
    """Write the tables, put the lines of the files in another order, and read them."""
    mix = np.random.default_rng(seed)
    document = {}
    for name, data in gmns.write(roads).items():
        head, *lines = data.decode().splitlines()
        document[name] = "\n".join([head, *mix.permutation(lines)]).encode()
    read = check(gmns.parse(document, "shuffled"), "shuffled")
    return replace(read, gamma=roads.gamma, units=roads.units)


def truths(made):
    roads = made.network.content
    yield from twins(roads, made.public.policy)
    for seed in range(2):
        yield f"rows shuffled ({seed})", shuffled(roads, seed)
    if made.network.name == "city":
        yield "lines of the files shuffled", read_shuffled(roads, 2)


@pytest.mark.parametrize(
    ("name", "choices", "policy", "beta", "how"),
    WALKS,
    ids=lambda value: "-".join(dict(value).values()) if isinstance(value, tuple) else str(value),
)
def test_no_byte_depends_on_the_truth(name, choices, policy, beta, how):
    made = planned(name, choices, policy, beta)
    goal = Goal(made.known_figure(), beta)
    draws, _, _ = flow.draw(made, SeededNoise(3), lambda _: None)
    first = finish(made, draws, goal)
    assert first.bilevel == how
    for changed, truth in truths(made):
        network = replace(made.network, kind=made.kind, content=truth)
        other = plan(network, made.request)
        assert told(finish(other, draws, goal)) == told(first), changed


@pytest.mark.parametrize("choices", [TOTAL, PER_TRIP], ids=["total", "per-trip"])
def test_the_gate_of_the_audit(choices):
    made = planned("city", choices, "pairs", 0.1)
    finding, _ = blindness(made, made.known_figure())
    assert finding.passed
    assert finding.figures["truths"] == 4


def from_the_true_traffic(made, draws, goal):
    """A phase 3 that goes a little of the way back: a warm start that shows."""
    finished = finish(made, draws, goal)
    true = np.empty(len(made.secret))
    true[made.secret.sites] = made.secret.values
    nearer = np.round(0.999 * finished.released + 0.001 * true, 3)
    return replace(finished, document=made.kind.write(released_roads(made.public, nearer), ()))


def in_source_order(made, draws, goal):
    """The files' links stand as the source's rows do, which no public id explains."""
    finished = finish(made, draws, goal)
    roads = finished.content
    order = np.searchsorted(roads.links.id, made.network.content.links.id)
    turned = replace(roads, links=roads.links.take(order))
    return replace(finished, document=made.kind.write(turned, ()))


def with_the_trips_of_the_source(made, draws, goal):
    """The demand's volumes come along: an assignment recomputes the traffic from them."""
    finished = finish(made, draws, goal)
    trips = made.network.content.trips
    return replace(finished, document=made.kind.write(replace(finished.content, trips=trips), ()))


@pytest.mark.parametrize(
    ("faulty", "seen"),
    [
        (from_the_true_traffic, {"elements permuted", "values changed"}),
        (in_source_order, {"source rows permuted"}),
        (with_the_trips_of_the_source, {"source rows permuted", "unreleased columns changed"}),
    ],
)
def test_what_sees_the_truth_is_seen(faulty, seen):
    made = planned("city", TOTAL, "pairs", 0.1)
    finding, _ = blindness(made, made.known_figure(), faulty)
    assert finding.passed is False
    assert set(finding.figures["seen"]) == seen


# --------------------------------------------------------------- the law of the released bytes

STREET = {
    "node.csv": b"node_id\n1\n2\n3\n",
    "link.csv": b"link_id,from_node_id,to_node_id,d,volume\n"
    b"1,1,2,5,400\n2,2,1,5,90\n3,2,3,4,250\n4,3,2,4,160\n",
    "demand.csv": b"o_zone_id,d_zone_id\n1,3\n3,1\n2,3\n",
}
"""One street of two blocks, both ways."""

NOISE = np.array([7, -12, 3, 5])
"""What phase 2 adds to the four elements, by the order of their traffic."""


def leaves_the_building(finished):
    certificate = finished.certificate
    return (
        tuple(finished.document.items()) if certificate.within else (),
        certificate.within,
        finished.reason,
    )


@pytest.mark.parametrize(
    ("table", "choices"),
    [
        pytest.param(2_000, TOTAL, id="dense assignment"),
        pytest.param(0, TOTAL, id="flow"),
        pytest.param(0, PER_TRIP, id="per-trip", marks=pytest.mark.slow),
    ],
)
def test_the_exact_law_of_all_that_leaves_the_building(table, choices, monkeypatch):
    """All 256 draws under all 24 truths, and what the real phase 3 makes of their records."""
    monkeypatch.setattr(metrics, "TABLE", table)
    roads = replace(check(gmns.parse(STREET, "street"), "street"), gamma=0.01)
    made = plan(Network(ROADS, roads, "street"), Request(beta=0.06, choices=choices, seed=0))
    goal = Goal(made.known_figure(), 0.06)
    x = float(made.guarantee.location.epsilon / (2 * made.guarantee.location.alpha))
    hops = np.array([made.public.metric.row(site) for site in range(4)])
    kernel = np.exp(-x * hops)
    kernel /= kernel.sum(axis=1, keepdims=True)
    values = np.sort(made.secret.values)
    made_of, laws, truths_ = {}, [], list(permutations(range(4)))
    for truth in truths_:  # element e, by the order of traffic, stands at truth[e]
        volume = np.empty(4)
        volume[list(truth)] = values
        network = replace(made.network, kind=made.kind, content=with_volume(roads, volume))
        other = plan(network, made.request)
        names = np.argsort(np.argsort(other.secret.values))  # of the source's rows
        law = {}
        for drawn in product(range(4), repeat=4):
            at = np.array(drawn)[names]
            draws, _ = seal(at, other.secret.values + NOISE[names], other.secret.moved)
            key = draws.sites.tobytes() + draws.values.tobytes()
            if key not in made_of:
                made_of[key] = leaves_the_building(finish(other, draws, goal))
            law[made_of[key]] = law.get(made_of[key], 0.0) + kernel[list(truth), drawn].prod()
        laws.append(law)
    assert len({out for law in laws for out in law}) == 24
    shares = []
    for (one, a), (other, b) in product(zip(truths_, laws, strict=True), repeat=2):
        if one != other:
            loss = max(abs(np.log(a[out] / b[out])) for out in a.keys() | b.keys())
            moved = int(hops[list(one), list(other)].sum())
            shares.append(loss / float(made.guarantee.loss(moved)))
    assert 0.5 < max(shares) <= 1 + 1e-9


def with_volume(roads, volume):
    return replace(roads, links=replace(roads.links, volume=volume))


# ------------------------------------------------------------------- what stands in the files

NAMES = ("HIDEOUT", "Riverside", "4711.5", "8.15")
"""A name of the network, of a street, a capacity and a time with traffic."""


def tables(folder):
    """A city whose every volume can be searched for, with names and further columns."""
    roads = make_city(60, 40, 2)
    odd = 10**9 + 1_000_003 * np.arange(len(roads.links))  # far apart beside the noise
    document = gmns.write(with_volume(roads, odd.astype(float)))
    head, *lines = document["link.csv"].decode().splitlines()
    columns = head.split(",")
    kept = [columns.index(name) for name in columns if name not in ("capacity", "b", "power")]
    rows = [
        ",".join([*(row.split(",")[k] for k in kept), "4711.5", "8.15", "Riverside"])
        for row in lines
    ]
    head = ",".join([*(columns[k] for k in kept), "capacity", "cost", "street"])
    document["link.csv"] = "\n".join([head, *rows, ""]).encode()
    document["node.csv"] = (
        document["node.csv"].replace(b"\n", b",HIDEOUT\n").replace(b"HIDEOUT", b"name", 1)
    )
    document["network.json"] = b'{"name": "HIDEOUT", "gamma": 1e-9}'
    folder.mkdir()
    for name, data in document.items():
        (folder / name).write_bytes(data)
    return set(odd.astype(str))


@pytest.mark.parametrize("policy", ["pairs", "demand"])
def test_released_roads_hold_no_secret_value_and_no_name(policy, tmp_path):
    secret = tables(tmp_path / "source")
    network = api.read(tmp_path / "source")
    words = {"cost_figure": "computed", "privacy": api.privacy(epsilon_value="1/100")}
    made = api.release(network, policy=policy, seed=5, **words)
    api.write(made, tmp_path / "out")
    record = (tmp_path / "out.curator.json").read_text()
    assert secret <= set(re.findall(r"\d+", record))  # the search can find them
    files = {file.name: file.read_text() for file in (tmp_path / "out").iterdir()}
    assert files.keys() == {"node.csv", "link.csv", "demand.csv", "release.json"}
    for name, text in files.items():
        assert not secret & set(re.findall(r"\d+", text)), name
        assert not [word for word in NAMES if word in text and policy == "pairs"], name
        assert "HIDEOUT" not in text
        assert "Riverside" not in text


# ------------------------------------------------------------------ files of other tools


def found_in(folder, roads):
    """What the audit finds in a folder that another tool wrote of Sioux Falls, by gate."""
    document = gmns.write(roads)
    folder.mkdir()
    for name, data in document.items():
        (folder / name).write_bytes(data)
    made = planned("siouxfalls", TOTAL, "pairs", 0.1)
    content, _ = made.kind.read(folder, None)
    return {f.gate: f for f in inspect._released(made, "theirs", content, document)}


def test_what_another_tool_left_in_roads(tmp_path):
    """Noise on the traffic alone: capacities, delays, volumes and the order of rows came along."""
    source = shuffled(api.read("siouxfalls").content, 4)
    noisy = source.links.volume * np.random.default_rng(0).uniform(0.95, 1.05, len(source.links))
    found = found_in(tmp_path / "theirs", with_volume(source, np.round(noisy)))
    assert found["leaks"].passed is False
    told = found["leaks"].sentence
    for part in ("link.capacity", "link.b", "link.power", "its trips have volumes"):
        assert part in told
    assert found["told apart"].figures["rank_correlation"] > 0.95
    assert found["told apart"].figures["auc"] > 0.95


def test_traffic_that_was_not_changed(tmp_path):
    found = found_in(tmp_path / "theirs", api.read("siouxfalls").content)
    assert "76 of 76 secret values stand unchanged" in found["leaks"].sentence
    assert found["told apart"].figures["rank_correlation"] == pytest.approx(1)


def test_links_that_are_missing(tmp_path):
    """Another tool may drop links; the rest is compared, and nothing fails for it."""
    roads = api.read("siouxfalls").content
    made = planned("siouxfalls", TOTAL, "pairs", 0.1)
    draws, _, _ = flow.draw(made, SeededNoise(1), lambda _: None)
    released = finish(made, draws, Goal(made.known_figure(), 0.1)).content
    kept = released.links.id != roads.links.id.max()
    found = found_in(tmp_path / "fewer", replace(released, links=released.links.take(kept)))
    assert found["leaks"].passed is True
    assert "1 of 76 sites are not in it" in found["leaks"].sentence
