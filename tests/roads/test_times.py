# SPDX-License-Identifier: MIT
"""Times of single trips: read from a table or computed, and what a release then promises."""

import numpy as np
import pytest
from tests.roads.catalogue import GAMMA, city, roads

from pocin import flow
from pocin.errors import InputError, UsageError
from pocin.plan import Request, plan
from pocin.roads import times
from pocin.roads.certificate import travel
from pocin.roads.forms import parse

TABLE = "o_zone_id,d_zone_id,time\n3,1,99\n1,3,88\n1,2,77.5\n2,3,66\n"


def table(tmp_path, text):
    (tmp_path / "times.csv").write_text(text)
    return str(tmp_path / "times.csv")


def choices(trip_times=None, reading="per-trip"):
    told = {"reading": reading, "trip_times": trip_times}
    return tuple((name, value) for name, value in told.items() if value is not None)


def test_zones_name_trips_as_in_the_demand(tmp_path):
    found = times.read(table(tmp_path, TABLE), roads("odd"))
    assert found.ends.tolist() == [[11, 12], [11, 13], [12, 13], [13, 11]]
    assert found.time.tolist() == [77.5, 88, 66, 99]
    trips = roads("odd").trips
    assert found.along(trips.take(np.array([3, 0]))).tolist() == [99, 77.5]
    by_node = TABLE.replace("zone", "node")
    for zone, node in (("\n3,1", "\n13,11"), ("\n1,3", "\n11,13"), ("\n1,2", "\n11,12"),
                       ("\n2,3", "\n12,13")):  # fmt: skip
        by_node = by_node.replace(zone, node)
    again = times.read(table(tmp_path, by_node), roads("odd"))
    assert again.ends.tolist() == found.ends.tolist()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE.replace("3,1,99\n", ""), "lacks the time of 1 trip, as from 13 to 11; add it"),
        (TABLE.replace("3,1,99", "1,3,99"), "row 3, column time: this trip stands twice"),
        (TABLE.replace("99", "-99"), "row 2, column time: expected a number from 0 to 1e+12"),
        (TABLE.replace("99", "nan"), "row 2, column time: expected a finite number"),
        (TABLE.replace("99", ""), "row 2, column time: expected a finite number"),
        (TABLE.replace("3,1", "9,1"), "row 2, column o_zone_id: no node has this zone"),
        (TABLE.replace("time", "minutes"), "has no column time; add it to the header"),
        (TABLE.replace("o_zone_id", "from"), "has no column o_zone_id; add it to the header"),
        ("", "is empty; give it a header and rows"),
    ],
)
def test_faults_are_one_sentence(tmp_path, text, said):
    with pytest.raises(InputError) as raised:
        times.read(table(tmp_path, text), roads("odd"))
    assert said in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path / "times.csv"))
    assert "99" not in str(raised.value).replace(str(tmp_path), "")


def test_no_such_table():
    with pytest.raises(InputError, match=r"gone\.csv: there is no such file; check the path"):
        times.read("gone.csv", roads("odd"))


def test_every_trip_keeps_its_own_time():
    network = city("block")
    made = flow.release(network, Request(beta=0.05, choices=choices("computed"), seed=2))
    real = times.computed(network.content, GAMMA)
    released = parse(made.document, "released")
    found = travel(released, GAMMA)
    own = real.along(released.trips)
    assert (np.abs(found - own) <= 0.05 * own).all()
    assert made.guarantee.figure.source == "computed"
    said = made.guarantee.statement
    assert "outside this bound: the shortest time of every trip." in said
    assert "gamma, the times of single trips, the sites of secret elements" in said
    assert b'"reading": "per-trip"' in made.document["release.json"]


def test_times_that_are_public_are_held_fixed(tmp_path):
    content = roads("odd")
    real = times.computed(content, GAMMA)
    zone = dict(zip(content.nodes.id.tolist(), content.nodes.zone.tolist(), strict=True))
    rows = [f"{zone[o]},{zone[d]},{t:.3g}" for (o, d), t in
            zip(real.ends.tolist(), real.time.tolist(), strict=True)]  # fmt: skip
    given = table(tmp_path, "\n".join(["o_zone_id,d_zone_id,time", *rows[::-1]]))
    made = plan(city("odd"), Request(choices=choices(given)))
    assert made.guarantee.figure.source == "declared"
    assert made.guarantee.figure.exact == ()
    assert "the times of single trips" in made.guarantee.statement
    assert made.known_figure() == pytest.approx(real.time.mean(), rel=0.01)


def test_times_that_empty_roads_exceed_are_refused_before_the_spend(tmp_path):
    hours = TABLE.replace("77.5", "0.7").replace("88", "1e-3")
    said = r"--trip-times: 1 of 4 trips take over beta .* check the unit \(the network's is min"
    with pytest.raises(UsageError, match=said):
        plan(city("odd"), Request(choices=choices(table(tmp_path, hours))))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (choices(), "--reading per-trip: ties each trip to its own time"),
        (choices("computed", "total"), "--trip-times: are the figures of --reading per-trip"),
        (choices("computed", None), "--trip-times: are the figures of --reading per-trip"),
        (choices(None, "each"), "--reading: expected total or per-trip"),
    ],
)
def test_what_does_not_go_together(asked, said):
    with pytest.raises(UsageError, match=said):
        plan(city("block"), Request(choices=asked, seed=0))
