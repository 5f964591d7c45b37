# SPDX-License-Identifier: MIT
"""Pages and figures of releases that lack something: a record, a value, a share."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import Ended

from pocin.report.html import NONE, percent, plural
from pocin.report.maps import Map
from pocin.report.released import read_released


def copy_of(releases: dict[str, Path], case: str, folder: Path, *, record: bool = True) -> Path:
    """Copy a release, with or without the curator's record."""
    source = releases[case]
    copy = shutil.copytree if source.is_dir() else shutil.copy
    copy(source, folder / source.name)
    for suffix in (".release.json", ".curator.json"):
        beside = source.with_name(source.name + suffix)
        if beside.exists() and (record or "curator" not in suffix):
            shutil.copy(beside, folder)
    return folder / source.name


def changed(path: Path, **entries: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


@pytest.mark.parametrize("case", ["ieee14", "siouxfalls"])
def test_a_curators_page_without_a_record(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path, case: str
) -> None:
    source = copy_of(releases, case, desk, record=False)
    assert pocin("report", source, "-o", "a.html", "--quiet").code == 0
    page = (desk / "a.html").read_text()
    assert "No curator's record stands beside this release: moves are not drawn." in page
    assert "What moved where" not in page


def test_a_record_whose_lists_differ_is_refused(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    source = copy_of(releases, "ieee14", desk)
    record = desk / "ieee14.m.curator.json"
    values = json.loads(record.read_text())["values"]
    changed(record, values={**values, "noisy": values["noisy"][1:]})
    ended = pocin("report", source, "-o", "a.html", "--quiet")
    assert ended.code == 3
    assert "its lists are not of one length; make the release again" in ended.err


def test_a_statement_that_is_no_object_is_refused(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    source = copy_of(releases, "ieee14", desk)
    (desk / "ieee14.m.release.json").write_text("[]")
    ended = pocin("report", source, "-o", "a.html", "--quiet")
    assert ended.code == 3
    assert "is not an object" in ended.err


def test_a_release_in_which_nothing_stands(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    source = copy_of(releases, "siouxfalls", desk, record=False)
    with (source / "link.csv").open() as file:
        rows = list(csv.DictReader(file))
    with (source / "link.csv").open("w") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows({**row, "volume": 0} for row in rows)
    made = Map.of(read_released(source).drawing)
    assert (made.levels == 0).all()
    assert made.steps == []
    assert len(made.breaks) == 0
    assert pocin("report", source, "-o", "a.html", "--public", "--quiet").code == 0
    assert "Nothing of any size stands in this file." in (desk / "a.html").read_text()


def test_findings_that_only_report_and_attacks_without_shares(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    source = copy_of(releases, "ieee14", desk)
    words = ("attack", "ieee14", source, "--budget", "1", "--json", "--quiet")
    attack = json.loads(pocin(*words).out)
    finding = {"gate": "told apart", "passed": None, "sentence": "nothing to tell"}
    held = {"gate": "leaks", "passed": True, "sentence": "nothing is left"}
    (desk / "audit.json").write_text(
        json.dumps({"source": "ieee14", "passed": True, "findings": [finding, held]})
    )
    pages = []
    for share in (True, False):
        for budget in attack["budgets"]:
            for hit in budget["rankings"].values():
                if not share:
                    hit.pop("share", None)
        (desk / "attack.json").write_text(json.dumps(attack))
        words = ("--attack", "attack.json", "--audit", "audit.json", "--quiet", "--force")
        ended = pocin("report", source, "-o", "a.html", *words)
        assert (ended.code, ended.err) == (0, "")
        pages.append((desk / "a.html").read_text())
    assert all("1 of 1 gates hold" in page for page in pages)
    assert all(">reports<" in page for page in pages)
    told = [page.count("Share of the informed attacker") for page in pages]
    assert told[0] > 0
    assert told[1] == 0


def test_figures_of_roads_and_without_a_record(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    pytest.importorskip("matplotlib")
    source = copy_of(releases, "siouxfalls", desk, record=False)
    ended = pocin("figures", source, "-o", "drawn", "--form", "svg", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    drawn = {file.stem for file in (desk / "drawn").iterdir()}
    assert drawn
    assert not drawn & {"truth", "attacks"}
    ended = pocin("figures", source, "-o", "no", "--public", "--attack", "x.json", "--quiet")
    assert ended.code == 2
    assert "--attack: compares with the real network" in ended.err
    assert not (desk / "no").exists()


def test_words_for_numbers() -> None:
    assert percent(None) == percent(float("nan")) == percent(np.inf) == NONE
    assert percent(-0.25) == "\N{MINUS SIGN}25 %"
    assert [plural(n, "branch") for n in (1, 2)] == ["1 branch", "2 branches"]
