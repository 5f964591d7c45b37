# SPDX-License-Identifier: MIT
"""The commands on roads as a curator meets them."""

import csv
import json
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.roads.catalogue import CITIES, another_readers_mean

from pocin import api
from pocin.audit import apart, bounds, fit

RELEASE = ["release", "siouxfalls", "-o", "out", "--quiet"]
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from pocin.cli import main; main()"
)


@pytest.fixture
def town(desk: Path) -> Path:
    """A town without gamma or published figure, on the desk."""
    (desk / "town").mkdir()
    for name, data in CITIES["block"].items():
        (desk / "town" / name).write_bytes(data)
    return desk / "town"


def typed(line: str) -> list[str]:
    """Return the words of a command line."""
    return line.split()


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_siouxfalls(desk: Path, pocin) -> None:
    ended = pocin(*RELEASE)
    assert (ended.code, ended.err) == (0, "")
    assert sorted(path.name for path in desk.iterdir()) == ["out", "out.curator.json", "rich.m"]
    files = tables(desk / "out")
    assert sorted(files) == ["demand.csv", "link.csv", "node.csv", "release.json"]
    assert stat.S_IMODE((desk / "out.curator.json").stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in (desk / "out").iterdir()} == {0o644}
    assert "out/release.json" in ended.out
    assert "MW" not in ended.out
    assert "76 of 76 elements have a partner at 1 to 2 hops." in ended.out
    assert "Spent on this network so far: 2 (location 1, value 1" in ended.out
    said = json.loads(files["release.json"])
    assert said["parameters"]["gamma"] == 0.00034
    found = json.loads(pocin("solve", "out", "--json").out)
    assert found["optimum"] == pytest.approx(23.0396, rel=0.1)
    assert another_readers_mean(files, 0.00034) == pytest.approx(found["optimum"], rel=1e-9)


def test_no_secret_value_or_name_is_in_the_folder(desk: Path, pocin) -> None:
    words = ["release", "siouxfalls", "-o", "out", "--research", "--seed", "3021117", "--quiet"]
    ended = pocin(*words, "--epsilon", "1/50")
    assert ended.code == 0
    public = b"".join(tables(desk / "out").values()).decode()
    for word in ("siouxfalls", "Sioux Falls", "LeBlanc", "3021117", "capacity,", "volume,capacity"):
        assert word not in public
    record = json.loads((desk / "out.curator.json").read_text())
    assert record["seed"] == 3021117
    assert len(record["values"]["true"]) == 76
    rows = csv.DictReader((desk / "out" / "link.csv").read_text().splitlines())
    released = {float(row["volume"]) for row in rows}
    # a value in 76 meets one of 76 by chance about once
    assert len(released & set(record["values"]["true"])) <= 4


def test_json(pocin) -> None:
    told = json.loads(pocin(*RELEASE, "--json", "--beta", "0.05", "--epsilon", "0.5").out)
    assert told["kind"] == "roads"
    assert told["parameters"]["reading"] == "total"
    assert told["parameters"]["units"] == {"time": "0.01 h", "length": "none", "volume": "veh/day"}
    assert told["guarantee"]["coverage"] == {"covered": 76, "elements": 76}
    assert told["cost"]["source"] == "declared"
    fidelity = told["fidelity"]
    assert {"beta", "gap", "within_beta", "bilevel", "distance", "bound"} <= set(fidelity)
    assert fidelity["within_beta"] is True
    assert abs(fidelity["gap"]) <= 0.05
    assert fidelity["bound"] is None or fidelity["bound"] <= fidelity["distance"] * (1 + 1e-9)
    assert set(told["seconds"]) == set(typed("read phase1 phase2 phase3 certify write total"))
    assert told["files"] == ["out", "out/release.json", "out.curator.json"]


def test_help_tells_the_flags_of_roads(pocin) -> None:
    text = pocin("release", "--help").out
    for word in ("--reading", "--trip-times", "--gamma", "10veh", "pairs (default)"):
        assert word in text
    audit = pocin("audit", "--help").out
    for word in ("--reading", "--trip-times", "--gamma", "10veh"):
        assert word in audit


# ------------------------------------------------------------------------------- gamma and figure


