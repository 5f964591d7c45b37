# SPDX-License-Identifier: MIT
"""The explorer: its figures are the study's, its commands make the study's releases."""

import json
import shlex
import shutil
import stat
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from tests.report.exploring import embedded, journal

from pocin import api, flow
from pocin.cli import run
from pocin.report.explore import explorer
from pocin.report.explored import COMPUTED, FILES, NO_FIGURE
from pocin.study import extras
from pocin.study.command import command
from pocin.study.points import Point, Points, points
from pocin.study.prepared import request
from pocin.study.store import read
from pocin.study.task import Settings

NOT_OF_A_POINT = {"task", "run", "seed"}


@pytest.fixture(scope="session")
def folder(study_folder: Path) -> Path:
    return study_folder


@pytest.fixture(scope="session")
def found(folder: Path) -> Points:
    return points(folder)


@pytest.fixture(scope="session")
def data(found: Points) -> dict:
    return embedded(explorer(found, "small"))


class Asked(Exception):  # noqa: N818
    """Carries what the command line asks for, and ends it."""


@pytest.fixture
def asked(pocin, monkeypatch):
    """Return what a printed command asks for: it is parsed by the command line itself."""
    caught = []

    def release(network, asked_for, **_):
        caught.append((network.name, asked_for))
        raise KeyboardInterrupt

    monkeypatch.setattr(flow, "release", release)

    def of(line: str):
        name, *words = shlex.split(line)
        assert name == "pocin"
        ended = pocin(*words, "--quiet")
        assert caught, ended.err
        return caught.pop()

    return of


def rows_of(table, point: Point):
    """Return a study's rows of a point, by their settings."""
    told = {field.name: getattr(point.settings, field.name) for field in fields(Settings)}
    return [
        row
        for row in table.iter_rows(named=True)
        if all(row[name] == value for name, value in told.items())
    ]


def test_every_release_is_in_one_point(found: Points, folder: Path) -> None:
    releases = read(folder)
    assert found.releases == len(releases) == 28
    assert len(found.points) == 10
    assert sum(len(rows_of(releases, point)) for point in found.points) == 28


def test_means_and_errors_are_of_the_rows(found: Points, folder: Path) -> None:
    releases = read(folder)
    checked = 0
    for point in found.points:
        rows = rows_of(releases, point)
        good = [row for row in rows if row["outcome"] == "faithful"]
        assert (point.runs, point.faithful) == (len(rows), len(good))
        for name, read_row in {
            "gap": lambda row: row["gap"],
            "gap_size": lambda row: abs(row["gap"]),
            "distance": lambda row: row["distance"],
            "mean_hops": lambda row: row["mean_hops"],
        }.items():
            values = [read_row(row) for row in good if read_row(row) is not None]
            mean = point.means.get(name)
            if not values:
                assert mean is None
                continue
            error = np.std(values, ddof=1) / np.sqrt(len(values))
            assert mean.n == len(values)
            assert mean.value == pytest.approx(np.mean(values))
            assert mean.error == pytest.approx(error, rel=1e-9, abs=1e-12)
            checked += 1
    assert checked >= 32


def test_of_the_ways_of_an_attacker_the_better_counts(found: Points, folder: Path) -> None:
    attacks = read(folder, "attacks")
    several = 0
    for point in found.points:
        rows = rows_of(attacks, point)
        for (budget, ranking), hit in point.hits.items():
            mine = [r for r in rows if (r["budget"], r["ranking"]) == (budget, ranking)]
            if ranking == "residual":
                mine = [row for row in mine if row["variant"] == "best"]
            ways = {row["variant"] for row in mine}
            several += len(ways) > 1
            means = [np.mean([r["damage"] for r in mine if r["variant"] == way]) for way in ways]
            assert hit.damage.value == pytest.approx(max(means))
    assert several
    assert {ranking for point in found.points for _, ranking in point.hits} == {
        "random",
        "public",
        "obfuscated",
        "residual",
        "informed",
    }


