# SPDX-License-Identifier: MIT
"""OSMnx graphs: as networkx writes them, with their traffic and trips; what is refused and how."""

import io
import json

import networkx as nx
import numpy as np
import pytest
from tests.roads.catalogue import refuses

from pocin.roads import graphml
from pocin.roads.checks import check
from pocin.roads.network import Units

PLACES = {5340680144: (-83.75, 42.25), 11: (-83.5, 42.125), -7: (-83.25, 42.5), 4: (-83.0, 42.0)}
EDGES = [  # u, v, key, length, travel_time, traffic
    (5340680144, 11, 0, 120.5, 9.25, 1301.5),
    (5340680144, 11, 1, 220.5, 19.25, 1302),
    (11, 5340680144, 0, 120.5, 9.25, 1303),
    (11, -7, 0, 80.0, 0.0, 1304),
    (-7, 4, 0, 99.5, 4.5, 0),
    (4, 5340680144, 0, 10.0, 4.5, 1306),
]
SECRET = [str(edge[-1]) for edge in EDGES if edge[-1]] + ["1301.50", "Hideout", "8085"]


def graph(*, timed=True, multi=True, edges=EDGES):
    """The street graph as OSMnx keeps it: all attributes are text in the file."""
    made = (nx.MultiDiGraph if multi else nx.DiGraph)(crs="epsg:4326", created_with="Hideout 2.0")
    for node, (x, y) in PLACES.items():
        made.add_node(node, x=str(x), y=str(y), street_count="3", highway="traffic_signals")
    for u, v, key, length, seconds, _ in edges:
        told = {"length": str(length), "osmid": "[123, 456]", "name": "Hideout <Street> & Lane"}
        told |= {"travel_time": str(seconds)} if timed else {}
        told |= {"geometry": "LINESTRING (-83.75 42.25, -83.6 42.2)"}
        made.add_edge(u, v, **({"key": key} if multi else {}), **told)
    return made


def xml(made):
    buffer = io.BytesIO()
    nx.write_graphml(made, buffer, named_key_ids=False)
    return buffer.getvalue()


def table(head, rows):
    lines = [head, *(",".join(map(str, row)) for row in rows)]
    return "\n".join(lines).encode()


def city(**changes):
    return {
        "city.graphml": xml(graph()),
        "traffic.csv": table("u,v,key,volume", [(u, v, k, t) for u, v, k, *_, t in EDGES[::-1]]),
        "trips.csv": table("origin,destination,volume", [(5340680144, 4, 8085), (4, 11, 5)]),
    } | {name.replace("_", "."): data for name, data in changes.items()}


def read(files):
    return check(graphml.parse(files, "desk"), "desk")


# ------------------------------------------------------------------------------------- what is read


def test_every_edge_with_its_traffic():
    found = read(city())
    rows = zip(found.links.tail, found.links.head, found.links.length, found.links.d,
               found.links.volume, strict=True)  # fmt: skip
    assert set(rows) == {(u, v, length, d, t) for u, v, _, length, d, t in EDGES}
    places = zip(found.nodes.x, found.nodes.y, strict=True)
    assert dict(zip(found.nodes.id, places, strict=True)) == PLACES
    assert found.trips.volume.tolist() == [5, 8085]
    assert (found.units, found.form, found.gamma) == (Units("s", "m", "veh/day"), "gmns", None)
    for name in ("capacity", "b", "power", "cost"):
        assert np.isnan(getattr(found.links, name)).all()


def test_links_are_numbered_by_ends_and_key_whatever_the_order():
    found, other = (
        read(city(city_graphml=xml(graph(edges=edges)))) for edges in (EDGES, EDGES[::-1])
    )
    by_id = [
        sorted(zip(r.links.id, r.links.d, r.links.volume, strict=True)) for r in (found, other)
    ]
    assert by_id[0] == by_id[1]


def test_lengths_stand_for_times_where_an_edge_has_none():
    found = read(city(city_graphml=xml(graph(timed=False))))
    assert sorted(found.links.d) == sorted(edge[3] for edge in EDGES)
    assert found.units.time == "m"
    assert found.notes == ("there are no free-flow times: the length stands for them",)


def test_a_graph_without_parallel_edges():
    one = [edge for edge in EDGES if edge[2] == 0]
    traffic = table("u,v,volume", [(u, v, t) for u, v, *_, t in one])
    found = read(city(city_graphml=xml(graph(multi=False, edges=one)), traffic_csv=traffic))
    assert len(found.links) == 5


def test_hours_of_a_day_are_added_up():
    hourly = [(u, v, k, h, t / 2 + h) for u, v, k, *_, t in EDGES for h in range(24)]
    found = read(city(traffic_csv=table("u,v,key,hour,volume", hourly)))
    assert sorted(found.links.volume) == sorted(12 * t + 276 for *_, t in EDGES)


def test_gamma_and_units_that_are_stated():
    about = {"gamma": 0.25, "units": {"volume": "veh/h"}}
    found = read(city(network_json=json.dumps(about).encode()))
    assert (found.gamma, found.units) == (0.25, Units("s", "m", "veh/h"))


