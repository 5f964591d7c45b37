# SPDX-License-Identifier: MIT
"""Small road networks with every oddity, as GMNS tables; the names of their streets are secret."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from pocin.errors import InputError
from pocin.kinds import Network
from pocin.roads import gmns
from pocin.roads.checks import check
from pocin.roads.kind import ROADS
from pocin.roads.network import Roads

GAMMA = 0.01


def document(nodes: str, links: str, demand: str) -> dict[str, bytes]:
    """Write tables from blocks of text: blanks part cells, a dash is an empty one."""
    blocks = zip(gmns.FILES, (nodes, links, demand), strict=True)
    return {name: "\n".join(map(row, text.strip().split("\n"))).encode() for name, text in blocks}


def row(line: str) -> str:
    return ",".join("" if cell == "-" else cell for cell in line.split())


def block(rows: int, columns: int) -> dict[str, bytes]:
    """Streets in a grid, both ways, with a trip from every node to its mirror image."""
    n = rows * columns
    at = np.arange(n).reshape(rows, columns)
    across = np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()])
    along = np.column_stack([at[:-1].ravel(), at[1:].ravel()])
    one_way = np.vstack([across, along])
    both = np.vstack([one_way, one_way[:, ::-1]]) + 1
    nodes = [f"{i + 1} {i % columns}.625 {i // columns}.5 signal{i}" for i in range(n)]
    links = [
        f"{k + 1} {u} {v} true {100 + k} {1 + (7 * k) % 5}.5 {(37 * k) % 400 + 1020}.375 "
        f"{3300 + k} 0.1{k + 10} 4.{k + 10} Hideout{k}"
        for k, (u, v) in enumerate(both.tolist())
    ]
    demand = [f"{i + 1} {n - i} {1010 * i + 5}" for i in range(n) if i + 1 != n - i]
    return document(
        "\n".join(["node_id x_coord y_coord ctrl_type", *nodes]),
        "\n".join(
            [
                "link_id from_node_id to_node_id directed length d volume capacity b power name",
                *links[::-1],
            ]
        ),
        "\n".join(["o_zone_id d_zone_id volume", *demand[::-1]]),
    )


ODD = document(
    """
    node_id x_coord y_coord zone_id no_through
    11 0 0 1 true
    12 1 0 2 true
    13 2 0 3 true
    21 0 1 - -
    22 1 1 - -
    23 2 1 - -
    """,
    """
    link_id from_node_id to_node_id directed d volume cost
    7 11 21 true 0 1300 9
    5 21 11 true 0 1280 9
    9 12 22 true 0 1090 9
    4 22 12 true 0 1110 9
    1 13 23 true 0 1080 9
    2 23 13 true 0 1070 9
    3 21 22 true 40 1500 9
    6 21 22 true 50 1040 9
    8 22 21 true 40 1310 9
    10 22 23 true 30 1220 9
    11 23 22 true 30 1150 9
    12 23 23 true 1 1005 9
    13 11 12 true 0.1 1012 9
    14 12 13 true 0.1 1014 9
    """,
    """
    o_zone_id d_zone_id volume
    1 2 40
    1 3 30
    2 3 20
    3 1 50
    3 2 0
    2 2 9
    1 2 7
    """,
)
"""Zones that no trip may cross beside a tempting way through them, parallel and one-way links, zero
times, a loop, a trip twice, one without volume and one that ends where it begins."""

RING = document(
    "node_id\n1\n2\n3\n4\n5",
    """
    from_node_id to_node_id length volume
    1 2 100 1100
    2 3 200 1050
    3 4 100 0
    4 5 50 1020
    5 1 150 1070
    """,
    "origin destination\n1 3\n3 1\n4 2",
)
"""One-way all round, without link ids, times, coordinates or volumes of demand; one empty link."""

ISLANDS = document(
    "node_id\n1\n2\n3\n4\n5\n6\n7",
    """
    link_id from_node_id to_node_id d volume
    70 1 2 10 1700
    60 2 3 10 1600
    50 3 1 10 1500
    40 4 5 20 1400
    30 5 6 20 1300
    20 6 4 20 1200
    10 1 2 15 1100
    """,
    "o_node_id d_node_id\n1 3\n3 2\n4 6\n6 5\n1 4\n4 7",
)
"""Two islands and a node that no link reaches: two of the trips have no path."""

CITIES = {"block": block(3, 3), "odd": ODD, "ring": RING, "islands": ISLANDS}


def roads(name: str) -> Roads:
    """Return the roads of a name of the catalogue."""
    return check(gmns.parse(CITIES[name], name), name)


def city(name: str, gamma: float | None = GAMMA) -> Network:
    """Return a network of the catalogue, which states gamma."""
    return Network(ROADS, replace(roads(name), gamma=gamma), name)


def cells(data: bytes) -> list[dict[str, str]]:
    """Read a table as another reader would."""
    return list(csv.DictReader(io.StringIO(data.decode())))


def another_readers_mean(document: dict[str, bytes], gamma: float) -> float:
    """Return the mean trip time that networkx finds in the tables of a folder."""
    nodes, links, demand = (cells(document[name]) for name in gmns.FILES)
    return mean_by_networkx(
        [
            (r["from_node_id"], r["to_node_id"], float(r["d"]) + gamma * float(r["volume"]))
            for r in links
        ],
        {r["node_id"] for r in nodes if r.get("no_through") == "true"},
        named_trips(nodes, demand),
    )


def named_trips(nodes: list[dict[str, str]], demand: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Return the nodes of trips: of their zones where nodes have some."""
    if "o_node_id" in demand[0]:
        return [(r["o_node_id"], r["d_node_id"]) for r in demand]
    centroid = {r["zone_id"]: r["node_id"] for r in nodes if r.get("zone_id")}
    pairs = [(r["o_zone_id"], r["d_zone_id"]) for r in demand]
    return [(centroid.get(o, o), centroid.get(d, d)) for o, d in pairs]


def mean_by_networkx(
    links: list[tuple[str, str, float]], closed: set[str], trips: list[tuple[str, str]]
) -> float:
    """Return the mean shortest time; nobody drives through a closed node."""
    graph = nx.MultiDiGraph()
    for u, v, time in links:
        graph.add_edge(u, v, time=time)
    times = []
    for o, d in trips:
        open_ = graph.subgraph([n for n in graph if n not in closed - {o, d}])
        times.append(nx.shortest_path_length(open_, o, d, weight="time"))
    return sum(times) / len(times)


def refuses(read: Callable[[Any], Any], files: Any, said: str, hidden: Iterable[str]) -> None:
    """Hold a refusal to one sentence that says this, with none of the hidden values in it."""
    with pytest.raises(InputError) as raised:
        read(files)
    sentence = str(raised.value)
    assert said in sentence
    assert "\n" not in sentence
    assert [value for value in hidden if value in sentence] == []