@pytest.mark.usefixtures("town")
def test_gamma_is_asked_for_and_named_where_it_is_computed(pocin) -> None:
    for command in (["solve", "town"], ["release", "town", "-o", "out"], ["audit", "town"]):
        ended = pocin(*command, "--quiet")
        assert (ended.code, ended.out) == (2, "")
        assert "--gamma: how much travel time does a vehicle add to a link" in ended.err
    words = ["release", "town", "-o", "out", "--gamma", "computed", "--beta", "0.3", "--quiet"]
    ended = pocin(*words)
    assert ended.code == 2
    assert "the release must be tied to a cost figure" in ended.err
    ended = pocin(*words, "--cost-figure", "computed")
    assert ended.code == 0
    said = "outside this bound: the optimum of the shortest paths of the trips, gamma, the slope of"
    assert said in ended.out
    shown = json.loads(pocin("ledger", "show", "town", "--json").out)
    assert "gamma, the slope of delay on traffic" in shown["disclosed"]


def test_a_private_figure_says_its_width_and_spends(town: Path, pocin) -> None:
    (town.parent / "own.toml").write_text("[constants]\ncap = 1500\n")
    words = typed("release town --gamma 0.001 --cost-epsilon 1 --beta 0.4 --policy own.toml")
    ended = pocin(*words, "--dry-run", "--quiet")
    assert ended.code == 2
    assert "wider than beta allows (about" in ended.err
    words[words.index("1")] = "10"
    ended = pocin(*words, "--dry-run", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    # 1500 vehicles at 0.001, 0.001 of it for rounding, epsilon 10: times ln 20
    assert "The cost figure's noise: within 0.4498, 19 times in 20." in ended.out
    assert "Would spend: epsilon 12. Nothing was drawn." in ended.out
    assert not (town.parent.parent / "state").exists()
    ended = pocin(*words, "-o", "out", "--json", "--quiet")
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert told["cost"]["source"] == "private"
    assert told["guarantee"]["epsilon_cost"] == 10
    assert (
        "10 x (swaps of two elements + (sum of |value change|) / 1500 veh)"
        in (told["guarantee"]["statement"])
    )
    assert json.loads(pocin("ledger", "show", "town", "--json").out)["spent"] == 12


@pytest.mark.usefixtures("town")
def test_a_cap_that_clips_is_told(desk: Path, pocin) -> None:
    (desk / "low.toml").write_text("[constants]\ncap = 10\n")
    words = typed("release town --gamma 0.001 --dry-run --quiet --cost-figure 10")
    ended = pocin(*words, "--policy", "low.toml")
    said = r"counts 10 vehicles a link at most, the policy's cap: it would be \d+ % too low"
    assert re.search(said, ended.out)
    assert "at most" not in pocin(*words).out.partition("Before any noise")[2]


def test_per_trip(town: Path, pocin) -> None:
    words = typed("release town -o out --gamma 0.001 --reading per-trip --quiet --beta 0.05")
    ended = pocin(*words)
    assert ended.code == 2
    assert "--reading per-trip: ties each trip to its own time" in ended.err
    ended = pocin(*words, "--trip-times", "computed")
    assert ended.code == 0
    assert "outside this bound: the shortest time of every trip." in ended.out
    network = api.read("town")
    links = network.content.links
    real = another_readers_mean(dict(CITIES["block"]), 0.001)
    assert json.loads(pocin("solve", "town", "--gamma", "0.001", "--json").out)[
        "optimum"
    ] == pytest.approx(real, rel=1e-9)
    assert len(links) == 24
    (town.parent / "times.csv").write_text("o_zone_id,d_zone_id,time\n1,9,3\n")
    ended = pocin(*words, "--force", "--trip-times", "times.csv")
    assert ended.code == 3
    assert ended.err == ("pocin: times.csv: lacks the time of 7 trips, as from 2 to 8; add it\n")
    ended = pocin(*words[:3], "times.csv", *words[4:], "--force", "--trip-times", "times.csv")
    assert "times.csv: is a file, and a released roads network is a folder" in ended.err
    assert (town.parent / "times.csv").read_text().startswith("o_zone_id")  # not even by force


def test_a_dry_run_says_what_the_policy_gives_away(pocin) -> None:
    ended = pocin("release", "siouxfalls", "--dry-run", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    for line in (
        "  link.volume       secret   traffic and where it is",
        "  demand.volume     dropped  how many take each pair",
        "  link.capacity     dropped  capacities",
        "Before any noise (for you alone):",
        "  they pin the traffic of 76 of 76 links",
    ):
        assert line in ended.out.split("\n")
    told = json.loads(pocin("release", "siouxfalls", "--dry-run", "--json", "--quiet").out)
    assert len(told["gives_away"]) == 4
    assert told["spend"] == 2


# --------------------------------------------------------------------------------- what is refused

REFUSED = {
    "--policy derived": "--policy derived: no such policy; choose pairs, demand or a .toml file",
    "--alpha-value 10MW": "--alpha-value '10MW': expected a positive number with its unit, as 5veh",
    "--alpha-value 0.5veh": "--alpha-value: expected a positive multiple of 1 veh",
    "--pmin-ratio 0.1": "--pmin-ratio: is not for roads networks; leave it out",
    "--model dc": "--model: is for power, and siouxfalls is roads; leave it out",
    "--only rich.m": "--only: is for power grids, and every link's traffic is secret; leave it out",
    "--costs rich.m": "--costs: is for power grids; leave it out",
    "--reading each": "--reading: expected total or per-trip",
    "--trip-times computed": "--trip-times: are the figures of --reading per-trip; give it too",
    "--gamma 0": "--gamma: expected a positive number or 'computed'",
    "--cost-figure 5": "--cost-figure: the mean trip takes 11.08 without any traffic",
    "--cost-epsilon 1": "--cost-epsilon: its noise (within 51 19 times in 20) is wider than beta",
    "--reading per-trip --trip-times computed --cost-figure 3": "the other choices bring",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused_draws_and_writes_nothing(desk: Path, pocin, words: str) -> None:
    ended = pocin(*RELEASE, *words.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("pocin: ")
    assert REFUSED[words] in ended.err
    assert ended.err.count("\n") == 1
    assert [path.name for path in desk.iterdir()] == ["rich.m"]
    assert not (desk.parent / "state").exists()


def test_flags_of_roads_are_none_of_grids(pocin) -> None:
    for words in ("--gamma 1", "--reading total", "--trip-times computed"):
        ended = pocin("release", "rich.m", "-o", "x.m", *words.split())
        assert ended.code == 2
        assert f"{words.split()[0]}: is for roads, and rich.m is power; leave it out" in ended.err


def test_a_bad_table_is_a_sentence(town: Path, pocin) -> None:
    text = (town / "link.csv").read_text().replace("1071.375", "-1071.375")
    (town / "link.csv").write_text(text)
    ended = pocin("solve", "town", "--gamma", "1")
    assert (ended.code, ended.out) == (3, "")
    said = "pocin: town: link 24 from 9 to 6: its traffic is no number from 0 to 1e+12\n"
    assert ended.err == said


def test_times_that_no_city_has_are_not_faithful(desk: Path, pocin) -> None:
    # from 4 to 2 is no farther than from 1 to 3 and from 3 to 1 together
    (desk / "ring").mkdir()
    for name, data in CITIES["ring"].items():
        (desk / "ring" / name).write_bytes(data)
    (desk / "times.csv").write_text("origin,destination,time\n1,3,310\n3,1,310\n4,2,9000\n")
    words = ["release", "ring", "-o", "out", "--gamma", "0.01", "--reading", "per-trip"]
    ended = pocin(*words, "--trip-times", "times.csv", "--quiet")
    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith("pocin: no faithful release: ")
    assert "of 3 trips are within 0.1 of their own time" in ended.err
    assert "the privacy spent stays spent, and no file was written" in ended.err
    assert sorted(path.name for path in desk.iterdir()) == ["rich.m", "ring", "times.csv"]
    assert json.loads(pocin("ledger", "show", "ring", "--json").out)["spent"] == 2


def test_force(desk: Path, pocin) -> None:
    assert pocin(*RELEASE).code == 0
    first = tables(desk / "out")
    ended = pocin(*RELEASE)
    assert (ended.code, ended.err) == (
        2,
        "pocin: out: exists; choose another name or give --force\n",
    )
    assert tables(desk / "out") == first
    assert pocin(*RELEASE, "--force").code == 0
    assert tables(desk / "out")["link.csv"] != first["link.csv"]
    (desk / "out" / "notes.txt").write_text("mine")
    ended = pocin(*RELEASE, "--force")
    assert "holds more than a release; choose another name" in ended.err
    assert (desk / "out" / "notes.txt").read_text() == "mine"
    ended = pocin("release", "siouxfalls", "-o", "out/more", "--quiet")
    assert "out/more: lies in a release, which is public; name a place beside it" in ended.err
    ended = pocin("release", "out", "-o", "out", "--force", "--quiet")
    assert "out: the release is made from this file; name another" in ended.err
    assert json.loads(pocin("ledger", "show", "siouxfalls", "--json").out)["spent"] == 4


def test_one_network_has_one_account_whatever_its_form(town: Path, pocin) -> None:
    words = ["--gamma", "0.001", "--cost-figure", "40", "--beta", "0.5", "--quiet"]
    assert pocin("release", "town", "-o", "a", *words).code == 0
    rows = (town / "link.csv").read_bytes().split(b"\n")
    (town / "link.csv").write_bytes(b"\n".join([rows[0], *rows[:0:-1]]))
    assert pocin("release", "town", "-o", "b", *words, "--policy", "demand").code == 0
    assert json.loads(pocin("ledger", "show", "town", "--json").out)["spent"] == 4
    assert pocin("ledger", "open", "town", "--budget", "5").code == 0
    ended = pocin("release", "town", "-o", "c", *words)
    assert ended.code == 5
    assert not (town.parent / "c").exists()


# ---------------------------------------------------------------------------------------- the rest


def test_audit(pocin, monkeypatch) -> None:
    for module, name, value in ((fit, "SITE_DRAWS", 1_000), (fit, "VALUE_DRAWS", 2_000),
                                (bounds, "PAIR_RUNS", 1_000), (bounds, "RUNS", 200),
                                (apart, "SHUFFLES", 50)):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    assert pocin(*RELEASE).code == 0
    ended = pocin("audit", "siouxfalls", "out", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert "10 of 10 gates hold" in ended.out
    assert "FAIL" not in ended.out
    assert "values within 10 veh; mechanism softmax, policy pairs." in ended.out


def test_audit_of_what_another_tool_left(town: Path, pocin, monkeypatch) -> None:
    for module, name, value in ((fit, "SITE_DRAWS", 1_000), (fit, "VALUE_DRAWS", 2_000),
                                (bounds, "PAIR_RUNS", 1_000), (bounds, "RUNS", 200),
                                (apart, "SHUFFLES", 50)):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    (town.parent / "theirs").mkdir()
    for name, data in CITIES["block"].items():
        (town.parent / "theirs" / name).write_bytes(data)
    ended = pocin("audit", "town", "theirs", "--gamma", "0.001", "--quiet", "--json")
    assert ended.code == 6
    (found,) = [
        f["sentence"] for f in json.loads(ended.out)["findings"]
        if f["gate"] == "leaks" and f["figures"]["file"] == "theirs"
    ]  # fmt: skip
    for part in (
        "further columns ctrl_type, name",
        "link.capacity stands unchanged",
        "link.b stands unchanged",
        "its trips have volumes",
        "its links stand in the source's order",
    ):
        assert part in found
    assert "24 of 24 secret values stand unchanged" not in found  # the file has fractions
    assert "Hideout" not in ended.out


def test_cases_name_siouxfalls(pocin) -> None:
    assert "siouxfalls  roads  24 nodes, 76 links, 528 trips" in pocin("cases").out


def test_a_made_city_is_released(desk: Path, pocin) -> None:
    make = typed("cases make-city --links 300 --trips 60 --seed 4 -o city --quiet")
    assert pocin(*make).code == 0
    figure = json.loads(pocin("solve", "city", "--json").out)["optimum"]
    ended = pocin("release", "city", "-o", "out", "--cost-figure", f"{figure:.4g}", "--quiet")
    assert ended.code == 0, ended.err
    gamma = json.loads((desk / "out" / "release.json").read_text())["parameters"]["gamma"]
    mean = another_readers_mean(tables(desk / "out"), gamma)
    assert mean == pytest.approx(figure, rel=0.1)
    head = (desk / "out" / "link.csv").read_text().split("\n")[0]
    assert head == "link_id,from_node_id,to_node_id,directed,length,d,volume"


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs POSIX signals")
def test_ctrl_c_leaves_no_half_release(desk: Path, pocin) -> None:
    assert pocin(*typed("cases make-city --links 3000 --trips 2000 -o city --quiet")).code == 0
    words = typed("release city -o out --reading per-trip --trip-times computed --ledger l")
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words],
        cwd=desk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    began = time.monotonic()
    while (
        not (desk / "l.head").exists() and time.monotonic() - began < 120 and running.poll() is None
    ):
        time.sleep(0.05)
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "interrupted; no file was left half written" in err
    assert "Traceback" not in err
    left = {path.name for path in desk.iterdir()}
    assert left - {"l.head.new", "l-journal"} == {"rich.m", "city", "l", "l.head"}
    assert pocin("ledger", "show", "city", "--ledger", "l").code == 0
