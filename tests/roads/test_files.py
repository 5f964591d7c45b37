# SPDX-License-Identifier: MIT
"""Which files a source names: folders, single files, several networks in one place."""

import os

import pytest
from tests.roads.catalogue import CITIES
from tests.roads.test_graphml import city as graph
from tests.roads.test_tntp import SMALL

from pocin.errors import InputError
from pocin.kinds import kind_of
from pocin.roads.files import is_roads_source, read_roads

TNTP = {name: text.encode() for name, text in SMALL.items()}
FORMS = {"gmns": CITIES["block"], "tntp": TNTP, "graphml": graph()}


def folder(place, files):
    place.mkdir(exist_ok=True)
    for name, data in files.items():
        (place / name).write_bytes(data)
    return place


@pytest.mark.parametrize("form", FORMS)
def test_a_folder_and_every_file_in_it_name_the_network(tmp_path, form):
    place = folder(tmp_path / "city", FORMS[form])
    whole, published = read_roads(place)
    assert published is None
    assert kind_of(place).name == "roads"
    names = FORMS[form] if form != "graphml" else ["city.graphml"]
    for name in names:
        assert kind_of(place / name).name == "roads"
        again, _ = read_roads(place / name)
        assert again.links.volume.tobytes() == whole.links.volume.tobytes()


@pytest.mark.parametrize("form", ["gmns", "tntp"])
def test_names_in_capitals(tmp_path, form):
    files = {name.title().replace("Csv", "csv"): data for name, data in FORMS[form].items()}
    place = folder(tmp_path / "city", files)
    assert len(read_roads(place)[0].links) == len(read_roads(next(place.iterdir()))[0].links)


def test_several_networks_in_one_folder(tmp_path):
    place = folder(tmp_path / "city", TNTP)
    folder(place, {name.replace("City", "Town"): data for name, data in TNTP.items()})
    said = r"city: holds several networks \(City_net.tntp, Town_net.tntp\); name one of these files"
    with pytest.raises(InputError, match=said):
        read_roads(place)
    assert len(read_roads(place / "Town_net.tntp")[0].links) == 9
    assert len(read_roads(place / "Town_flow.tntp")[0].links) == 9
    (place / "Town_flow.tntp").unlink()
    with pytest.raises(InputError, match=r"has no file \*_flow.tntp with the traffic; add it"):
        read_roads(place / "Town_net.tntp")


def test_a_graph_with_tables_of_its_own_name(tmp_path):
    files = graph()
    own = {"city.graphml": files["city.graphml"], "city_traffic.csv": files["traffic.csv"],
           "city_trips.csv": files["trips.csv"]}  # fmt: skip
    place = folder(tmp_path / "city", {**own, "traffic.csv": b"", "trips.csv": b""})
    assert len(read_roads(place / "city.graphml")[0].links) == 6


def test_nodes_without_links_say_what_is_missing(tmp_path):
    place = folder(tmp_path / "city", {"node.csv": CITIES["block"]["node.csv"]})
    with pytest.raises(InputError, match=r"city/link.csv: is missing; a GMNS folder has node.csv"):
        read_roads(place)


@pytest.mark.parametrize("names", [[], ["notes.txt"], ["grid.m"], ["trips.csv"]])
def test_what_is_no_road_network(tmp_path, names):
    place = folder(tmp_path / "city", dict.fromkeys(names, b"x"))
    assert not is_roads_source(place)
    with pytest.raises(InputError, match="is no road network; name a folder of GMNS tables"):
        read_roads(place)
    with pytest.raises(InputError, match="is none of the networks that pocin reads"):
        kind_of(place)


def test_what_is_not_there(tmp_path):
    for name in ("city", "link.csv", "City_net.tntp", "city.graphml"):
        assert not is_roads_source(tmp_path / name)
        with pytest.raises(InputError, match="there is no such file and no built-in case"):
            kind_of(tmp_path / name)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_cannot_be_read(tmp_path):
    place = folder(tmp_path / "city", CITIES["block"])
    place.chmod(0)
    try:
        with pytest.raises(InputError, match=r"city: cannot be read \(Permission denied\)"):
            read_roads(place)
    finally:
        place.chmod(0o700)


def test_a_folder_in_the_place_of_a_table(tmp_path):
    place = folder(tmp_path / "city", {k: v for k, v in CITIES["block"].items() if "node" not in k})
    (place / "node.csv").mkdir()
    with pytest.raises(InputError, match=r"node.csv: this is a folder"):
        read_roads(place)
