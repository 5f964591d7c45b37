# SPDX-License-Identifier: MIT
"""GMNS tables: what is read from them, what is refused and how, what is written."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.roads.catalogue import CITIES, ISLANDS, ODD, RING, cells, document, refuses, roads

from pocin.errors import InputError
from pocin.roads import gmns
from pocin.roads.checks import check
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units

BLOCK = CITIES["block"]


def read(files):
    return check(gmns.parse(files, "city"), "city")


def same(ours, theirs, *, but=()):
    for table in ("nodes", "links", "trips"):
        a, b = vars(getattr(ours, table)), vars(getattr(theirs, table))
        for name in a.keys() - set(but):
            np.testing.assert_array_equal(a[name], b[name], err_msg=f"{table}.{name}")
            assert a[name].dtype == b[name].dtype


# ------------------------------------------------------------------------------------- what is read


def test_every_column_is_where_another_reader_finds_it():
    found = read(BLOCK)
    links = cells(BLOCK["link.csv"])
    for ours, theirs in {
        "id": "link_id", "tail": "from_node_id", "head": "to_node_id", "d": "d", "length": "length",
        "volume": "volume", "capacity": "capacity", "b": "b", "power": "power",
    }.items():  # fmt: skip
        assert getattr(found.links, ours).tolist() == [float(row[theirs]) for row in links]
    assert np.isnan(found.links.cost).all()
    nodes = cells(BLOCK["node.csv"])
    assert found.nodes.x.tolist() == [float(row["x_coord"]) for row in nodes]
    demand = {
        (r["o_zone_id"], r["d_zone_id"]): float(r["volume"]) for r in cells(BLOCK["demand.csv"])
    }
    ends = zip(found.trips.origin.tolist(), found.trips.destination.tolist(), strict=True)
    assert {
        (str(o), str(d)): v for (o, d), v in zip(ends, found.trips.volume, strict=True)
    } == demand
    said = "units are not stated, and taken to be min for times, m for lengths, veh/day; "
    assert found.notes == ("link columns left out: name", said + "network.json may state them")


def test_zones_and_what_no_trip_may_cross():
    found = read(ODD)
    assert found.nodes.zone.tolist() == [1, 2, 3, NO_ZONE, NO_ZONE, NO_ZONE]
    assert found.nodes.no_through.tolist() == [True] * 3 + [False] * 3
    trips = np.column_stack([found.trips.origin, found.trips.destination, found.trips.volume])
    assert trips.tolist() == [[11, 12, 47], [11, 13, 30], [12, 13, 20], [13, 11, 50]]
    assert found.notes[-3:] == (
        "left out: 1 trip without volume",
        "left out: 1 trip from a place to itself",
        "taken together: 1 row of trips between the same ends as others",
    )


def test_links_without_numbers_get_them_by_what_is_public_of_them():
    found = read(RING)
    assert found.links.id.tolist() == [1, 2, 3, 4, 5]
    assert found.links.d.tolist() == [100, 200, 100, 50, 150]
    assert found.units == Units("m", "m", "veh/day")  # lengths stand for times
    assert found.notes[0] == "there are no free-flow times: the length stands for them"
    lines = RING["link.csv"].split(b"\n")
    other = read({**RING, "link.csv": b"\n".join([lines[0], *lines[:0:-1]])})
    assert other.links.id.tolist() == [5, 4, 3, 2, 1]


def test_trips_without_a_path_are_left_out():
    found = read(ISLANDS)
    assert "left out: 2 trips without a path" in found.notes
    assert len(found.trips) == 4


def test_rows_of_trips_without_volumes_count():
    found = read({**RING, "demand.csv": b"origin,destination\n1,3\n4,2\n1,3\n1,3\n"})
    assert found.trips.volume.tolist() == [3, 1]


def quoted(line):
    return b",".join(b'"' + cell + b'"' for cell in line.split(b","))


def mirrored(data):
    return b"\n".join(b",".join(line.split(b",")[::-1]) for line in data.split(b"\n"))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r"),
        lambda data: data + b"\n\n \n",
        lambda data: b"\n".join(quoted(line) for line in data.split(b"\n")),
        lambda data: b"\n".join([data.split(b"\n")[0].upper(), *data.split(b"\n")[1:]]),
        mirrored,
        lambda data: data.replace(b",", b" , "),
        lambda data: b"\n".join(line + b"," for line in data.split(b"\n")),
        lambda data: data.replace(b"\n", b',"a name,\r\n""and"" more"\n') + b",",
    ],
    ids=["BOM", "CRLF", "CR", "blank end", "quoted", "capitals", "other order", "blanks",
         "empty columns", "a name over two lines"],
)  # fmt: skip
def test_the_same_in_other_clothes(change):
    same(read({name: change(data) for name, data in BLOCK.items()}), read(BLOCK))


def test_ids_of_openstreetmap_and_ids_with_a_point():
    names = {
        b"1": b"9223372036",
        b"2": b"-17",
        b"3": b"999999999999999999",
        b"4": b"+44 ",
        b"5": b"5",
    }

    def renamed(data, columns):
        lines = [line.split(b",") for line in data.split(b"\n")]
        return b"\n".join(
            [b",".join(lines[0])]
            + [b",".join([names.get(c, c) if k < columns else c for k, c in enumerate(line)])
               for line in lines[1:]]
        )  # fmt: skip

    found = read({name: renamed(data, 2) for name, data in RING.items()})
    assert sorted(found.nodes.id.tolist()) == [-17, 5, 44, 9223372036, 999999999999999999]


def test_ids_that_another_program_wrote_as_numbers():
    nodes = b"node_id\n1.0\n2.0\n3e0\n4\n5.0\n"
    assert read({**RING, "node.csv": nodes}).nodes.id.tolist() == [1, 2, 3, 4, 5]


def test_free_flow_times_and_gaps_as_gmns_writes_them():
    link = """
        link_id from_node_id to_node_id directed free_flow_time length capacity volume
        1 1 2 1 2.5 NaN NaN 10
        2 2 1 TRUE 3.5 7 - 20
        """
    found = read(document("node_id zone_id\n1 -\n2 NaN", link, "o_zone_id d_zone_id\n1 2"))
    assert found.links.d.tolist() == [2.5, 3.5]
    np.testing.assert_array_equal(found.links.length, [np.nan, 7])
    assert found.nodes.zone.tolist() == [NO_ZONE, NO_ZONE]


def test_units_are_those_stated():
    config = b"dataset_name,long_length,speed\nHideout,mile,mph\n"
    assert read({**BLOCK, "config.csv": config}).units == Units("min", "mile", "veh/day")
    assert read({**RING, "config.csv": config}).units == Units("mile", "mile", "veh/day")
    about = {
        "gamma": 0.5,
        "reading": ["total"],
        "units": {"time": "h", "volume": "veh/h\n" + "x" * 99},
    }
    found = read({**BLOCK, "network.json": json.dumps(about).encode()})
    assert (found.gamma, found.units) == (0.5, Units("h", "m", "veh/h " + "x" * 34))
    assert not any("units" in note for note in found.notes)


# ---------------------------------------------------------------------------------- what is refused


def edited(name, old, new, files=BLOCK):
    assert old in files[name]
    return {**files, name: files[name].replace(old, new, 1)}


def without(name):
    return {key: data for key, data in BLOCK.items() if key != name}


def header(name, files=BLOCK):
    return {**files, name: files[name].split(b"\n")[0]}


FAULTS = {
    "no nodes file": (
        without("node.csv"),
        "city/node.csv: is missing; a GMNS folder has node.csv,",
    ),
    "no demand": (without("demand.csv"), "city/demand.csv: is missing"),
    "an empty file": ({**BLOCK, "link.csv": b""}, "link.csv: is empty; give it a header and rows"),
    "a header alone": (header("link.csv"), "fewer than two links"),
    "no nodes": (header("node.csv"), "demand.csv: rows 2, 3, 4, 5, 6 and 3 more, column o_zone_id"),
    "no trips": (header("demand.csv"), "there are no trips; add origin-destination pairs"),
    "binary": ({**BLOCK, "node.csv": b"PK\x03\x04\0"}, "node.csv: is not a text file"),
    "semicolons": (
        {**BLOCK, "node.csv": BLOCK["node.csv"].replace(b",", b";")},
        "node.csv: row 1: columns must be parted by commas",
    ),
    "a column twice": (
        edited("link.csv", b"power", b"d"),
        "link.csv: row 1: a column stands twice",
    ),
    "no column": (
        edited("link.csv", b"to_node_id", b"to"),
        "link.csv: has no column to_node_id; add",
    ),
    "no traffic": (
        edited("link.csv", b"volume", b"traffic"),
        "link.csv: has no column volume; add it with the traffic of every link",
    ),
    "hourly traffic": (
        edited("link.csv", b"volume", b"volume_07"),
        "traffic of every link, and one number a link: add up the hours",
    ),
    "missing traffic": (
        edited("link.csv", b",1071.375,", b",,"),
        "row 2, column volume: expected a finite",
    ),
    "traffic nan": (
        edited("link.csv", b",1071.375,", b",nan,"),
        "row 2, column volume: expected a finite",
    ),
    "infinite": (
        edited("link.csv", b",1071.375,", b",1e999,"),
        "row 2, column volume: expected a finite",
    ),
    "a word": (
        edited("link.csv", b",1071.375,", b",much,"),
        "row 2, column volume: expected a finite",
    ),
    "negative": (
        edited("link.csv", b",1071.375,", b",-1071.375,"),
        "link 24 from 9 to 6: its traffic is no",
    ),
    "too much": (
        edited("link.csv", b",1071.375,", b",1e13,"),
        "its traffic is no number from 0 to 1e+12",
    ),
    "a negative time": (edited("link.csv", b",2.5,", b",-2.5,"), "row 2, column d: is negative"),
    "no time": (edited("link.csv", b",2.5,", b",,"), "row 2, column d: expected a finite number"),
    "a long time": (
        edited("link.csv", b",2.5,", b",1e99,"),
        "its travel time without traffic is no",
    ),
    "cut": (
        {**BLOCK, "link.csv": BLOCK["link.csv"][:-9]},
        "row 25: expected 11 cells as in the header",
    ),
    "an open quote": (edited("link.csv", b"Hideout0", b'"Hideout0'), "is not comma-separated text"),
    "a row more": (edited("node.csv", b"signal3", b"a,b"), "node.csv: row 5: expected 4 cells"),
    "a link twice": (
        edited("link.csv", b"\n24,", b"\n23,"),
        "link 23: the id stands more than once",
    ),
    "a node twice": (edited("node.csv", b"\n5,", b"\n4,"), "node 4: the id stands more than once"),
    "a lost end": (
        edited("link.csv", b",9,6,", b",9,66,"),
        "link 24: begins or ends at a node that",
    ),
    "no id": (
        edited("link.csv", b"\n24,", b"\n,"),
        "row 2, column link_id: expected a whole number",
    ),
    "half an id": (
        edited("link.csv", b"\n24,", b"\n2.5,"),
        "row 2, column link_id: expected a whole",
    ),
    "a named id": (
        edited("node.csv", b"\n9,", b"\nA9,"),
        "column node_id: expected a whole number; n",
    ),
    "a huge id": (edited("node.csv", b"\n9,", b"\n9" + b"0" * 18 + b","), "at most 18 digits"),
    "the least id": (edited("node.csv", b"\n9,", b"\n-9223372036854775808,"), "at most 18 digits"),
    "an id beyond": (
        edited("node.csv", b"\n9,", b"\n9" + b"0" * 30 + b","),
        "expected a whole number",
    ),
    "undirected": (edited("link.csv", b"true", b"false"), "write one row a direction"),
    "a flag": (edited("link.csv", b"true", b"maybe"), "column directed: expected true or false"),
    "a trip from nowhere": (
        edited("demand.csv", b"\n9,", b"\n99,"),
        "row 2, column o_zone_id: no node",
    ),
    "a negative trip": (edited("demand.csv", b"8085", b"-8085"), "node 9: its volume is negative"),
    "a trip's gap": (edited("demand.csv", b"8085", b""), "trip from node 9: its volume is missing"),
    "a trip's end": (edited("demand.csv", b"d_zone_id", b"to"), "has no column d_zone_id; add"),
    "half a zone": (
        edited("node.csv", b"0,0,1,", b"0,0,1.5,", ODD),
        "row 2, column zone_id: expected",
    ),
    "a zone below": (
        edited("node.csv", b"0,0,1,", b"0,0,-1,", ODD),
        "row 2, column zone_id: expected",
    ),
    "a zone twice": (edited("node.csv", b"1,0,2,", b"1,0,1,", ODD), "several nodes have this zone"),
    "an unknown zone": (
        edited("demand.csv", b"1,2,", b"1,4,", ODD),
        "column d_zone_id: no node has",
    ),
    "no path": (
        {**ISLANDS, "demand.csv": b"o_node_id,d_node_id\n1,4\n1,1\n"},
        "city: no trip has a path; check the trips and the links' directions",
    ),
    "no JSON": ({**BLOCK, "network.json": b"{"}, "city/network.json: is not JSON; mend it"),
    "a JSON list": ({**BLOCK, "network.json": b"[]"}, "expected an object with gamma and units"),
    "gamma 0": ({**BLOCK, "network.json": b'{"gamma": 0}'}, "gamma must be a positive number"),
    "gamma true": (
        {**BLOCK, "network.json": b'{"gamma": true}'},
        "gamma must be a positive number",
    ),
    "gamma nan": ({**BLOCK, "network.json": b'{"gamma": NaN}'}, "gamma must be a positive number"),
    "gamma 10^400": (
        {**BLOCK, "network.json": b'{"gamma": 1' + b"0" * 400 + b"}"},
        "gamma must be a positive number",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_sentence_that_names_the_place(fault):
    files, said = FAULTS[fault]
    hidden = [row["volume"] for row in cells(BLOCK["link.csv"])] + ["Hideout", "8085", "much"]
    refuses(read, files, said, hidden)


def test_all_faults_are_gathered():
    files = edited(
        "link.csv", b",1071.375,", b",-1071.375,", edited("link.csv", b"\n23,", b"\n22,")
    )
    with pytest.raises(InputError, match=r"link 22: .*; link 24 from 9 to 6: its traffic"):
        read(files)


# ---------------------------------------------------------------------------------- what is written

number = st.floats(0, 1e9, allow_subnormal=False) | st.integers(0, 10**9).map(float)


@st.composite
def cities(draw):
    """Any nodes, links and trips that a GMNS folder can hold, sorted or not."""
    ids = draw(st.lists(st.integers(-(10**18), 10**18), min_size=2, max_size=6, unique=True))
    n, m = len(ids), draw(st.integers(2, 9))

    def column(values, count, *, gaps=True):
        given = draw(st.booleans()) or not gaps
        cell = values | st.just(np.nan) if gaps else values
        empty = [np.nan] * count
        return np.array(draw(st.lists(cell, min_size=count, max_size=count)) if given else empty)

    def among(count):
        return np.array(draw(st.lists(st.sampled_from(ids), min_size=count, max_size=count)))

    zone = draw(st.lists(st.integers(-1, 4), min_size=n, max_size=n))
    closed = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    nodes = Nodes(
        np.array(ids), column(number, n), column(number, n), np.array(zone), np.array(closed)
    )
    links = Links(
        np.array(draw(st.permutations(range(1, m + 1)))), among(m), among(m),
        column(number, m, gaps=False), column(number, m), column(number, m, gaps=False),
        column(number, m), column(number, m), column(number, m), np.full(m, np.nan),
    )  # fmt: skip
    k = draw(st.integers(1, 5))
    trips = Trips(among(k), among(k), column(number, k))
    return Roads(nodes, links, trips, Units("min", "m", "veh/day"))


@given(cities())
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_again(made):
    same(gmns.parse(gmns.write(made), "city"), made)


def test_tables_are_plain_and_hold_no_empty_column():
    files = gmns.write(roads("ring"))
    assert files["node.csv"] == b"node_id\n1\n2\n3\n4\n5\n"
    assert files["link.csv"].startswith(
        b"link_id,from_node_id,to_node_id,directed,length,d,volume\n1,1,2,true,100,100,1100\n"
    )
    assert files["demand.csv"] == b"o_zone_id,d_zone_id\n1,3\n3,1\n4,2\n"
    text = io.StringIO(gmns.write(roads("odd"))["node.csv"].decode())
    assert [row["zone_id"] for row in csv.DictReader(text)] == ["1", "2", "3", "", "", ""]


def test_trips_between_nodes_without_a_zone_of_their_own_are_named_by_node():
    made = roads("odd")
    inner = replace(made, trips=Trips(np.array([21]), np.array([13]), np.array([5.0])))
    files = gmns.write(inner)
    assert files["demand.csv"] == b"o_node_id,d_node_id,volume\n21,13,5\n"
    same(gmns.parse(files, "city"), inner, but=["cost"])
