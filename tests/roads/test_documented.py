# SPDX-License-Identifier: MIT
"""docs/roads.md is true: its program runs, its tables are those of the code."""

import contextlib
import io
import re
from pathlib import Path

import pytest

from pocin.policy import Treatment
from pocin.roads.kind import ROADS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "roads.md").read_text("utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)[1]


def test_the_program_for_readers_finds_what_solve_prints(pocin, desk):
    assert pocin("release", "siouxfalls", "-o", "released", "--quiet").code == 0
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(block("python"), {})  # noqa: S102
    assert float(shown.getvalue()) == pytest.approx(float(pocin("solve", "released").out), rel=1e-9)
    assert (desk / "released").is_dir()


def test_the_policy_can_be_used(tmp_path):
    (tmp_path / "own.toml").write_text(block("toml"))
    made = ROADS.book.find(str(tmp_path / "own.toml"))
    assert made["link.capacity"] is Treatment.PUBLIC
    assert made.constants["cap"] == 20_000


def test_the_network_json_can_be_used(pocin, desk):
    make = "cases make-city --links 60 --trips 9 -o city --quiet"
    assert pocin(*make.split()).code == 0
    (desk / "city" / "network.json").write_text(block("json"))
    assert pocin("solve", "city").code == 0


def test_the_table_of_policies_is_that_of_the_code():
    for column, treatment in (
        ("demand.volume", Treatment.DROPPED),
        ("link.capacity", Treatment.DROPPED),
        ("link.b,power", Treatment.DROPPED),
        ("node.coordinates", Treatment.PUBLIC),
        ("link.length", Treatment.PUBLIC),
    ):
        assert ROADS.book.find("pairs")[column] is treatment
        assert ROADS.book.find("demand")[column] is Treatment.PUBLIC
    assert ROADS.book.find("pairs").constants["cap"] == 50_000
