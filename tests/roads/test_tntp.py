# SPDX-License-Identifier: MIT
"""TNTP files: what is read from them, what is refused and how, what is written."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.roads import tntp as independent
from tests.roads.catalogue import mean_by_networkx, refuses

from pocin.errors import InputError
from pocin.roads import tntp, tntp_form
from pocin.roads.checks import check
from pocin.roads.files import read_roads
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.shortest import trip_times

SMALL = {
    "City_net.tntp": """<NUMBER OF ZONES> 3\t\t
<NUMBER OF NODES> 5
<FIRST THRU NODE> 4
<NUMBER OF LINKS> 9
<ORIGINAL HEADER>~ Init node Term node Capacity (veh/h) Length (ft) Free Flow Time (min) ;
<END OF METADATA>\t\t

~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;
\t1\t4\t3301\t40\t0\t0.15\t4\t0\t0\t3\t;
\t4\t1\t3302\t40\t0\t0.15\t4\t0\t0\t3\t;
\t5\t3\t3303\t40\t0\t0.15\t4\t0\t0\t3\t;
\t3\t5\t3304\t40\t0\t0.15\t4\t0\t0\t3\t;  ~ Hideout Street
\t4\t5\t3305\t90\t70\t0.15\t4\t55\t0\t1\t;
\t4\t5\t3306\t80\t50\t0.15\t4\t55\t0\t1\t;
\t5\t4\t3307\t80\t50\t0.15\t4\t55\t0\t1\t;
\t4\t2\t3308\t10\t1\t0.15\t4\t0\t0\t3\t;
\t2\t5\t3309\t10\t1\t0.15\t4\t0\t0\t3\t;
""",
    "City_trips.tntp": """<NUMBER OF ZONES> 3
<TOTAL OD FLOW> 4710.5
<END OF METADATA>

~ the Hideout survey
Origin 1
    1 :  7.0;    2 :  1200.5;   3 :  1300.0;
Origin \t2
    1 :  0.0;    3 :  1100.0;

Origin 3
    1 :  1103.0;
""",
    "City_flow.tntp": """From \tTo \tVolume \tCost
