# SPDX-License-Identifier: MIT
"""A study that is ended at every step, or has no room: what was measured stays, once."""

import itertools
import signal
from pathlib import Path

import polars as pl
import pytest
from tests.faults.forge import Forge

from pocin.study.store import read

STUDY = """
title = "Tiny"
[[grid]]
name = "tiny"
case = "ieee14"
alpha_location = "10%"
beta = [0.01, 0.1]
runs = 2
sites = true
"""
WORDS = ("study", "tiny.toml", "-o", "results", "--quiet")
TABLES = ("releases", "sites")


@pytest.fixture(scope="module")
def whole(forge: Forge, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """What the study gives when nothing comes between."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "tiny.toml").write_text(STUDY, "utf-8")
    ended = forge.run(*WORDS, at=folder, fault="study_at_step", arguments=[0, ""])
    assert ended.code == 0, ended.err
    return {table: read(folder / "results", table) for table in TABLES}


def check_again(folder: Path, whole: dict[str, pl.DataFrame], forge: Forge) -> None:
    """Assert that the next run brings the study to the same end, each release once."""
    again = forge.run(*WORDS, at=folder, fault="study_at_step", arguments=[0, ""])
    assert again.code == 0, again.err
    for table, wanted in whole.items():
        assert read(folder / "results", table).equals(wanted, null_equal=True)
    assert (folder / "results" / "releases.csv").stat().st_size
    left = [path.name for path in (folder / "results").rglob(".*")]
    assert len(left) <= 1, left  # a part that a kill left half written, which is never read


def killed_at(
    forge: Forge, whole: dict[str, pl.DataFrame], folder: Path, sign: str, stride: int
) -> int:
    """End a study at each step, and count the steps."""
    for at in itertools.count(1, stride):
        place = folder / str(at)
        place.mkdir()
        (place / "tiny.toml").write_text(STUDY, "utf-8")
        ended = forge.run(*WORDS, at=place, fault="study_at_step", arguments=[at, sign])
        assert "Traceback" not in ended.err
        if ended.code == 0:
            return at
        assert ended.code == (-signal.SIGKILL if sign == "SIGKILL" else 130), ended.err
        check_again(place, whole, forge)
    raise AssertionError


@pytest.mark.parametrize("sign", ["SIGKILL", pytest.param("SIGINT", marks=pytest.mark.slow)])
def test_ended_at_steps(
    forge: Forge, whole: dict[str, pl.DataFrame], tmp_path: Path, sign: str
) -> None:
    assert killed_at(forge, whole, tmp_path, sign, 61) > 61


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("sign", ["SIGKILL", "SIGINT"])
def test_ended_at_every_step(
    forge: Forge, whole: dict[str, pl.DataFrame], tmp_path: Path, sign: str
) -> None:
    assert killed_at(forge, whole, tmp_path, sign, 1) > 50


@pytest.mark.parametrize("most", [14_000, 40_000])
def test_no_file_may_grow(
    forge: Forge, whole: dict[str, pl.DataFrame], tmp_path: Path, most: int
) -> None:
    """The journal, its log, the parts, the tables and the figures: each finds no room in turn."""
    (tmp_path / "tiny.toml").write_text(STUDY, "utf-8")
    ended = forge.run(*WORDS, at=tmp_path, fault="small_study", arguments=[most])
    if ended.code:
        assert ended.code in (1, 2, 3)
        assert "Traceback" not in ended.err
        assert "internal error" not in ended.err
    check_again(tmp_path, whole, forge)
