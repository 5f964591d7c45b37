# SPDX-License-Identifier: MIT
"""Hostile files: little memory and time, one sentence with its place, and nothing left behind."""

from pathlib import Path

import pytest
from tests.conftest import RICH
from tests.faults.desks import SECRETS
from tests.faults.forge import MB, Forge
from tests.faults.hostile import CATALOGUE

MEMORY, SECONDS = 600 * MB, 8.0


DEAR = ("rows", "empty objects", "matpower 1000000 brackets", "json 1000000 objects")


@pytest.mark.parametrize(
    "name",
    [pytest.param(k, marks=[pytest.mark.slow] if k in DEAR else []) for k in CATALOGUE],
)
def test_a_hostile_file(name: str, forge: Forge, tmp_path: Path) -> None:
    """Address space is limited to twice as much, so that even a try to take more is seen."""
    hostile = CATALOGUE[name]
    hostile.put(tmp_path / "desk")
    fault = "water" if name.startswith("water") else "offline"
    before = {path.name for path in (tmp_path / "desk").iterdir()}
    ended = forge.run(
        *hostile.words, at=tmp_path / "desk", memory=4096 * MB, seconds=60, fault=fault
    )
    assert not ended.hung
    assert ended.peak < MEMORY
    assert ended.seconds < SECONDS
    if hostile.said is None:
        assert ended.code == 0, ended.err
        return
    assert ended.code in (2, 3), ended.err
    assert ended.out == ""
    assert ended.err.startswith("pocin: ")
    assert ended.err.count("\n") == 1
    assert hostile.said in ended.err
    assert len(ended.err) < 5_000
    assert not [secret for secret in SECRETS if secret in ended.err]
    assert {path.name for path in (tmp_path / "desk").iterdir()} == before


def test_a_file_that_changes_while_it_is_read(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "grid.m").write_bytes(RICH.read_bytes())
    ended = forge.run("solve", "grid.m", at=tmp_path, fault="changing", arguments=["grid.m"])
    assert ended.code == 3
    assert ended.err == "pocin: grid.m: was changed while it was read; try again once it is whole\n"


@pytest.mark.parametrize("name", ["node.csv", "link.csv", "demand.csv"])
def test_a_file_that_vanishes(forge: Forge, tmp_path: Path, name: str) -> None:
    CATALOGUE["bom in a table"].put(tmp_path / "desk")
    ended = forge.run("solve", "city", at=tmp_path / "desk", fault="vanishing", arguments=[name])
    assert ended.code == 3
    assert ended.err == f"pocin: city/{name}: there is no such file; check the path\n"


def test_memory_that_runs_out_is_a_sentence(forge: Forge, tmp_path: Path) -> None:
    """The limit is under what any solve takes."""
    (tmp_path / "grid.m").write_bytes(RICH.read_bytes() + 100_000_000 * b" ")
    mapped = forge.run("--version", at=tmp_path).mapped
    codes = set()
    for more in (10, 40, 80, 160):
        ended = forge.run("solve", "grid.m", at=tmp_path, memory=mapped + more * MB)
        codes.add(ended.code)
        if ended.code:
            assert ended.code == 1
            assert ended.err == (
                "pocin: memory ran out; close other programs, or give a smaller network\n"
            )
    assert 1 in codes
