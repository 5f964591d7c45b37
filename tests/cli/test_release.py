# SPDX-License-Identifier: MIT
"""The commands as a curator meets them: what they print, write, spend and never tell."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

import pocin as library
from pocin import flow
from pocin.cli import COMMANDS, doctor
from pocin.power.cases import builtin
from pocin.power.matpower import read_matpower

FIGURE = 2690.8
RELEASE = f"release rich.m -o out.m --cost-figure {FIGURE} --ledger l.sqlite --quiet".split()
RESEARCH = ["release", "rich.m", "-o", "out.m", "--research", "--quiet"]
NAMES = ["out.m", "out.m.curator.json", "out.m.release.json"]

CAPACITIES = {"61.19", "240.17", "87.31", "52.73", "73.41", "44.87"}
HIDDEN = ("HIDEOUT", "river", "rich", "1.0437", "4.981", "171.313", "1.031", "29.531", "31.313")
IDLE = ("99.77", "15.41")

INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from pocin.cli import main; main()"
)
EARLY = """
import sys
class Early:
    def find_spec(self, name, *_):
        if name.startswith("cyclopts"):
            raise KeyboardInterrupt
sys.meta_path.insert(0, Early())
from pocin.cli import main
main()
"""


def python(desk: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=desk, capture_output=True, text=True, check=False)


def numbers(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text))


@pytest.mark.parametrize("command", ["", *COMMANDS, "ledger open", "ledger show"])
def test_help(pocin, command: str) -> None:
    ended = pocin(*command.split(), "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: pocin {command}".rstrip())


def test_help_tells_every_flag_of_the_design(pocin) -> None:
    text = pocin("release", "--help").out
    flags = (
        "-o --epsilon --epsilon-location --epsilon-value --alpha-location --alpha-value --beta "
        "--cost-figure --cost-epsilon --policy --only --costs --ledger --network-id --dry-run "
        "--research --seed --time-limit --json --quiet --force --pmin-ratio --mechanism"
    )
    assert [flag for flag in flags.split() if f" {flag} " not in text] == []
    assert "False" not in text


def test_version(pocin) -> None:
    assert pocin("--version").out == f"{library.__version__}\n"


def test_python_m_pocin(desk: Path) -> None:
    ended = python(desk, "-m", "pocin", "cases", "--json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ieee118" in [case["name"] for case in json.loads(ended.stdout)]
    assert python(desk, "-m", "pocin", "nonsense").returncode == 2


def test_release(desk: Path, pocin) -> None:
    ended = pocin(*RELEASE)
    assert (ended.code, ended.err) == (0, "")
    assert "Spent on this network so far: 2 (location 1, value 1" in ended.out
    assert sorted(path.name for path in desk.iterdir()) == sorted(
        [*NAMES, "rich.m", "l.sqlite", "l.sqlite.head"]
    )
    found = json.loads(pocin("solve", "out.m", "--json").out)
    assert found["optimum"] == pytest.approx(FIGURE, rel=0.1)
    assert "NOT A PRIVATE RELEASE" not in (desk / "out.m").read_text() + ended.out


def test_the_curators_record_is_the_curators_alone(desk: Path, pocin) -> None:
    mask = os.umask(0)
    try:
        assert pocin(*RELEASE).code == 0
    finally:
        os.umask(mask)
    modes = {name: stat.S_IMODE((desk / name).stat().st_mode) for name in NAMES}
    assert modes == {"out.m": 0o644, "out.m.release.json": 0o644, "out.m.curator.json": 0o600}
    record = json.loads((desk / "out.m.curator.json").read_text())
    assert record["source"] == "rich.m"
    assert record["seed"] is None
    assert [note for note in record["notes"] if "out of service" in note]
    true = {f"{value:g}" for value in record["values"]["true"]}
    assert true == CAPACITIES


def test_force_keeps_the_record_private(desk: Path, pocin) -> None:
    (desk / "out.m.curator.json").write_text("old")
    (desk / "out.m.curator.json").chmod(0o644)
    assert pocin(*RELEASE).code == 2
    assert pocin(*RELEASE, "--force").code == 0
    assert stat.S_IMODE((desk / "out.m.curator.json").stat().st_mode) == 0o600
    assert (desk / "out.m.curator.json").read_text() != "old"


KEYS = {
    "kind": str,
    "parameters": dict,
    "guarantee": {
        "epsilon_location": float,
        "epsilon_value": float,
        "epsilon_cost": float,
        "coverage": {"covered": int, "elements": int},
        "statement": str,
    },
    "cost": {"figure": float, "source": str, "own_optimum": float},
    "fidelity": {
        "beta": float,
        "gap": float,
        "within_beta": bool,
        "reader_needs": str,
        "bilevel": str,
        "distance": float,
        "bound": type(None),
    },
    "seconds": dict.fromkeys(
        ("read", "phase1", "phase2", "phase3", "certify", "write", "total"), float
    ),
    "files": list,
}


def shape(data: object, like: object) -> object:
    """Return the types in an object, as deep as ``like`` goes."""
    if isinstance(like, dict) and isinstance(data, dict):
        return {name: shape(value, like.get(name)) for name, value in data.items()}
    return type(data)


def test_json(pocin) -> None:
    ended = pocin(*RELEASE, "--json", "--epsilon", "0.5", "--epsilon-value", "2", "--beta", "0.2")
    assert ended.err == ""
    told = json.loads(ended.out)
    assert shape(told, KEYS) == KEYS
    assert told["kind"] == "power"
    assert (told["guarantee"]["epsilon_location"], told["guarantee"]["epsilon_value"]) == (0.5, 2)
    assert told["cost"]["source"] == "declared"
    assert told["fidelity"]["within_beta"] is True
    assert told["fidelity"]["gap"] == pytest.approx(told["cost"]["own_optimum"] / FIGURE - 1)
    assert told["files"] == ["out.m", "out.m.release.json", "out.m.curator.json"]
    assert all(Path(file).is_file() for file in told["files"])
    assert sum(v for k, v in told["seconds"].items() if k != "total") <= told["seconds"]["total"]


def test_logs_are_on_stderr(pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocin.cli.console.PATIENCE", 0.0)
    ended = pocin(*(word for word in RELEASE if word != "--quiet"), "--json")
    json.loads(ended.out)
    lines = ended.err.splitlines()
    assert all(line.startswith("pocin: ") for line in lines)
    assert "pocin: left out: mpc.bus_name" in lines
    assert "pocin: 1 unit out of service is not released" in lines
    assert [line for line in lines if "certifying" in line]


def test_dry_run(desk: Path, pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(*_: object) -> None:
        raise AssertionError("a dry run drew")

    for name in ("bits", "laplace"):
        monkeypatch.setattr(f"pocin.privacy.noise.SystemNoise.{name}", draw)
        monkeypatch.setattr(f"pocin.privacy.noise.SeededNoise.{name}", draw)
    with pytest.raises(AssertionError):
        flow.noise_of(flow.Request()).bits(1)
    words = "release ieee14 --dry-run --cost-epsilon 0.5 --alpha-value 0.1MW --quiet".split()  # noqa: SIM905
    ended = pocin(*words)
    assert (ended.code, ended.err) == (0, "")
    for column in ("gen.Pmax       secret", "gencost        moves", "gen.Qlimits    derived"):
        assert column in ended.out
    assert "2 of 2 elements have a partner at 1 to 2 hops." in ended.out
    assert "Would spend: epsilon 2.5. Nothing was drawn." in ended.out
    # 10 grid units of 0.01 MW at 40 $/MWh, 0.001 $/h each for rounding, epsilon 0.5: times ln 20.
    assert "The cost figure's noise: within 24.03, 19 times in 20." in ended.out
    words = [*RELEASE, "--dry-run", "--json"]
    ended = pocin(*words)
    assert not CAPACITIES & numbers(ended.out)
    told = json.loads(ended.out)
    assert told["spend"] == 2
    assert told["guarantee"]["coverage"] == {"covered": 6, "elements": 6}
    assert told["columns"]["gen.Pmax"] == "secret"
    assert [path.name for path in desk.iterdir()] == ["rich.m"]
    assert not (desk.parent / "state").exists()


def test_dry_run_of_research(pocin) -> None:
    words = ["release", "rich.m", "--dry-run", "--research", "--quiet"]
    assert "Would spend: nothing (research)." in pocin(*words).out
    assert json.loads(pocin(*words, "--json").out)["spend"] == 0


@pytest.mark.parametrize("policy", ["derived", "unit", "site"])
def test_a_released_file_holds_no_secret(desk: Path, pocin, policy: str) -> None:
    seed = 3021117
    words = [*RESEARCH, "--seed", str(seed), "--policy", policy, "--epsilon", "0.5"]
    assert pocin(*words).code == 0
    public = [(desk / name).read_text() for name in ("out.m", "out.m.release.json")]
    for text in public:
        assert not [word for word in (*HIDDEN, *IDLE, str(seed)) if word in text]
        assert not CAPACITIES & numbers(text)
    record = (desk / "out.m.curator.json").read_text()
    assert numbers(record) >= CAPACITIES  # the search can find them
    assert str(seed) in record
    grid = read_matpower(desk / "out.m")
    for column in (grid.units.pg, grid.units.qg, grid.buses.va):
        assert not column.any()
    for column in (grid.units.vg, grid.buses.vm):
        assert (column == 1).all()


def test_a_changed_capacity_is_nowhere_in_a_built_in_case(desk: Path, pocin) -> None:
    words = ["release", "ieee118", "-o", "out.m", "--research", "--seed", "5", "--json", "--quiet"]
    assert pocin(*words).code == 0
    values = json.loads((desk / "out.m.curator.json").read_text())["values"]
    released = {f"{value:g}" for value in values["released"]}
    lost = {f"{value:g}" for value in values["true"]} - released
    assert len(lost) >= 15
    gen = (desk / "out.m").read_text().partition("mpc.gen = [")[2].partition("];")[0]
    assert not lost & {row.split("\t")[9] for row in gen.splitlines() if row}
    assert "ieee118" not in (desk / "out.m").read_text() + (desk / "out.m.release.json").read_text()


def test_research_is_stamped_and_spends_nothing(desk: Path, pocin) -> None:
    stamp = "NOT A PRIVATE RELEASE"
    ended = pocin(*RESEARCH, "--json", "--ledger", "l.sqlite")
    told = json.loads(ended.out)
    assert told["guarantee"]["statement"].startswith(stamp)
    assert told["parameters"]["private"] is False
    assert f"% {stamp}" in (desk / "out.m").read_text()
    for name in ("out.m.release.json", "out.m.curator.json"):
        assert json.loads((desk / name).read_text())["guarantee"]["statement"].startswith(stamp)
    assert not (desk / "l.sqlite").exists()
    assert not (desk.parent / "state").exists()
    assert stamp in pocin(*RESEARCH, "--force").out


def test_a_computed_figure_is_named(desk: Path, pocin) -> None:
    words = ["release", "rich.m", "-o", "out.m", "--cost-figure", "computed", "--quiet"]
    ended = pocin(*words)
    named = "Disclosed exactly beside it, outside this bound: the optimum of the AC optimal power"
    assert named in ended.out
    assert named in (desk / "out.m").read_text()
    shown = pocin("ledger", "show", "rich.m", "--json")
    assert json.loads(shown.out)["disclosed"] == "the optimum of the AC optimal power flow"


def test_a_private_figure_spends(pocin) -> None:
    words = ["release", "ieee14", "-o", "out.m", "--cost-epsilon", "0.5", "--epsilon", "4"]
    ended = pocin(*words, "--alpha-value", "0.1MW", "--json", "--quiet")
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert told["cost"]["source"] == "private"
    assert told["guarantee"]["epsilon_cost"] == 0.5
    assert "epsilon 0.5" in told["guarantee"]["statement"]
    assert json.loads(pocin("ledger", "show", "ieee14", "--json").out)["spent"] == 8.5


def test_the_same_seed_gives_the_same_bytes(desk: Path, pocin) -> None:
    words = [*RESEARCH, "--seed", "7"]
    assert pocin(*words).code == 0
    names = ("out.m", "out.m.release.json")
    first = [(desk / name).read_bytes() for name in names]
    ended = python(desk, "-m", "pocin", *words, "--force")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [(desk / name).read_bytes() for name in names] == first
    assert pocin(*RESEARCH, "--seed", "8", "--force").code == 0
    assert (desk / "out.m").read_bytes() != first[0]
    assert pocin(*RESEARCH, "--force").code == 0
    unseeded = (desk / "out.m").read_bytes()
    assert pocin(*RESEARCH, "--seed", "0", "--force").code == 0
    assert (desk / "out.m").read_bytes() == unseeded


def test_two_private_releases_differ(desk: Path, pocin) -> None:
    files = []
    for _ in range(2):
        assert pocin(*RELEASE, "--force").code == 0
        files.append((desk / "out.m").read_bytes().partition(b"function")[2])
    assert files[0] != files[1]


def test_only(desk: Path, pocin) -> None:
    (desk / "some.only").write_text("2  # the two at the hub\n\n13\n")
    assert pocin(*RESEARCH, "--only", "some.only").code == 0
    true, grid = read_matpower(desk / "rich.m"), read_matpower(desk / "out.m")
    for bus in (1, 4, 9):
        (before,) = np.flatnonzero(true.units.bus == bus)
        (after,) = np.flatnonzero(grid.units.bus == bus)
        for name in ("pmax", "pmin", "qmax", "qmin"):
            assert getattr(grid.units, name)[after] == getattr(true.units, name)[before]
        assert (grid.costs.matrix[after] == true.costs.matrix[before]).all()
    assert not {87.31, 52.73, 44.87} & set(grid.units.pmax.tolist())
    statement = json.loads((desk / "out.m.release.json").read_text())["guarantee"]
    assert statement["coverage"]["elements"] == 3
    assert "the sites of secret elements chosen by the curator" in statement["statement"]


def test_costs(desk: Path, pocin) -> None:
    rows = "\n".join(f"{bus},0.01,{bus + 10},0" for bus in (1, 2, 3, 4, 6, 9, 13, 14))
    (desk / "costs.csv").write_text(f"bus,c2,c1,c0\n{rows}\n")
    assert pocin(*RESEARCH, "--costs", "costs.csv").code == 0
    slopes = set(read_matpower(desk / "out.m").costs.coefficients[:, 1].tolist())
    assert slopes == {11, 12, 13, 14, 16, 19, 23, 24}


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is POSIX's")
@pytest.mark.parametrize(
    ("sign", "when"), [("SIGINT", "spent"), ("SIGINT", "solving"), ("SIGTERM", "solving")]
)
def test_a_signal_leaves_no_file(desk: Path, sign: str, when: str) -> None:
    # The ledger appears before the draws; an unreachable beta keeps the solver busy after it.
    words = "release ieee300 -o out.m --beta 1e-9 --ledger l.sqlite".split()  # noqa: SIM905
    command = [sys.executable, "-c", INTERRUPTIBLE, *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=desk, stdout=pipe, stderr=pipe, text=True) as process:
        until = time.monotonic() + 60
        while not (desk / "l.sqlite.head").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.5 if when == "solving" else 0)
        process.send_signal(getattr(signal, sign))
        out, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert out == ""
    assert said.splitlines()[-1].startswith("pocin: interrupted")
    assert "Traceback" not in said
    left = {path.name for path in desk.iterdir()}
    assert "l.sqlite" in left
    assert not {name for name in left if name.startswith((".pocin", "out.m"))}


def test_ctrl_c_while_it_starts(desk: Path) -> None:
    ended = python(desk, "-c", EARLY, "cases")
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr.startswith("pocin: interrupted")
    assert ended.stderr.count("\n") == 1


def test_solve(pocin) -> None:
    text = pocin("solve", "ieee14", "--quiet")
    assert float(text.out) == pytest.approx(2178.1, rel=1e-4)
    told = json.loads(pocin("solve", "ieee14", "--quiet", "--json").out)
    assert set(told) == {"kind", "problem", "optimum", "needs", "seconds"}


def test_what_a_readers_solver_needs_is_told(desk: Path, pocin, monkeypatch) -> None:
    monkeypatch.setattr("pocin.power.certificate.PATIENCE", {"ipopt.max_iter": 2})
    words = [word for word in RELEASE if word != "--quiet"]
    assert "a reader's solver needs mu_strategy=adaptive." in pocin(*words).out
    assert json.loads((desk / "out.m.release.json").read_text())["reader_needs"]
    ended = pocin("solve", "out.m")
    assert ended.err == "pocin: the solver needed mu_strategy=adaptive\n"
    assert pocin("solve", "out.m", "--quiet").err == ""


def test_ledger(pocin) -> None:
    opened = json.loads(pocin("ledger", "open", "rich.m", "--budget", "5", "--json").out)
    assert (opened["budget"], opened["left"], opened["spends"]) == (5, 5, 0)
    assert pocin(*(word for word in RELEASE if word not in ("--ledger", "l.sqlite"))).code == 0
    shown = json.loads(pocin("ledger", "show", "rich.m", "--json").out)
    assert (shown["spent"], shown["left"], shown["spends"]) == (2, 3, 1)


def test_the_ledger_of_a_source_without_costs(desk: Path, pocin) -> None:
    powerio = pytest.importorskip("powerio", reason="powerio is not installed")
    powerio.emit(powerio.parse(str(builtin()["ieee14"].path)), "psse", str(desk / "grid.raw"))
    rows = "".join(f"{bus},0.01,20,5\n" for bus in (1, 2, 3, 6, 8))
    (desk / "costs.csv").write_text("bus,c2,c1,c0\n" + rows)
    flags = ("--ledger", "l.sqlite", "--json")
    assert pocin("ledger", "open", "ieee14", "--budget", "3", *flags).code == 0
    ended = pocin("ledger", "show", "grid.raw", "--ledger", "l.sqlite")
    assert (ended.code, "--costs FILE" in ended.err) == (3, True)
    raw = pocin("ledger", "show", "grid.raw", "--costs", "costs.csv", *flags)
    assert json.loads(raw.out) == json.loads(pocin("ledger", "show", "ieee14", *flags).out)


def test_doctor_names_what_does_not_work(pocin, monkeypatch) -> None:
    def broken() -> bool:
        raise OSError("no such library")

    monkeypatch.setitem(doctor.CHECKS, "AC-OPF (IPOPT)", broken)
    monkeypatch.setitem(doctor.CHECKS, "noise (OpenDP)", lambda: False)
    ended = pocin("doctor")
    assert ended.code != 0
    assert "AC-OPF (IPOPT) and noise (OpenDP) did not work here; install pocin anew" in ended.err
    assert re.search(r"DC-OPF \(HiGHS\) +ok", ended.out)


def test_doctor(pocin) -> None:
    ended = pocin("doctor", "--json")
    assert ended.code == 0
    told = json.loads(ended.out)
    assert set(told["checks"].values()) == {True}
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    core, extras = project["dependencies"], project["optional-dependencies"]
    names = {re.match(r"[\w-]+", line)[0] for line in core}
    assert set(told["versions"]) == {"pocin", "python", *names}
    assert set(told["extras"]) == {
        re.match(r"[\w-]+", line)[0] for lines in extras.values() for line in lines
    }
