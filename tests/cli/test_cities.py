# SPDX-License-Identifier: MIT
"""Making a city at the command line."""

import numpy as np

from pocin.roads.city import make_city
from pocin.roads.files import read_roads

MAKE = ["cases", "make-city", "--quiet", "--links=300", "--trips=50", "--seed=4", "-o", "city"]


def test_help(pocin):
    ended = pocin("cases", "make-city", "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Usage: pocin cases make-city -o PATH")


def test_the_written_city_is_the_one_made(pocin):
    ended = pocin(*MAKE)
    assert (ended.code, ended.err) == (0, "")
    made, read = make_city(300, 50, 4), read_roads("city")[0]
    assert ended.out == f"city: {len(made.nodes)} nodes, 300 links, 50 trips, gamma {made.gamma}\n"
    assert read.units == made.units
    assert read.gamma == made.gamma
    for name in ("nodes", "links", "trips"):
        ours, theirs = vars(getattr(made, name)), vars(getattr(read, name))
        for column in ours.keys() - {"cost"}:
            np.testing.assert_array_equal(ours[column], theirs[column], err_msg=column)


def test_the_same_words_write_the_same_bytes(pocin, desk):
    pocin(*MAKE)
    pocin(*MAKE[:-1], "twin")
    for file in (desk / "city").iterdir():
        assert file.read_bytes() == (desk / "twin" / file.name).read_bytes()


def test_nothing_is_written_over(pocin, desk):
    (desk / "city").mkdir()
    ended = pocin(*MAKE)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "pocin: city: stands already; choose another name\n"
    assert not list((desk / "city").iterdir())


def test_a_city_that_cannot_be_is_refused(pocin, desk):
    ended = pocin("cases", "make-city", "--links", "3", "-o", "city")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "pocin: --links 3: a city needs at least 40\n"
    assert not (desk / "city").exists()
