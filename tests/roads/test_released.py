# SPDX-License-Identifier: MIT
"""A catalogue of networks crossed with policies and forms: what the released files hold."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.roads.catalogue import CITIES, GAMMA, another_readers_mean, cells, city, mean_by_networkx

from pocin import api, flow
from pocin.plan import Request
from pocin.roads.files import read_roads
from pocin.roads.forms import parse
from pocin.roads.twins import twins

OWN = """
base = "pairs"
[columns]
"node.coordinates" = "dropped"
"link.length" = "dropped"
"link.capacity" = "public"
"""
POLICIES = ("pairs", "demand", OWN)
FORMS = ("gmns", "tntp")
NAMED = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


@pytest.fixture
def policy(request, tmp_path):
    if request.param != OWN:
        return request.param
    (tmp_path / "own.toml").write_text(OWN)
    return str(tmp_path / "own.toml")


def in_form(name, form):
    """A network of the catalogue; TNTP numbers its nodes from 1, the zones first."""
    network = city(name)
    content = network.content
    if form == "gmns":
        return network
    ids = {old: k + 1 for k, old in enumerate(content.nodes.id.tolist())}

    def renamed(column):
        return np.array([ids[old] for old in column.tolist()])

    nodes, links, trips = content.nodes, content.links, content.trips
    order = np.lexsort((links.length, links.d, links.head, links.tail))
    numbers = np.empty(len(links), dtype=np.int64)
    numbers[order] = np.arange(1, len(links) + 1)
    made = replace(
        content,
        nodes=replace(nodes, id=renamed(nodes.id)),
        links=replace(links, id=numbers, tail=renamed(links.tail), head=renamed(links.head)),
        trips=replace(trips, origin=renamed(trips.origin), destination=renamed(trips.destination)),
        form="tntp",
    )
    return replace(network, content=made)


def released(network, policy, seed=1, beta=0.02):
    privacy = api.privacy(epsilon_location="1/10", epsilon_value="1/20")
    return flow.release(network, Request(privacy, beta, policy, seed=seed))


every = pytest.mark.parametrize("name", CITIES)
both = pytest.mark.parametrize("form", FORMS)
policies = pytest.mark.parametrize(
    "policy", POLICIES, indirect=True, ids=["pairs", "demand", "own"]
)


@every
@both
@policies
def test_nothing_that_the_policy_does_not_name(name, form, policy):
    network = in_form(name, form)
    content = network.content
    document = released(network, policy).document
    text = b"\n".join(data for file, data in document.items() if file != "release.json")
    numbers = {float(number) for number in NAMED.findall(text)}
    hidden = set(content.links.volume) | set(content.links.cost)
    if policy != "demand":
        hidden |= set(content.links.b) | set(content.trips.volume)
    if policy == "pairs":
        hidden |= set(content.links.capacity)
    if policy.endswith("toml"):
        hidden |= set(content.nodes.x) | set(content.nodes.y) if form == "gmns" else set()
        hidden |= set(content.links.length) - set(content.links.d)
    public = {float(k) for k in range(-1, 100)} | set(content.links.d)
    public |= set(content.nodes.id) | set(content.links.id)
    assert sorted(numbers & {value for value in hidden if np.isfinite(value)} - public) == []
    everything = b"".join(document.values()) + "".join(document).encode()
    for word in (b"Hideout", b"signal", name.encode() * 2, b"'" + name.encode()):
        assert word not in everything


@every
@policies
def test_columns_are_those_of_the_whitelist(name, policy):
    network = city(name)
    links, nodes, trips = network.content.links, network.content.nodes, network.content.trips
    document = released(network, policy).document
    assert sorted(document) == ["demand.csv", "link.csv", "node.csv", "release.json"]
    heads = {file: data.split(b"\n")[0].decode().split(",") for file, data in document.items()}
    own = policy.endswith("toml")
    long, placed, wide = (
        bool(np.isfinite(column).any()) for column in (links.length, nodes.x, links.capacity)
    )
    expected = ["link_id", "from_node_id", "to_node_id", "directed"]
    expected += ["length"] * (long and not own) + ["d", "volume"]
    if wide and policy != "pairs":
        expected += ["capacity"] + ["b", "power"] * (policy == "demand")
    assert heads["link.csv"] == expected
    expected = ["node_id"] + ["x_coord", "y_coord"] * (placed and not own)
    assert heads["node.csv"] == expected + ["zone_id", "no_through"] * (name == "odd")
    expected = ["o_zone_id", "d_zone_id"]
    expected += ["volume"] * (policy == "demand" and bool(np.isfinite(trips.volume).all()))
    assert heads["demand.csv"] == expected


@every
@both
def test_rows_are_sorted_by_public_ids(name, form):
    network = in_form(name, form)
    made = released(network, "pairs")
    found = parse(made.document, "released")
    rows = {"nodes": found.nodes.id, "links": found.links.id}
    for ids in rows.values():
        assert (np.diff(ids) > 0).all()
    order = np.lexsort((found.trips.destination, found.trips.origin))
    assert (order == np.arange(len(order))).all()
    # the public part is as it was
    at = np.argsort(network.content.links.id)
    for column in ("id", "tail", "head", "d"):
        ours, theirs = (getattr(r.links, column) for r in (found, network.content))
        assert sorted(ours) == sorted(theirs[at])


@every
def test_another_tool_finds_the_certified_optimum(name):
    made = released(city(name), "pairs")
    own = made.diagnostics.finished.certificate.own_optimum
    assert another_readers_mean(made.document, GAMMA) == pytest.approx(own, rel=1e-9)


@every
def test_another_tool_finds_it_in_tntp_files_too(name):
    made = released(in_form(name, "tntp"), "pairs")
    text = {
        file.split("_")[1]: data.decode() for file, data in made.document.items() if "_" in file
    }
    flow_rows = [line.split("\t") for line in text["flow.tntp"].split("\n")[1:-1]]
    through = int(re.search(r"<FIRST THRU NODE> (\d+)", text["net.tntp"])[1])
    trips, origin = [], ""
    for line in text["trips.tntp"].split("\n"):
        origin = line.split()[1] if line.startswith("Origin") else origin
        trips += [(origin, to) for to in re.findall(r"(\d+) :", line)]
    links = [(u, v, float(cost)) for u, v, _, cost in flow_rows]
    own = made.diagnostics.finished.certificate.own_optimum
    closed = {str(node) for node in range(1, through)}
    assert mean_by_networkx(links, closed, trips) == pytest.approx(own, rel=1e-9)


@every
@both
def test_pocin_reads_it_again_from_the_folder(name, form, tmp_path):
    made = released(in_form(name, form), "pairs")
    api.write(made, tmp_path / "out")
    network = api.read(tmp_path / "out")
    assert network.content.gamma == GAMMA
    assert network.content.form == form
    own = made.diagnostics.finished.certificate.own_optimum
    assert api.solve(network).cost == pytest.approx(own, rel=1e-12)
    said = json.loads((tmp_path / "out" / "release.json").read_bytes())
    assert said["parameters"]["gamma"] == GAMMA
    assert said["parameters"]["units"]["volume"] == "veh/day"
    assert said["parameters"]["alpha_value_veh"] == 10
    assert said["files"] == sorted(path.name for path in (tmp_path / "out").iterdir())
    assert (tmp_path / "out.curator.json").stat().st_mode & 0o777 == 0o600
    # and it can be released again
    assert released(network, "pairs").diagnostics.finished.certificate.within


@every
@both
def test_the_statement_speaks_of_roads(name, form):
    made = released(in_form(name, form), "pairs")
    everything = b"".join(made.document.values())
    for word in (b"MW", b"unit ", b"generator", b"bus ", b"lines, loads"):
        assert word not in everything, word
    assert b"NOT A PRIVATE RELEASE" in made.document["release.json"]
    if form == "tntp":
        assert b"~ NOT A PRIVATE RELEASE" in made.document["released_net.tntp"]
    statement = made.guarantee.statement
    assert "topology, travel times without traffic, origin-destination pairs, gamma" in statement
    assert "10 veh" in statement


@every
def test_traffic_stands_on_the_public_grid(name):
    # so tight a beta that phase 3 must move the whole numbers of the draws
    made = released(city(name), "pairs", beta=1e-4)
    assert made.diagnostics.finished.distance > 0
    volumes = [row["volume"] for row in cells(made.document["link.csv"])]
    assert all(re.fullmatch(r"\d+(\.\d{1,3})?", volume) for volume in volumes)
    assert any("." in volume for volume in volumes)


@every
def test_values_stand_where_the_record_says(name):
    # hardly any noise, and a beta that asks for nothing
    network = city(name)
    privacy = api.privacy(epsilon_location="1/10", epsilon_value=1000)
    made = flow.release(network, Request(privacy, 0.9, "pairs", seed=3))
    d = made.diagnostics
    element = d.trace.element[d.finished.record]
    assert sorted(element) == list(range(len(element)))
    assert (d.plan.secret.sites[element] != np.arange(len(element))).any()
    assert d.finished.distance == 0
    found = [float(row["volume"]) for row in cells(made.document["link.csv"])]
    assert found == d.plan.secret.values[element].tolist()


# ------------------------------------------------------------------------------------ golden files


def test_a_golden_release():
    """Change these lines only with a note of why every reader's file changes."""
    made = released(city("ring"), "pairs", seed=3)
    assert made.document["node.csv"] == b"node_id\n1\n2\n3\n4\n5\n"
    assert made.document["demand.csv"] == b"o_zone_id,d_zone_id\n1,3\n3,1\n4,2\n"
    rows = cells(made.document["link.csv"])
    fixed = [(r["link_id"], r["from_node_id"], r["to_node_id"], r["length"], r["d"]) for r in rows]
    assert fixed == [
        ("1", "1", "2", "100", "100"),
        ("2", "2", "3", "200", "200"),
        ("3", "3", "4", "100", "100"),
        ("4", "4", "5", "50", "50"),
        ("5", "5", "1", "150", "150"),
    ]
    assert all(row["directed"] == "true" for row in rows)


# ------------------------------------------------------------------- what another tool would leave


@every
def test_the_audit_finds_what_is_left(name):
    network = city(name)
    content, kind, policy = network.content, network.kind, network.kind.book.find("pairs")

    def left(roads):
        document = kind.write(roads, ())
        return kind.leaks("siouxfalls", content, parse(document, "theirs"), document, policy)

    made = released(network, "pairs")
    assert kind.leaks("siouxfalls", content, made.network, made.document, policy) == ()
    said = " ".join(left(content))
    assert ("link.capacity stands unchanged" in said) == bool(np.isfinite(content.links.b).any())
    assert ("its trips have volumes" in said) == bool(np.isfinite(content.trips.volume).all())
    turned = next(twin for how, twin in twins(content, policy) if "rows" in how)
    if (np.diff(turned.links.id) < 0).any():
        document = kind.write(turned, ())
        told = kind.leaks("siouxfalls", turned, turned, document, policy)
        assert "its links stand in the source's order, which no public id explains" in told


def test_what_siouxfalls_publishes_is_its_own_optimum():
    content, published = read_roads("siouxfalls")
    network = api.read("siouxfalls")
    assert published == pytest.approx(api.solve(network).cost, rel=1e-5)
    assert len(content.links) == 76
