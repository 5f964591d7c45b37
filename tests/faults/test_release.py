# SPDX-License-Identifier: MIT
"""A release that is ended at every step: nothing lost, nothing half done, no spend forgotten."""

import itertools
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.desks import SECRETS, Desk, city_desk, grid_desk
from tests.faults.forge import Ended, Forge

KILLED = -signal.SIGKILL
MADE, CLAIMED = "a run that was killed had made this", "another run is writing here"


def some(*quick: str) -> list[object]:
    """Return the desks of a test: these by default, the others where time is."""
    kinds = ("grid", "grid over a grid", "city", "city over a city")
    return [pytest.param(k, marks=[] if k in quick else pytest.mark.slow) for k in kinds]


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path, forge: Forge) -> Desk:
    """A desk with a source, and with an older release where it is to be written over."""
    make = grid_desk if request.param.startswith("grid") else city_desk
    made = make(tmp_path / "desk")
    if "over" in request.param:
        assert forge.run(*made.words, at=made.folder).code == 0
        made = Desk(made.folder, (*made.words, "--force", "--epsilon", "0.5"), made.outputs)
    return made


def ends(  # noqa: PLR0917
    desk: Desk, forge: Forge, fault: str, sign: str, stride: int, tmp_path: Path
) -> Iterator[tuple[Ended, Desk, bool]]:
    """Yield how each child ended, its desk, and whether it drew; the last lives."""
    for at in itertools.count(1, stride):
        drawn = tmp_path / f"drawn-{at}"
        copy = desk.copy(tmp_path / f"desk-{at}")
        ended = forge.run(
            *copy.words, at=copy.folder, fault=fault, arguments=[at, sign, str(drawn)]
        )
        assert not ended.hung
        assert "Traceback" not in ended.err
        yield ended, copy, drawn.exists()
        if ended.code == 0:
            return


def check_killed(desk: Desk, before: int, forge: Forge, *, drawn: bool) -> str:
    """Assert what must hold after a kill, and after the next run; return what that run did."""
    spends = desk.spends
    assert spends in (before, before + 1)
    assert spends == before + 1 or not drawn
    desk.check_pieces()
    (staging,) = [n for n in desk.strangers if n.startswith(".pocin")] or [None]
    assert staging is None or (desk.folder / staging).stat().st_mode & 0o077 == 0
    if before and not staging:
        desk.check_whole()  # the older release, or the new one
    again = forge.run(*desk.words, at=desk.folder)
    assert desk.strangers == []
    desk.check_whole()
    assert desk.spends == spends + (again.code == 0)
    if again.code == 0:
        return "made anew"
    assert again.code == 2, again.err
    assert MADE in again.err or "--force" not in desk.words
    return "brought to its end" if MADE in again.err else "had been made"


def killed_at_each(
    desk: Desk, forge: Forge, fault: str, stride: int, tmp_path: Path
) -> dict[str, int]:
    """Kill a release at each step and count what the next run did."""
    before, found = desk.spends, dict.fromkeys(("made anew", "brought to its end"), 0)
    for ended, copy, drawn in ends(desk, forge, fault, "SIGKILL", stride, tmp_path):
        if ended.code == 0:
            copy.check_whole()
            assert copy.strangers == []
            return found
        assert ended.code == KILLED, ended.err
        did = check_killed(copy, before, forge, drawn=drawn)
        found[did] = found.get(did, 0) + 1
    raise AssertionError


@pytest.mark.parametrize("desk", some("grid over a grid"), indirect=True)
def test_killed_at_steps(desk: Desk, forge: Forge, tmp_path: Path) -> None:
    found = killed_at_each(desk, forge, "at_step", 31, tmp_path)
    assert found["made anew"] > 2


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("fault", ["at_step", "at_line"])
@pytest.mark.parametrize("desk", some(), indirect=True)
def test_killed_at_every_step_and_line(
    desk: Desk, forge: Forge, fault: str, tmp_path: Path
) -> None:
    found = killed_at_each(desk, forge, fault, 1, tmp_path)
    sys.stdout.write(f"\n{fault}: {found}\n")
    assert found["made anew"] > 50
    assert found["brought to its end"] > 2


@pytest.mark.parametrize("sign", ["SIGINT", pytest.param("SIGTERM", marks=pytest.mark.slow)])
@pytest.mark.parametrize("desk", some("grid"), indirect=True)
def test_interrupted_at_steps(desk: Desk, forge: Forge, sign: str, tmp_path: Path) -> None:
    interrupted_at_each(desk, forge, "at_step", sign, 29, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("fault", ["at_step", "at_line"])
@pytest.mark.parametrize("desk", some(), indirect=True)
def test_interrupted_at_every_step_and_line(
    desk: Desk, forge: Forge, fault: str, tmp_path: Path
) -> None:
    interrupted_at_each(desk, forge, fault, "SIGINT", 1, tmp_path)


def interrupted_at_each(  # noqa: PLR0917
    desk: Desk, forge: Forge, fault: str, sign: str, stride: int, tmp_path: Path
) -> None:
    """Ctrl-C at each step: all or nothing, one sentence, nothing left beside."""
    before = desk.spends
    stood = {name: (desk.folder / name).stat().st_ino for name in desk.there}
    for ended, copy, drawn in ends(desk, forge, fault, sign, stride, tmp_path):
        assert copy.strangers == []
        assert copy.spends == before + 1 or not drawn
        if ended.code == 0:
            copy.check_whole()
            return
        assert ended.code == 130
        assert ended.err.startswith("pocin: interrupted; no file was left half written")
        assert ended.err.count("\n") == 1
        assert len(copy.there) in (len(stood), len(copy.outputs))
        if copy.there:
            copy.check_whole()


def test_no_secret_is_left_open(forge: Forge, tmp_path: Path) -> None:
    """What a kill leaves of the record lies in a folder of the curator's alone."""
    desk = grid_desk(tmp_path / "desk")
    seen = 0
    for ended, copy, _ in ends(desk, forge, "at_step", "SIGKILL", 37, tmp_path):
        if ended.code == 0:
            break
        for path in copy.folder.rglob("*"):
            if path.is_file() and path.name != "rich.m" and "curator" not in path.name:
                closed = path.parent.name.startswith(".pocin-")
                text = path.read_bytes().decode("latin-1")
                assert closed or not [secret for secret in SECRETS if secret in text], path
                seen += closed
    assert seen


def test_statements_tell_runs_apart(forge: Forge, tmp_path: Path) -> None:
    """What the checks above lean on: two releases' files do not pass for one."""
    one, two = grid_desk(tmp_path / "one"), grid_desk(tmp_path / "two")
    assert forge.run(*one.words, at=one.folder).code == 0
    assert forge.run(*two.words, "--epsilon", "0.5", at=two.folder).code == 0
    name = one.outputs[1]
    (one.folder / name).write_bytes((two.folder / name).read_bytes())
    assert json.loads((one.folder / name).read_text("utf-8"))["guarantee"]["epsilon_value"] == 0.5
    with pytest.raises(AssertionError):
        one.check_whole()