def test_the_page_holds_what_the_points_say(found: Points, data: dict) -> None:
    dials = {dial["name"]: dial for dial in data["dials"]}
    assert set(dials) >= {"case", "policy", "beta", "reading", "epsilon_location"}
    assert "mechanism" not in dials  # the same in all
    assert data["budgets"] == ["10%", "60%"]
    for i, point in enumerate(found.points):
        beta = dials["beta"]["values"][dials["beta"]["at"][i]]
        assert float(beta) == point.settings.beta
        gap = point.means.get("gap")
        assert data["means"]["gap"]["v"][i] == (
            None if gap is None else pytest.approx(100 * gap.value, rel=1e-4)
        )
        for b, budget in enumerate(data["budgets"]):
            hit = point.hits.get((budget, "obfuscated"))
            assert data["hits"][b]["obfuscated"]["v"][i] == (
                None if hit is None else pytest.approx(hit.damage.value, rel=1e-4)
            )
        within = None if point.within is None else 100 * point.within.value
        assert data["means"]["within"]["v"][i] == within


def test_the_printed_commands_ask_for_what_the_study_did(
    found: Points, data: dict, asked, folder: Path
) -> None:
    for i, point in enumerate(found.points):
        if point.refused:
            continue
        wanted = request(point.settings, str(folder.parent))
        name, private = asked(data["draw"][i])
        assert name == point.settings.case
        assert private == replace(wanted, seed=None)
        _, research = asked(f"{data['draw'][i]} {data['repeat'][i]}")
        assert research == replace(wanted, seed=point.seed)


EVERY = (
    Settings("ieee14", epsilon_location="1/3", epsilon_value="1/3"),
    Settings("ieee14", epsilon_location="0.5", epsilon_value="2", alpha_location="1%nodes"),
    Settings("ieee14", mechanism="permutation", alpha_location="25%", alpha_value="0.1pu"),
    Settings("ieee14", policy="site", pmin_ratio=0.1, beta=1e-05),
    Settings("ieee14", model="dc", cost_figure="2051.5"),
    Settings("ieee14", cost_figure="computed", policy="my own.toml"),
    Settings("ieee14", cost_epsilon="0.25"),
    Settings("siouxfalls", reading="per-trip", trip_times="my times.csv", alpha_value="50veh"),
    Settings("siouxfalls", policy="demand", gamma="0.02"),
)


@pytest.mark.parametrize("settings", EVERY, ids=str)
def test_every_setting_is_a_flag(settings: Settings, asked, desk: Path) -> None:
    trips = api.read("siouxfalls").content.trips
    rows = [f"{a},{b},9" for a, b in zip(trips.origin, trips.destination, strict=True)]
    (desk / "my times.csv").write_text("\n".join(["o_zone_id,d_zone_id,time", *rows]))
    words = command(settings, "out.m" if settings.case == "ieee14" else "out", 2**61)
    _, found = asked(shlex.join(words))
    expected = request(settings, "")
    assert found == replace(expected, seed=2**61)


def test_every_field_of_the_settings_is_in_a_command() -> None:
    plain = command(Settings("ieee14"), "out.m")
    other = {
        "case": "ieee30",
        "mechanism": "permutation",
        "epsilon_location": "7",
        "epsilon_value": "7",
        "beta": 0.7,
        "pmin_ratio": 0.7,
    }
    for field in fields(Settings):
        changed = replace(Settings("ieee14"), **{field.name: other.get(field.name, "seven")})
        said = command(changed, "out.m")
        assert (said is None) if field.name == "fault" else (said != plain), field.name


def test_the_repeated_release_is_the_studys(found: Points, folder: Path, pocin) -> None:
    releases = read(folder)
    point = next(p for p in found.points if p.settings.case == "ieee57" and p.faithful)
    row = next(row for row in rows_of(releases, point) if row["run"] == point.run)
    _, *words = shlex.split(shlex.join(command(point.settings, "again.m", point.seed)))
    made = json.loads(pocin(*words, "--json", "--quiet").out)
    assert made["cost"]["own_optimum"] == pytest.approx(row["own_optimum"], rel=1e-9)
    assert made["fidelity"]["distance"] == pytest.approx(row["distance"], abs=1e-9)


def test_what_a_command_needs_beside_is_told(found: Points) -> None:
    base = found.points[0]

    def notes(**changed) -> set[str]:
        one = replace(base, settings=replace(Settings("ieee14"), **changed))
        told = embedded(explorer(Points((one,), found.budgets), "x"))
        return {told["notes"][k] for k in told["note"][0]}

    assert notes() == set()
    assert notes(case="mygrid.m") == {NO_FIGURE, FILES}
    assert notes(case="mygrid.m", cost_figure="100") == {FILES}
    assert notes(model="dc") == {NO_FIGURE}
    assert notes(model="dc", cost_epsilon="1") == set()
    assert notes(policy="mine.toml") == {FILES}
    assert notes(case="siouxfalls", reading="per-trip", trip_times="computed") == {COMPUTED}


