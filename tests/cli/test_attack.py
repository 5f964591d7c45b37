# SPDX-License-Identifier: MIT
"""``pocin attack``: what it prints, and what it refuses."""

import json
import shutil

import pytest

from pocin import api
from pocin.attack import RANKINGS


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Three releases of a small grid in a folder, and one of roads."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "all").mkdir()
    for seed in range(3):
        api.write(api.release(api.read("ieee30"), seed=seed), folder / "all" / f"r{seed}.m")
    api.write(api.release(api.read("siouxfalls"), seed=0), folder / "city")
    return folder


@pytest.fixture
def grids(made, desk):
    """Put the releases on the desk."""
    shutil.copytree(made, desk, dirs_exist_ok=True)
    return desk / "all"


def test_json(pocin, grids):
    ended = pocin("attack", "ieee30", grids, "--budget", "50%,2", "--draws", 5, "--json", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    told = json.loads(ended.out)
    assert (told["network"], told["releases"], told["elements"]) == ("ieee30", 3, 2)
    assert told["unit"] == "$/h"
    assert "curator" in told["warning"]
    assert [(at["budget"], at["k"]) for at in told["budgets"]] == [("50%", 1), ("2", 2)]
    for at in told["budgets"]:
        assert list(at["rankings"]) == list(RANKINGS)
        for found in at["rankings"].values():
            assert {"damage", "se", "share", "objective_difference", "robustness"} <= set(found)
    informed = told["budgets"][0]["rankings"]["informed"]
    assert (informed["share"], informed["se"], informed["hits_top"]) == (1.0, 0.0, 1.0)
    residual = told["budgets"][0]["rankings"]["residual"]
    assert 0 < residual["p"] <= 1
    assert residual["runs"] == 3
    # with both units hit it does not matter who hit them
    assert len({found["damage"] for found in told["budgets"][1]["rankings"].values()}) == 1


def test_one_release_has_no_standard_error(pocin, grids):
    words = ("--budget", "1", "--draws", 2, "--json", "--quiet")
    told = json.loads(pocin("attack", "ieee30", grids / "r0.m", *words).out)
    assert told["budgets"][0]["rankings"]["obfuscated"]["se"] is None


def test_the_same_twice(pocin, grids):
    words = ("attack", "ieee30", grids / "r1.m", "--budget", "1", "--draws", 3, "--json", "--quiet")
    assert pocin(*words).out == pocin(*words).out


def test_a_table_for_people(pocin, grids):
    ended = pocin("attack", "siouxfalls", "city", "--budget", "10,20", "--draws", 5, "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert grids.exists()
    heads = [line.split() for line in ended.out.splitlines() if line.split()[:1] == ["budget"]]
    assert heads == [["budget", "hit", *RANKINGS]] * 4
    assert "Increase of the time of all drivers" in ended.out
    assert "links take 10 times as long" in ended.out
    assert "p = " in ended.out
    assert ended.out.rstrip().endswith("it is for you alone, not for publication.")


def test_slowdown(pocin, grids):
    assert grids.exists()
    words = ("--budget", "10", "--draws", 2, "--json", "--quiet")
    found = [
        json.loads(pocin("attack", "siouxfalls", "city", "--slowdown", factor, *words).out)
        for factor in ("2", "20")
    ]
    weak, strong = (told["budgets"][0]["rankings"]["informed"]["damage"] for told in found)
    assert 0 < weak < strong


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ieee30"], 2, "RELEASED: name at least one"),
        (["ieee30", "all/r0.m", "--budget", "3"], 2, "--budget 3: there are 2 units to hit"),
        (["ieee30", "all/r0.m", "--budget", "0%"], 2, "--budget 0%: expected"),
        (["ieee30", "all/r0.m", "--draws", "0"], 2, "--draws: expected"),
        (["ieee30", "all/r0.m", "--slowdown", "3"], 2, "--slowdown: is for roads"),
        (["siouxfalls", "city", "--slowdown", "1"], 2, "--slowdown: expected a number above 1"),
        (["ieee30", "nothing.m"], 3, "nothing.m: there is no such file"),
        (["ieee14", "all/r0.m"], 3, "r0.m: its buses are not those of ieee14; name a release of"),
        (["ieee30", "city"], 3, "city: holds no file *.m; name the released files"),
        (["siouxfalls", "all/r0.m"], 3, "r0.m: is a power network and siouxfalls is roads"),
    ],
)
def test_refusals(pocin, grids, words, code, said):
    assert grids.exists()
    ended = pocin("attack", *words, "--quiet")
    assert (ended.code, ended.out) == (code, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