1 \t4 \t2501.5 \t0.5
4 \t1 \t1103 \t0.5
5 \t3 \t2402 \t0.5
3 \t5 \t1104 \t0.5
4 \t5 \t1105 \t70.5
4 \t5 \t1206 \t50.5
5 \t4 \t1107 \t50.5
4 \t2 \t1208 \t1.5
2 \t5 \t1109 \t1.5
""",
    "City_node.tntp": "Node\tX\tY\t;\n5 5.5 50.5 ;\n4 4.5 40.5 ;\n1 1.5 10.5 ;\n",
}
SECRET = ("2501.5", "1103", "2402", "1206", "Hideout", "4710.5", "1200.5", "3301")
GAMMA = 0.01


def read(files=SMALL):
    document = {name: text.encode() for name, text in files.items()}
    return check(tntp.parse(document, "city"), "city")


def edited(name, old, new):
    file = f"City_{name}.tntp"
    assert old in SMALL[file]
    return {**SMALL, file: SMALL[file].replace(old, new, 1)}


def same(ours, theirs):
    for table in ("nodes", "links", "trips"):
        a, b = vars(getattr(ours, table)), vars(getattr(theirs, table))
        for name in a:
            np.testing.assert_array_equal(a[name], b[name], err_msg=f"{table}.{name}")


# ------------------------------------------------------------------------------------- what is read


def test_every_column():
    found = read()
    links = found.links
    assert links.tail.tolist() == [1, 4, 5, 3, 4, 4, 5, 4, 2]
    assert links.head.tolist() == [4, 1, 3, 5, 5, 5, 4, 2, 5]
    assert links.id.tolist() == [1, 4, 8, 3, 7, 6, 9, 5, 2]  # by ends, then by time
    assert links.d.tolist() == [0, 0, 0, 0, 70, 50, 50, 1, 1]
    assert links.length.tolist() == [40, 40, 40, 40, 90, 80, 80, 10, 10]
    assert links.volume.tolist() == [2501.5, 1103, 2402, 1104, 1105, 1206, 1107, 1208, 1109]
    assert links.cost.tolist() == [0.5, 0.5, 0.5, 0.5, 70.5, 50.5, 50.5, 1.5, 1.5]
    assert links.capacity.tolist() == list(range(3301, 3310))
    assert (set(links.b), set(links.power)) == ({0.15}, {4})
    assert found.nodes.zone.tolist() == [1, 2, 3, NO_ZONE, NO_ZONE]
    assert found.nodes.no_through.tolist() == [True] * 3 + [False] * 2
    np.testing.assert_array_equal(found.nodes.x, [1.5, np.nan, np.nan, 4.5, 5.5])
    trips = np.column_stack([found.trips.origin, found.trips.destination, found.trips.volume])
    assert trips.tolist() == [[1, 2, 1200.5], [1, 3, 1300], [2, 3, 1100], [3, 1, 1103]]
    assert (found.units, found.form) == (Units("min", "ft", "veh/h"), "tntp")


def test_no_trip_crosses_a_zone_below_the_first_through_node():
    # through zone 2 the way from 4 to 5 would take 2 minutes and some traffic
    found = read()
    times = trip_times(found, found.links.d + GAMMA * found.links.volume)
    assert times[1] == 0 + 25.015 + 50 + 12.06 + 0 + 24.02
    open_ = read(edited("net", "THRU NODE> 4", "THRU NODE> 1"))
    times = trip_times(open_, open_.links.d + GAMMA * open_.links.volume)
    assert times[1] == pytest.approx(25.015 + 1 + 12.08 + 1 + 11.09 + 24.02)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\\ufeff".decode("unicode_escape") + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace("\t", "   "),
        lambda text: text.replace(";\n", "\n"),
        lambda text: text + "\n~ the end\n\n",
        lambda text: text.replace("END OF METADATA", "end of metadata"),
        lambda text: text.replace("> ", ">\t"),
        lambda text: text.replace("Origin ", "ORIGIN "),
        lambda text: re.sub(r":\s+", ":", text),
    ],
    ids=[
        "BOM",
        "CRLF",
        "CR",
        "blanks",
        "no semicolons",
        "more",
        "small",
        "tabs",
        "joined",
        "tight",
    ],
)
def test_the_same_in_other_clothes(change):
    same(read({name: change(text) for name, text in SMALL.items()}), read())


def test_a_flow_file_with_metadata_and_columns_in_another_order():
    rows = SMALL["City_flow.tntp"].split("\n")[1:-1]
    turned = "\n".join(f"{r.split()[2]} {r.split()[1]} : {r.split()[0]};" for r in rows)
    head = "<NUMBER OF NODES> 5\n<NUMBER OF LINKS> 9\n<END OF METADATA>\n\n~ Volume To From\n"
    found = read({**SMALL, "City_flow.tntp": head + turned})
    np.testing.assert_array_equal(found.links.volume, read().links.volume)
    assert np.isnan(found.links.cost).all()


def test_trips_that_do_not_add_up_are_noted():
    assert not [note for note in read().notes if "add up" in note]
    less = cut(SMALL["City_trips.tntp"])
    assert read({**SMALL, "City_trips.tntp": less}).notes[0] == (
        "the trips do not add up to the <TOTAL OD FLOW> of their file: is it whole?"
    )


def test_files_without_nodes_times_and_delays():
    files = {name: text for name, text in SMALL.items() if "node" not in name}
    net = re.sub(r"\t(\d+)\t(\d+)\t(33..)\t(\d+)\t\d+\t0.15\t4", r"\t\1\t\2\t\3\t\4\t0\t0\t4",
                 SMALL["City_net.tntp"])  # fmt: skip
    found = read({**files, "City_net.tntp": net})
    assert found.links.d.tolist() == [40, 40, 40, 40, 90, 80, 80, 10, 10]
    assert np.isnan(found.links.b).all()
    assert np.isnan(found.nodes.x).all()
    assert "there are no free-flow times: the length stands for them" in found.notes


@pytest.mark.parametrize("name", independent.FILES)
def test_against_an_independent_reader(name):
    theirs = independent.network(name)
    ours, published = read_roads(independent.DATA / name)
    assert published is None
    assert (ours.tail == theirs.tail).all()
    assert (ours.head == theirs.head).all()
    assert (ours.nodes.no_through == theirs.no_through).all()
    for column, delay in (("d", "free"), ("capacity", "capacity"), ("b", "b"), ("power", "power")):
        assert (getattr(ours.links, column) == getattr(theirs.delay, delay)).all()
    assert (ours.links.volume == theirs.best_known).all()
    kept = theirs.ends[:, 0] != theirs.ends[:, 1]
    trips = np.column_stack([ours.origins, ours.destinations, ours.trips.volume])
    expected = np.column_stack([theirs.ends[kept], theirs.volume[kept]])
    assert sorted(trips.tolist()) == sorted(expected.tolist())


# ---------------------------------------------------------------------------------- what is refused


def without(name):
    return {key: text for key, text in SMALL.items() if name not in key}


def cut(text):
    return "\n".join(text.split("\n")[:-2])


FAULTS = {
    "no net": (without("net"), "city: has no file *_net.tntp with the links; add it"),
    "no trips": (without("trips"), "city: has no file *_trips.tntp with the trips; add it"),
    "no traffic": (without("flow"), "city: has no file *_flow.tntp with the traffic; add it"),
    "empty": ({**SMALL, "City_net.tntp": ""}, "City_net.tntp: has no <END OF METADATA>"),
    "empty traffic": (
        {**SMALL, "City_flow.tntp": ""},
        "City_flow.tntp: row 1: expected the columns",
    ),
    "empty trips": ({**SMALL, "City_trips.tntp": ""}, "City_trips.tntp: has no <END OF METADATA>"),
    "no origin": (
        {**SMALL, "City_trips.tntp": "<END OF METADATA>\n"},
        "City_trips.tntp: expected blocks that begin with Origin",
    ),
    "binary": ({**SMALL, "City_net.tntp": "\0"}, "is not a text file"),
    "cut": ({**SMALL, "City_net.tntp": cut(SMALL["City_net.tntp"])}, "states 9 links and has 8"),
    "cut in a row": (
        {**SMALL, "City_net.tntp": SMALL["City_net.tntp"][:-9]},
        "row 17: expected 10",
    ),
    "no count": (edited("net", "<NUMBER OF NODES> 5\n", ""), "<NUMBER OF NODES> must be a whole"),
    "no through": (edited("net", "<FIRST THRU NODE> 4\n", ""), "<FIRST THRU NODE> must be a whole"),
    "endless": (edited("net", "NODES> 5", "NODES> 5000000000000"), "<NUMBER OF NODES> must be a"),
    "superscript": (edited("net", "NODES> 5", "NODES> \u00b2"), "<NUMBER OF NODES> must be a whol"),
    "more zones": (edited("net", "ZONES> 3", "ZONES> 6"), "<NUMBER OF ZONES> must be a whole"),
    "far through": (edited("net", "THRU NODE> 4", "THRU NODE> 7"), "<FIRST THRU NODE> must be a"),
    "a word": (edited("net", "\t3305\t", "\tmany\t"), "City_net.tntp: row 13: expected 10 numbers"),
    "nan": (edited("net", "\t3305\t", "\tnan\t"), "row 13: expected 10 numbers, with nodes from 1"),
    "half a node": (edited("net", "\t4\t5\t3305", "\t4.5\t5\t3305"), "row 13: expected 10 numbers"),
    "a lost end": (edited("net", "\t4\t5\t3305", "\t4\t6\t3305"), "row 13: expected 10 numbers, w"),
    "node 0": (edited("net", "\t4\t5\t3305", "\t0\t5\t3305"), "row 13: expected 10 numbers, with"),
    "a negative time": (edited("net", "\t70\t", "\t-70\t"), "column free_flow_time: is negative"),
    "no column": (edited("flow", "Volume", "Vol"), "row 1: expected the columns tail, head, volum"),
    "a row less": (edited("flow", "4 \t5 \t1105 \t70.5\n", ""), "that from 4 to 5 is missing; add"),
    "a row more": (edited("flow", "4 \t5", "4 \t5 \t1 \t1\n4 \t5"), "from 4 to 5 is one too many"),
    "another link": (edited("flow", "2 \t5", "2 \t4"), "that from 2 to 5 is missing; add it"),
    "missing traffic": (edited("flow", "\t1206 ", "\t"), "City_flow.tntp: row 7: expected 4 numbe"),
    "negative": (edited("flow", "\t1206", "\t-1206"), "link 6 from 4 to 5: its traffic is no numb"),
    "a trip from nowhere": (edited("trips", "Origin 3", "Origin 9"), "trip from node 9: there is"),
    "a trip to nowhere": (edited("trips", "3 :  1300", "8 :  1300"), "trip to node 8: there is no"),
    "a negative trip": (edited("trips", "1300.0", "-1300.0"), "some numbers of trips are negative"),
    "an infinite trip": (edited("trips", "1300.0", "1e999"), "some numbers of trips are negative"),
    "a trip's word": (edited("trips", "1300.0", "many"), "City_trips.tntp: row 6: no origin with"),
    "a trip's dash": (edited("trips", "1300.0", "-"), "City_trips.tntp: row 6: no origin with its"),
    "a trip's gap": (edited("trips", "1300.0", ""), "City_trips.tntp: row 6: no origin with its"),
    "no number": (edited("trips", "Origin 3", "Origin"), "row 11: no origin with its 'zone : trip"),
    "a huge origin": (edited("trips", "Origin 3", "Origin " + "3" * 30), "row 11: no origin with"),
    "a node twice": (edited("node", "5 5.5", "9 5.5"), "City_node.tntp: row 2: expected 3 numbers"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_one_sentence_that_names_the_place(fault):
    files, said = FAULTS[fault]
    refuses(read, files, said, SECRET)


def test_a_long_block_that_is_none_is_refused_at_once():
    block = "Origin 1\n" + "    2 :      1.0     \n" * 5_000 + "x\n"
    began = time.process_time()
    with pytest.raises(InputError, match="row 4: no origin"):
        read({**SMALL, "City_trips.tntp": f"<N> 1\n<END OF METADATA>\n\n{block}"})
    assert time.process_time() - began < 1


# ---------------------------------------------------------------------------------- what is written


def written(made):
    return tntp_form.write(made, ("a header",))


def parsed(files):
    return tntp.parse(files, "city")


def test_what_a_release_has_not_is_a_constant_and_said_to_be():
    unknown = np.full(9, np.nan)
    made = replace(read(), gamma=GAMMA)
    gone = {"capacity": unknown, "b": unknown, "power": unknown, "cost": unknown}
    trips = replace(made.trips, volume=np.full(4, np.nan))
    made = replace(made, links=replace(made.links, **gone), trips=trips)
    files = {name: data.decode() for name, data in written(made).items()}
    assert sorted(files) == [f"released_{name}.tntp" for name in ("flow", "net", "node", "trips")]
    assert (
        "~ a header\n~ capacity, b, power are not released: constants stand for them\n"
        in (files["released_net.tntp"])
    )
    assert "\t1\t4\t1\t40\t0\t0\t1\t0\t0\t1\t;" in files["released_net.tntp"]
    assert "~ volumes are not released: 1 stands for every pair" in files["released_trips.tntp"]
    assert "Origin 1\n2 : 1;  3 : 1;\n" in files["released_trips.tntp"]
    assert "<TOTAL OD FLOW> 4\n" in files["released_trips.tntp"]
    assert "1\t4\t2501.5\t25.015\n" in files["released_flow.tntp"]  # Cost is d + gamma volume
    again = parsed({name: text.encode() for name, text in files.items()})
    for name in ("capacity", "b", "power"):
        assert np.isnan(getattr(again.links, name)).all()


def test_another_reader_finds_the_same_optimum_in_what_is_written():
    made = replace(read(), gamma=GAMMA)
    files = {name: data.decode() for name, data in written(made).items()}
    net = [line.split() for line in files["released_net.tntp"].split("\n")]
    ends = [tuple(row[:2]) for row in net if row and row[0].isdigit()]
    flow = [line.split() for line in files["released_flow.tntp"].split("\n")[1:-1]]
    assert ends == [tuple(row[:2]) for row in flow]
    trips, origin = [], ""
    for line in files["released_trips.tntp"].split("\n"):
        origin = line.split()[1] if line.startswith("Origin") else origin
        trips += [(origin, to) for to in re.findall(r"(\d+) :", line)]
    links = [(u, v, float(cost)) for u, v, _, cost in flow]
    mean = np.mean(trip_times(made, made.links.d + GAMMA * made.links.volume))
    assert mean_by_networkx(links, {"1", "2", "3"}, trips) == pytest.approx(mean, rel=1e-12)


number = st.floats(0, 1e9, allow_subnormal=False) | st.integers(0, 10**9).map(float)


@st.composite
def cities(draw):
    """Any network that TNTP files can hold, with links in the order of their ids."""
    n, m = draw(st.integers(2, 6)), draw(st.integers(2, 9))
    zones, closed = draw(st.integers(0, n)), draw(st.integers(0, n))
    every = np.arange(1, n + 1)

    def column(count, *, positive=False):
        values = draw(st.lists(number, min_size=count, max_size=count))
        return np.array(values) + positive

    def among(count):
        return np.array(
            draw(st.lists(st.sampled_from(every.tolist()), min_size=count, max_size=count))
        )

    tail, head, d, length = among(m), among(m), column(m, positive=True), column(m, positive=True)
    order = np.lexsort((length, d, head, tail))
    links = Links(
        np.arange(1, m + 1), tail[order], head[order], d[order], length[order], column(m),
        column(m), column(m, positive=True), column(m), np.full(m, np.nan),
    )  # fmt: skip
    pairs = draw(st.sets(st.tuples(*[st.sampled_from(every.tolist())] * 2), min_size=1))
    ends = np.array(sorted(pairs))
    nodes = Nodes(
        every, column(n), column(n), np.where(every <= zones, every, NO_ZONE), every <= closed
    )
    trips = Trips(ends[:, 0], ends[:, 1], column(len(ends)))
    return Roads(nodes, links, trips, tntp.UNITS, 0.5, "tntp")


@given(cities())
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_again(made):
    found = parsed(written(made))
    links = replace(made.links, cost=made.links.d + 0.5 * made.links.volume)
    if (made.links.capacity == 1).all():
        links = replace(links, capacity=np.full(len(links), np.nan))
    same(found, replace(made, links=links))