def test_a_fault_has_no_command(found: Points) -> None:
    faulty = replace(
        found.points[0], settings=replace(found.points[0].settings, fault="condensers")
    )
    told = embedded(explorer(Points((faulty, found.points[1]), found.budgets), "x"))
    assert told["draw"][0] is None
    assert told["repeat"][0] is None


def test_refusals_are_points_with_their_reason(found: Points, data: dict) -> None:
    refused = [i for i, point in enumerate(found.points) if point.refused]
    assert len(refused) == 1
    (i,) = refused
    assert "--trip-times" in data["reasons"][data["reason"][i]]
    assert data["means"]["gap"]["v"][i] is None


def test_no_text_breaks_out_of_the_page(found: Points) -> None:
    bad = "</script><script>alert(1)</script>&\u2028'\"<b>"
    named = replace(
        found.points[0], settings=replace(found.points[0].settings, case=bad), reason=bad
    )
    page = explorer(Points((named, found.points[1]), found.budgets), bad)
    assert "<script>alert" not in page
    assert "<b>" not in page
    assert embedded(page)["dials"][0]["values"].count(bad) == 1


def test_the_page_asks_for_nothing(found: Points) -> None:
    page = explorer(found, "small")
    assert "default-src &#x27;none&#x27;" in page
    for word in ("src=", "@import", "url(http", 'href="http', "fetch(", "XMLHttpRequest"):
        assert word not in page


def test_the_page_is_the_curators(pocin, folder: Path, desk: Path) -> None:
    ended = pocin("explore", folder, "-o", "page.html", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "page.html: for the curator alone\n"
    assert stat.S_IMODE((desk / "page.html").stat().st_mode) == 0o600
    page = (desk / "page.html").read_text("utf-8")
    assert page.count("Curator&#x27;s copy") + page.count("Curator's copy") >= 3
    assert 'class="m-curator"' in page
    again = pocin("explore", folder, "-o", "page.html")
    assert again.code == 2
    assert "page.html" in again.err
    assert pocin("explore", folder, "-o", "page.html", "--force", "--quiet").code == 0
    assert (desk / "page.html").read_text("utf-8") == page


def test_the_same_results_give_the_same_bytes(found: Points, folder: Path) -> None:
    assert explorer(points(folder), "small") == explorer(found, "small")


def test_the_folder_of_the_papers_study_is_found(pocin, folder: Path, desk: Path) -> None:
    assert folder.name == "results"
    assert pocin("explore", folder.parent, "-o", "page.html", "--quiet").code == 0
    assert (desk / "page.html").exists()


def test_a_missing_extra_is_one_sentence(pocin, folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _: None)
    ended = pocin("explore", folder, "-o", "page.html")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "pip install 'pocin[study]'" in ended.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nowhere", "-o", "page.html"), 3, "holds no study"),
        (("rich.m", "-o", "page.html"), 3, "holds no study"),
        ((".", "-o", "page.html"), 3, "holds no study"),
        (("empty", "-o", "page.html"), 3, "no release was measured yet"),
        (("killed", "-o", "page.html"), 3, "7 of its releases are in its journal only"),
        (("damaged", "-o", "page.html"), 3, "holds a file that is no table of a study"),
        (("empty", "-o", "page.txt"), 2, "name it page.html"),
        (("empty",), 2, "-o requires an argument"),
        (("-o", "page.html"), 2, "explore --help"),
    ],
)
def test_errors_are_sentences(pocin, desk: Path, words, code, said) -> None:
    for name, held in (("empty", 0), ("killed", 7), ("damaged", 0)):
        (desk / name / "releases").mkdir(parents=True)
        journal(desk / name, held)
    (desk / "damaged" / "releases" / "part-00000.parquet").write_bytes(b"PAR1 this is none")
    ended = pocin("explore", *words)
    assert ended.code == code, ended.err
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert "Traceback" not in ended.err
    assert not (desk / "page.html").exists()


def test_a_half_finished_study_says_so(pocin, folder: Path, desk: Path) -> None:
    half = shutil.copytree(folder, desk / "half")
    journal(half, 3)
    ended = pocin("explore", half, "-o", "page.html")
    assert ended.code == 0
    assert "is not finished" in ended.err
    assert "3 of its releases" in (desk / "page.html").read_text("utf-8")


def test_pocin_help_knows_it() -> None:
    assert run(["explore", "--help"]) == 0
