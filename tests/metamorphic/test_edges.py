# SPDX-License-Identifier: MIT
"""Networks at the edge: one element, one place, equal values, none at all; by the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.metamorphic.networks import water

from pocin import api
from pocin.simple.tables import Tables

GRID = """function mpc = small
mpc.version = '2';
mpc.baseMVA = 100;
mpc.bus = [
1 3 0 0 0 0 1 1 0 1 1 1.1 0.9;
2 1 30 5 0 0 1 1 0 1 1 1.1 0.9;
3 1 20 5 0 0 1 1 0 1 1 1.1 0.9;
];
mpc.gen = [
{units}
];
mpc.gencost = [
{costs}
];
mpc.branch = [
1 2 0.01 0.1 0 100 0 0 0 0 1 -30 30;
2 3 0.01 0.1 0 100 0 0 0 0 1 -30 30;
];
"""
UNITS = {  # bus, capacity, price
    "one element": [(1, 150, 10)],
    "one bus": [(1, 60, 10), (1, 70, 20), (1, 80, 30)],
    "equal values": [(1, 60, 10), (2, 60, 10), (3, 60, 10)],
    "nothing to protect": [(1, 0, 10)],
}
LINKS = {  # from, to, time, traffic
    "one place": [(1, 2, 5, 400), (1, 2, 6, 300), (1, 2, 7, 200)],
    "equal values": [(1, 2, 5, 400), (2, 3, 5, 400), (3, 1, 5, 400)],
    "no traffic": [(1, 2, 5, 0), (2, 3, 5, 0), (3, 1, 5, 0)],
    "one element": [(1, 2, 5, 400)],
    "nothing to protect": [],
}
ROADS = ("--gamma", "0.01")


def grid(desk: Path, name: str) -> str:
    """Write a grid of three buses in a row."""
    units = UNITS[name]
    rows = "\n".join(f"{bus} 0 0 30 -30 1 100 1 {mw} 0;" for bus, mw, _ in units)
    costs = "\n".join(f"2 0 0 3 0.01 {price} 0;" for _, _, price in units)
    (desk / "small.m").write_text(GRID.format(units=rows, costs=costs))
    return "small.m"


def roads(desk: Path, name: str) -> str:
    """Write roads with a trip from 1 to 2."""
    links = [f"{k},{u},{v},true,{d},{t}" for k, (u, v, d, t) in enumerate(LINKS[name], 1)]
    head = "link_id,from_node_id,to_node_id,directed,d,volume"
    tables = {"node": ["node_id", "1", "2", "3"], "link": [head, *links]}
    tables["demand"] = ["o_node_id,d_node_id", "1,2"]
    (desk / "roads").mkdir()
    for table, rows in tables.items():
        (desk / "roads" / f"{table}.csv").write_text("\n".join([*rows, ""]))
    return "roads"


def told(ended):
    """What a command that went well printed."""
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.mark.parametrize(
    ("name", "covered"), [("one element", 0), ("one bus", 0), ("equal values", 3)]
)
def test_grids(pocin, desk, name, covered):
    source = grid(desk, name)
    figure = told(pocin("solve", source, "--json", "--quiet"))["optimum"]
    words = ("--cost-figure", figure, "--ledger", "l.sqlite", "--json", "--quiet")
    made = told(pocin("release", source, "-o", "out.m", *words))
    assert made["guarantee"]["coverage"] == {"covered": covered, "elements": len(UNITS[name])}
    assert made["fidelity"]["within_beta"]
    released = api.read("out.m").content
    assert sorted(released.units.bus) == sorted(bus for bus, _, _ in UNITS[name])
    assert sorted(released.costs.coefficients[:, 1]) == sorted(price for *_, price in UNITS[name])
    assert told(pocin("audit", source, "out.m", "--json", "--quiet"))["passed"]
    attack = told(pocin("attack", source, "out.m", "--budget", "1", "--json", "--quiet"))
    rankings = attack["budgets"][0]["rankings"]
    if name == "one element":  # there is no other to hit
        # 50 MW go unserved, at 10 $/MWh
        assert {rankings[it]["damage"] for it in ("random", "informed")} == {500.0}


@pytest.mark.parametrize("name", ["one place", "equal values", "no traffic"])
def test_roads(pocin, desk, name):
    source = roads(desk, name)
    figure = told(pocin("solve", source, *ROADS, "--json", "--quiet"))["optimum"]
    words = ("--cost-figure", figure, "--ledger", "l.sqlite", "--json", "--quiet")
    made = told(pocin("release", source, "-o", "out", *ROADS, *words))
    assert made["guarantee"]["coverage"] == {"covered": 3, "elements": 3}
    assert made["fidelity"]["within_beta"]
    audited = told(pocin("audit", source, "out", *ROADS, "--json", "--quiet"))
    assert audited["passed"]
    if name == "no traffic":
        said = next(it for it in audited["findings"] if it["gate"] == "residual ranking")
        assert said["sentence"].endswith("every real value is 0: none to find")
    told(pocin("attack", source, "out", *ROADS, "--budget", "1", "--json", "--quiet"))


@pytest.mark.parametrize("count", [1, 3])
def test_wells_at_one_junction(count):
    kind = water()
    nodes, edges = np.array([[1.0, 0.0], [2.0, 50.0]]), np.array([[1.0, 2.0, 100.0, 500.0]])
    wells = np.column_stack([np.ones(count), 100.0 * np.arange(1, count + 1), np.ones(count)])
    content = Tables(nodes, edges, wells)
    content.check("made")
    network = api.Network(kind, content, "made")
    made = api.release(network, cost_figure=kind.optimum(content), seed=1)
    assert made.guarantee.location.covered == 0
    assert made.guarantee.location.elements == count
    assert made.diagnostics.finished.certificate.within


def test_nothing_to_protect(pocin, desk):
    words = ("--cost-figure", "100", "--ledger", "l.sqlite", "--quiet")
    ended = pocin("release", grid(desk, "nothing to protect"), "-o", "out.m", *words)
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.endswith(
        "no unit with capacity is left to protect; check the network and --only\n"
    )
    for name in ("one element", "nothing to protect"):
        folder = desk / name.replace(" ", "-")
        folder.mkdir()
        roads(folder, name)
        ended = pocin("release", folder / "roads", "-o", "out", *ROADS, *words)
        assert (ended.code, ended.out) == (3, "")
        assert ended.err.endswith(
            "there are fewer than two links, so that no traffic could be elsewhere\n"
        )
    assert not [file.name for file in desk.iterdir() if file.name.startswith(("out", "l.sql"))]


def test_who_stands_alone_is_not_told_to_stay_nearer(pocin, desk):
    # A smaller alpha-location moves nobody less where all stand at one place.
    words = ("--cost-figure", "100", "--research", "--seed", "1", "--quiet")
    said = {}
    for name in ("one element", "one bus", "equal values"):
        ended = pocin("release", grid(desk, name), "-o", "out.m", *words)
        assert ended.code == 4
        said[name] = "--alpha-location" in ended.err
    assert said == {"one element": False, "one bus": False, "equal values": True}
