# SPDX-License-Identifier: MIT
"""Clocks that go back, runs at the same time, solvers that die, outputs that nobody takes."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.faults.desks import Desk, grid_desk
from tests.faults.forge import Forge

from pocin.privacy.ledger import Ledger

RUNS = 4
TIMES = [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 3, 4))]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return grid_desk(tmp_path / "desk")


def open_budget(desk: Desk, forge: Forge, budget: int) -> None:
    """Say what may be spent on the grid in all."""
    words = ("ledger", "open", "rich.m", "--budget", budget, "--ledger", "l.sqlite")
    assert forge.run(*map(str, words), at=desk.folder).code == 0


@pytest.mark.parametrize("days", [-0.5, -400, -20_000, 400])
def test_a_clock_that_goes_back(desk: Desk, forge: Forge, days: float) -> None:
    """The order of rows is that of their numbers, and a budget knows no time."""
    opened = forge.run(
        *["ledger", "open", "rich.m", "--budget", "5", "--ledger", "l.sqlite"], at=desk.folder
    )
    assert opened.code == 0, opened.err
    codes = []
    for number, off in enumerate((0.0, days, 0.0)):
        words = [f"out{number}.m" if word == "out.m" else word for word in desk.words]
        ended = forge.run(*words, at=desk.folder, fault="clock_off", arguments=[off])
        codes.append(ended.code)
    assert codes == [0, 0, 5]
    ledger = Ledger.at(desk.folder / "l.sqlite")
    (name,) = ledger.networks()
    entries = ledger.history(name).entries
    assert [entry.number for entry in entries] == [1, 2, 3]
    assert (entries[1].time > entries[2].time) == (days < 0)
    assert ledger.history(name).left == 1


def at_once(desk: Desk, names: list[str], forges: list[Forge]) -> list[tuple[int, str]]:
    """Run releases at the same time, and return how each ended."""

    def run(number: int) -> tuple[int, str]:
        words = [names[number] if word == "out.m" else word for word in desk.words]
        ended = forges[number].run(*words, at=desk.folder)
        return ended.code, ended.err

    with ThreadPoolExecutor(len(names)) as pool:
        return sorted(pool.map(run, range(len(names))))


@pytest.fixture(scope="module")
def forges(tmp_path_factory: pytest.TempPathFactory) -> list[Forge]:
    made = [Forge(tmp_path_factory.mktemp(f"forge{number}")) for number in range(RUNS)]
    yield made
    for forge in made:
        forge.close()


@pytest.mark.parametrize("time", TIMES)
def test_at_once_into_one_place(desk: Desk, forges: list[Forge], time: int) -> None:
    """One passes; the others spend nothing, whether they meet it at work or done."""
    del time
    ended = at_once(desk, ["out.m"] * RUNS, forges)
    assert [code for code, _ in ended] == [0, *[2] * (RUNS - 1)]
    for _, said in ended[1:]:
        assert "another run is writing here" in said or "exists" in said
    desk.check_whole()
    assert desk.strangers == []
    assert desk.spends == 1


@pytest.mark.parametrize("time", TIMES)
def test_at_once_into_one_ledger(desk: Desk, forges: list[Forge], time: int) -> None:
    """The budget is enough for one: one passes."""
    del time
    Ledger.at(desk.folder / "l.sqlite")
    opened = forges[0].run(
        *["ledger", "open", "rich.m", "--budget", "3", "--ledger", "l.sqlite"], at=desk.folder
    )
    assert opened.code == 0, opened.err
    names = [f"out{number}.m" for number in range(RUNS)]
    ended = at_once(desk, names, forges)
    assert [code for code, _ in ended] == [0, *[5] * (RUNS - 1)]
    assert sum((desk.folder / name).exists() for name in names) == 1
    assert desk.spends == 1


@pytest.mark.parametrize("deed", ["SIGKILL", "SIGSEGV", "RuntimeError", "MemoryError"])
@pytest.mark.parametrize("at", [1, 3, pytest.param(2, marks=pytest.mark.slow)])
def test_a_solver_that_dies(desk: Desk, forge: Forge, deed: str, at: int) -> None:
    """The spend stands, no file does, the next run works."""
    ended = forge.run(*desk.words, at=desk.folder, fault="solver_at", arguments=[at, deed])
    if ended.code == 0:
        desk.check_whole()
        return
    assert desk.spends == 1
    assert desk.there == []
    if deed in ("RuntimeError", "MemoryError"):
        assert ended.code == 1
        assert ended.err.startswith("pocin: ")
        assert ended.err.count("\n") == 1
        assert "thrown" not in ended.err
        assert desk.strangers == []
    else:
        assert ended.code < 0
    again = forge.run(*desk.words, at=desk.folder)
    assert again.code == 0, again.err
    assert (desk.strangers, desk.spends) == ([], 2)
    desk.check_whole()


def test_a_solver_that_takes_too_long(desk: Desk, forge: Forge) -> None:
    """No iteration goes on when the time is up; the spend stands."""
    words = [
        "release",
        "ieee300",
        "-o",
        "out.m",
        "--beta",
        "1e-9",
        "--ledger",
        "l.sqlite",
        "--time-limit",
        "1",
        "--quiet",
    ]
    ended = forge.run(*words, at=desk.folder, seconds=120)
    assert (ended.code, ended.out) == (4, "")
    assert "--time-limit" in ended.err
    assert ended.err.count("\n") == 1
    assert (desk.there, desk.strangers, desk.spends) == ([], [], 1)


def test_a_solver_that_hangs_ends_with_its_process(desk: Desk, forge: Forge) -> None:
    """What never comes back from a library is ended from outside; then the next run works."""
    ended = forge.run(
        *desk.words, at=desk.folder, fault="solver_at", arguments=[2, "hang"], seconds=4
    )
    assert ended.hung
    assert (desk.there, desk.spends) == ([], 1)
    assert forge.run(*desk.words, at=desk.folder).code == 0
    assert (desk.strangers, desk.spends) == ([], 2)


def process(desk: Desk, *words: str, **given: object) -> "subprocess.Popen[str]":
    """Start a command as a shell does, to its very end."""
    environment = os.environ | {"HOME": str(desk.folder.parent), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pocin", *words]
    return subprocess.Popen(
        command, cwd=desk.folder, env=environment, stderr=subprocess.PIPE, text=True, **given
    )


@pytest.mark.parametrize("how", ["closed pipe", "full", "closed"])
@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_stdout_that_nobody_takes(desk: Desk, how: str, json: tuple[str, ...]) -> None:
    """The release is made all the same; that it could not be said is said, and is no success."""
    ear, mouth = os.pipe()
    os.close(ear)
    full = os.open("/dev/full", os.O_WRONLY)
    given = {
        "closed pipe": {"stdout": mouth},
        "full": {"stdout": full},
        "closed": {"preexec_fn": lambda: os.close(1)},
    }[how]
    with process(desk, *desk.words, *json, **given) as child:
        _, said = child.communicate(timeout=120)
    os.close(mouth)
    os.close(full)
    assert child.returncode in ((0, 1) if how == "closed" else (1,))
    assert "Traceback" not in said
    assert "Exception ignored" not in said
    assert said.count("\n") <= 1
    assert (desk.strangers, desk.spends) == ([], 1)
    desk.check_whole()


@pytest.mark.parametrize("words", ["--help", "cases", "cases --json", "release --help"])
def test_head_takes_one_line(desk: Desk, words: str) -> None:
    with process(desk, *words.split(), stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert child.stdout.readline()
        child.stdout.close()
        said = child.stderr.read()
    assert child.returncode in (0, 1)
    assert said == ""
