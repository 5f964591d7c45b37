# SPDX-License-Identifier: MIT
"""A release whose process ends, or whose disk is full, at each call that changes the disk.

The calls are counted where they enter the C library, so that those in the middle of a commit of
SQLite are among them.
"""

import itertools
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.desks import Desk, city_desk, grid_desk
from tests.faults.forge import Forge
from tests.faults.test_disks import check_short
from tests.faults.test_release import KILLED, check_killed

DIE, DIE_AFTER, FULL_ONCE, FULL = 1, 2, 3, 4


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    """A forge whose children's calls are counted."""
    compiler = shutil.which("cc")
    folder = tmp_path_factory.mktemp("calls")
    library = folder / "calls.so"
    source = Path(__file__).with_name("calls.c")
    words = [compiler or "cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    if compiler is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("there is no compiler of C here")
    made = Forge(folder, LD_PRELOAD=str(library))
    yield made
    made.close()


@pytest.fixture(params=["grid", "city over a city"])
def desk(request: pytest.FixtureRequest, tmp_path: Path, counted: Forge) -> Desk:
    if request.param == "grid":
        return grid_desk(tmp_path / "desk")
    made = city_desk(tmp_path / "desk")
    assert counted.run(*made.words, at=made.folder).code == 0
    return Desk(made.folder, (*made.words, "--force", "--epsilon", "0.5"), made.outputs)


def killed_at_calls(desk: Desk, counted: Forge, deed: int, stride: int, tmp_path: Path) -> int:
    """Kill a release at each call; return how many there were."""
    before = desk.spends
    for at in itertools.count(1, stride):
        copy, drawn = desk.copy(tmp_path / f"desk-{at}"), tmp_path / f"drawn-{at}"
        ended = counted.run(
            *copy.words, at=copy.folder, fault="at_call", arguments=[at, deed, str(drawn)]
        )
        if ended.code == 0:
            copy.check_whole()
            return at
        assert ended.code == KILLED, ended.err
        check_killed(copy, before, counted, drawn=drawn.exists())
    raise AssertionError


def full_at_calls(desk: Desk, counted: Forge, deed: int, stride: int, tmp_path: Path) -> int:
    """Let the disk be full at each call, once or from then on; return how many there were."""
    for at in itertools.count(1, stride):
        copy, drawn = desk.copy(tmp_path / f"desk-{at}"), tmp_path / f"drawn-{at}"
        ended = counted.run(
            *copy.words, at=copy.folder, fault="at_call", arguments=[at, deed, str(drawn)]
        )
        assert copy.spends == 1 or not drawn.exists()
        check_short(copy, ended, counted)
        if ended.code == 0 and at > 100:
            return at
    raise AssertionError


def test_killed_at_calls(counted: Forge, tmp_path: Path) -> None:
    assert killed_at_calls(grid_desk(tmp_path / "desk"), counted, DIE, 23, tmp_path) > 40


def test_full_at_calls(counted: Forge, tmp_path: Path) -> None:
    assert full_at_calls(grid_desk(tmp_path / "desk"), counted, FULL, 31, tmp_path) > 40


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("deed", [DIE, DIE_AFTER])
def test_killed_at_every_call(desk: Desk, counted: Forge, deed: int, tmp_path: Path) -> None:
    calls = killed_at_calls(desk, counted, deed, 1, tmp_path)
    sys.stdout.write(f"\n{calls - 1} calls\n")
    assert calls > 40


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("deed", [FULL_ONCE, FULL])
def test_full_at_every_call(counted: Forge, deed: int, tmp_path: Path) -> None:
    calls = full_at_calls(grid_desk(tmp_path / "desk"), counted, deed, 1, tmp_path)
    sys.stdout.write(f"\n{calls - 1} calls\n")
    assert calls > 40