def test_names_with_a_prefix_and_utf16():
    text = xml(graph()).decode()
    prefixed = text.replace("<", "<g:").replace("<g:/", "</g:").replace("<g:?", "<?")
    prefixed = prefixed.replace("xmlns=", "xmlns:g=")
    assert len(read(city(city_graphml=prefixed.encode())).links) == 6
    wide = text.replace("utf-8", "utf-16").encode("utf-16")
    assert len(read(city(city_graphml=wide)).links) == 6


# ---------------------------------------------------------------------------------- what is refused

TEXT = xml(graph()).decode()


def edited(old, new):
    assert old in TEXT
    return city(city_graphml=TEXT.replace(old, new, 1).encode())


def without(name):
    return {key: data for key, data in city().items() if key != name}


def traffic(edit=lambda rows: rows, head="u,v,key,volume"):
    rows = [(u, v, k, t) for u, v, k, *_, t in EDGES]
    return city(traffic_csv=table(head, edit(rows)))


BOMB = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><graphml>&b;</graphml>'
DAY = [(u, v, k, h, 1) for u, v, k, *_ in EDGES for h in range(24)]
HOURLY = "u,v,key,hour,volume"
FAULTS = {
    "no traffic": (without("traffic.csv"), "needs a table traffic.csv beside it with u, v, key an"),
    "no trips": (without("trips.csv"), "needs a table trips.csv beside it with origin and destina"),
    "no XML": (city(city_graphml=b"a street"), "desk/city.graphml: row 1: is not XML; save the"),
    "cut": (city(city_graphml=TEXT[:-200].encode()), "is not XML; save the graph anew"),
    "empty": (city(city_graphml=b""), "desk/city.graphml: row 1: is not XML; save the graph anew"),
    "entities": (city(city_graphml=BOMB.encode()), "has a document type, which GraphML needs not"),
    "undirected": (edited('"directed"', '"undirected"'), "is undirected, and traffic is by direct"),
    "no graph": (city(city_graphml=b"<graphml/>"), "traffic.csv: rows 2, 3, 4, 5, 6 and 1 more"),
    "an edge twice": (edited('id="1"', 'id="0"'), "several from 5340680144 to 11 have the same id"),
    "edges without ids": (edited('id="1"', 'id="e7"'), "give parallel edges the ids 0, 1 and so o"),
    "a superscript": (edited('id="1"', 'id="\u00b2"'), "give parallel edges the ids 0, 1 and so o"),
    "a node twice": (edited('node id="4"', 'node id="11"'), "node 11: the id stands more than onc"),
    "a named node": (edited('node id="4"', 'node id="n4"'), "column node_id: expected a whole num"),
    "a lost end": (edited('target="4"', 'target="5"'), "the graph has no such edge"),
    "no length": (
        city(city_graphml=xml(graph(timed=False)).replace(b">80.0<", b"><")),
        "column length: is missing; add edge lengths in OSMnx",
    ),
    "a length's word": (edited(">80.0<", ">far<"), "column length: expected a finite number"),
    "a negative time": (edited(">9.25<", ">-9.25<"), "its travel time without traffic is no numbe"),
    "traffic beyond": (traffic(lambda rows: [*rows, (4, 11, 0, 1)]), "row 8, column u: the graph"),
    "traffic missing": (traffic(lambda rows: rows[1:]), "and from 5340680144 to 11 there are 0"),
    "traffic twice": (traffic(lambda rows: rows + rows[:1]), "expected 1 row an edge, and from 53"),
    "no key": (
        traffic(lambda rows: [(u, v, t) for u, v, _, t in rows], "u,v,volume"),
        "expected 1 row an edge, and from 5340680144 to 11 there are 2",
    ),
    "negative": (traffic(lambda rows: [(11, -7, 0, -5) if r[1] == -7 else r for r in rows]),
                 "from 11 to -7: its traffic is no number from 0"),
    "no column": (traffic(head="u,v,key,flow"), "traffic.csv: has no column volume; add it to the"),
    "an hour less": (
        city(traffic_csv=table(HOURLY, DAY[1:])),
        "expected 24 rows an edge, and from 5340680144 to 11 there are 23; mend that and the like",
    ),
    "an hour twice": (city(traffic_csv=table(HOURLY, [DAY[0], *DAY[:-1]])), "stands twice for its"),
    "hour 24": (city(traffic_csv=table(HOURLY, [(*DAY[0][:3], 24, 1), *DAY[1:]])), "expected 0 to"),
    "a trip from nowhere": (city(trips_csv=b"origin,destination\n5,4\n"), "trip from node 5: ther"),
    "a trip to nowhere": (city(trips_csv=b"origin,destination\n4,5\n"), "trip to node 5: there is"),
    "trips without ends": (city(trips_csv=b"from,to\n4,5\n"), "trips.csv: has no column origin an"),
    "no trip at all": (city(trips_csv=b"origin,destination\n"), "there are no trips; add origin"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_sentence_that_names_the_place(fault):
    files, said = FAULTS[fault]
    refuses(read, files, said, SECRET)
