# SPDX-License-Identifier: MIT
"""``pocin audit``: what it prints, when it ends with 6, and files that pocin did not write."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.audit.catalogue import peeking

from pocin import api
from pocin.audit import apart, bounds, fit, inspect
from pocin.audit.blindness import blindness
from pocin.power.matpower import format_matpower

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def fewer(monkeypatch):
    """Fewer draws: the gates themselves are tested elsewhere."""
    monkeypatch.setattr(fit, "SITE_DRAWS", 1_000)
    monkeypatch.setattr(fit, "VALUE_DRAWS", 2_000)
    monkeypatch.setattr(bounds, "PAIR_RUNS", 1_000)
    monkeypatch.setattr(bounds, "RUNS", 200)
    monkeypatch.setattr(apart, "SHUFFLES", 50)


def told(ended):
    return json.loads(ended.out)


def leaks_of(ended, name):
    (found,) = [
        f
        for f in told(ended)["findings"]
        if f["figures"].get("leaks") is not None and f["figures"]["file"] == name
    ]
    return found


def test_a_sound_audit(pocin, desk: Path) -> None:
    ended = pocin("audit", "ieee14", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert "9 of 9 gates hold" in ended.out
    assert "mechanism softmax, policy derived" in ended.out
    assert "FAIL" not in ended.out
    assert not (desk.parent / "state").exists()  # nothing is spent


def test_a_file_that_is_not_there_is_told_at_once(pocin, monkeypatch) -> None:
    monkeypatch.setattr(inspect, "_mechanism", None)  # the gates, which take their time
    ended = pocin("audit", "ieee14", "nowhere.m")
    assert ended.code == 3
    assert ended.err == "pocin: nowhere.m: there is no such file; check the path\n"


def test_json(pocin) -> None:
    ended = pocin(
        "audit", "ieee14", "--json", "--quiet", "--epsilon", "0.5", "--alpha-location", "3hops"
    )
    assert ended.code == 0
    found = told(ended)
    assert found["claimed"] == {
        "epsilon_location": 0.5,
        "alpha_location_hops": 3.0,
        "epsilon_value": 0.5,
        "alpha_value_MW": 10.0,
        "mechanism": "softmax",
        "policy": "derived",
    }
    assert found["passed"] is True
    assert {"gate", "passed", "sentence", "figures"} == set(found["findings"][0])
    assert {f["passed"] for f in found["findings"]} == {True, None}


def test_another_mechanism(pocin) -> None:
    ended = pocin("audit", "ieee14", "--mechanism", "permutation", "--json", "--quiet")
    assert told(ended)["claimed"]["mechanism"] == "permutation"
    assert ended.code == 0
    assert pocin("audit", "ieee14", "--mechanism", "swap").code == 2


def test_a_gate_that_fails_ends_with_6(pocin, monkeypatch) -> None:
    monkeypatch.setattr(inspect, "blindness", partial(blindness, finish=peeking))
    ended = pocin("audit", "ieee14", "--quiet")
    assert ended.code == 6
    assert "the audit failed: truth-blindness" in ended.err
    assert "FAIL  truth-blindness" in ended.out
    assert "8 of 9 gates hold" in ended.out
    as_object = pocin("audit", "ieee14", "--quiet", "--json")
    assert as_object.code == 6
    assert told(as_object)["passed"] is False


# ------------------------------------------------------------------ files that pocin did not write


def foreign(grid, **changes) -> str:
    """Somebody's anonymised grid: capacities changed by a tenth, all else as it was."""
    rng = np.random.default_rng(1)
    units = grid.units
    noisy = units.pmax * (1 + rng.uniform(-0.1, 0.1, len(units)))
    return format_matpower(replace(grid, units=replace(units, pmax=noisy), **changes), (), "case")


def test_what_another_tool_left_in(pocin, desk: Path) -> None:
    """Q limits, dispatch, set points and a comment: all that pocin's policy takes away."""
    grid = api.read("rich.m").content
    comment = (desk / "rich.m").read_text().splitlines()[1]
    (desk / "theirs.m").write_text(foreign(grid) + comment + "\n")
    ended = pocin("audit", "rich.m", "theirs.m", "--json", "--quiet", "--alpha-location", "2hops")
    assert ended.code == 6
    assert "the audit failed: leaks" in ended.err
    text = leaks_of(ended, "theirs.m")["sentence"]
    for part in ("comments", "gen.Pg", "gen.Qg", "gen.Qlimits", "gen.Pmin", "out of service"):
        assert part in text, text
    assert "river" not in text  # it echoes nothing
    (apart_from,) = [
        f["figures"]
        for f in told(ended)["findings"]
        if f["gate"] == "told apart" and f["figures"]["file"] == "theirs.m"
    ]
    assert apart_from["rank_correlation"] == 1
    assert apart_from["auc"] == 1


def test_values_that_were_not_changed(pocin, desk: Path) -> None:
    grid = api.read("ieee57").content
    (desk / "theirs.m").write_text(format_matpower(grid, (), "case"))
    ended = pocin("audit", "ieee57", "theirs.m", "--json", "--quiet")
    assert "4 of 4 secret values stand unchanged" in leaks_of(ended, "theirs.m")["sentence"]


def test_sites_that_are_missing(pocin, desk: Path) -> None:
    """Another tool may drop a unit; the rest is compared."""
    grid = api.read("ieee57").content
    keep = grid.units.bus != 8
    smaller = replace(grid, units=grid.units.take(keep), costs=grid.costs.take(keep))
    (desk / "theirs.m").write_text(foreign(smaller))
    ended = pocin("audit", "ieee57", "theirs.m", "--json", "--quiet")
    found = leaks_of(ended, "theirs.m")
    assert found["figures"]["missing_sites"] == 1
    assert "1 of 4 sites are not in it" in found["sentence"]


def test_a_release_of_its_own(pocin) -> None:
    assert pocin("release", "ieee14", "-o", "out.m", "--research", "--quiet").code == 0
    ended = pocin("audit", "ieee14", "out.m", "--json", "--quiet")
    assert ended.code == 0
    assert leaks_of(ended, "out.m")["passed"] is True


def test_what_cannot_be_read_is_a_sentence(pocin, desk: Path) -> None:
    (desk / "bad.m").write_text("not a grid")
    assert pocin("audit", "ieee14", "bad.m", "--quiet").code == 3
    assert pocin("audit", "ieee14", "none.m", "--quiet").code == 3
