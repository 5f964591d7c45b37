# SPDX-License-Identifier: MIT
"""Files come to be together or not at all, and never over others unless asked."""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocin.errors import InputError, UsageError
from pocin.output import PUBLIC_MODE, SECRET_MODE, claimed, refuse_existing


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def old_roads(folder: Path) -> None:
    """Put an older release of roads into a folder."""
    (folder / "roads").mkdir()
    (folder / "roads" / "old.csv").write_bytes(b"o")
    (folder / "roads" / "release.json").write_text('{"files": ["old.csv", "release.json"]}')


def test_files_and_folders_are_written_whole(tmp_path: Path) -> None:
    with claimed([tmp_path / "lone.m", tmp_path / "roads", tmp_path / "own.json"]) as stage:
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n", "release.json": b"r"}, PUBLIC_MODE)
        stage(tmp_path / "own.json", {"": b"secret"}, SECRET_MODE)
        assert not [name for name in names(tmp_path) if name in ("lone.m", "roads", "own.json")]
    assert names(tmp_path) == ["lone.m", "node.csv", "own.json", "release.json", "roads"]
    assert (tmp_path / "lone.m").read_bytes() == b"grid"
    assert (tmp_path / "roads" / "node.csv").read_bytes() == b"n"
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("lone.m", "own.json")]
    assert modes == [PUBLIC_MODE, SECRET_MODE] or os.name == "nt"


@pytest.mark.parametrize("error", [ValueError("why"), KeyboardInterrupt()])
def test_a_fault_in_between_leaves_nothing(tmp_path: Path, error: BaseException) -> None:
    with pytest.raises(type(error)), claimed([tmp_path / "lone.m", tmp_path / "roads"]) as stage:  # noqa: PT012
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
        raise error
    assert names(tmp_path) == []


def test_a_place_that_is_gone_is_named(tmp_path: Path) -> None:
    place = tmp_path / "going" / "b.m"
    place.parent.mkdir()
    with (  # noqa: PT012
        pytest.raises(InputError, match=r"going.b\.m: cannot be written \(No such file"),
        claimed([place]) as stage,
    ):
        shutil.rmtree(place.parent)
        stage(place, {"": b"grid"}, PUBLIC_MODE)
    assert names(tmp_path) == []


def test_what_stood_there_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "lone.m").write_bytes(b"an older and longer grid")
    old_roads(tmp_path)
    with claimed([tmp_path / "lone.m", tmp_path / "roads"], force=True) as stage:
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
    assert (tmp_path / "lone.m").read_bytes() == b"grid"
    assert names(tmp_path / "roads") == ["node.csv"]


def test_what_stood_there_comes_back_if_one_cannot_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lone.m").write_bytes(b"old")
    old_roads(tmp_path)
    replace = Path.replace

    def stuck(self: Path, target: Path) -> Path:
        if target.name == "own.json":
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stuck)
    with (  # noqa: PT012
        pytest.raises(InputError, match=r"own\.json: cannot be written"),
        claimed(
            [tmp_path / "lone.m", tmp_path / "roads", tmp_path / "new.json", tmp_path / "own.json"],
            force=True,
        ) as stage,
    ):
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
        stage(tmp_path / "new.json", {"": b"statement"}, PUBLIC_MODE)
        stage(tmp_path / "own.json", {"": b"secret"}, SECRET_MODE)
    assert names(tmp_path) == ["lone.m", "old.csv", "release.json", "roads"]
    assert (tmp_path / "lone.m").read_bytes() == b"old"


@pytest.fixture(params=["alone", "beside a thread"])
def company(request: pytest.FixtureRequest) -> Iterator[None]:
    """A progress bar's thread may take a signal that the main thread masks."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    if request.param != "alone":
        thread.start()
    yield
    ended.set()


@pytest.mark.usefixtures("company")
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_ctrl_c_waits_while_files_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with (  # noqa: PT012
        pytest.raises(KeyboardInterrupt),
        claimed([tmp_path / "a.m", tmp_path / "b.json"]) as stage,
    ):
        stage(tmp_path / "a.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "b.json", {"": b"secret"}, SECRET_MODE)
    assert names(tmp_path) == ["a.m", "b.json"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_secret_is_never_open_to_others(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_bytes(b"")
    (tmp_path / "own.json").chmod(0o666)
    mask = os.umask(0)
    try:
        with claimed([tmp_path / "own.json"], force=True) as stage:
            stage(tmp_path / "own.json", {"": b"secret"}, SECRET_MODE)
            (folder,) = tmp_path.glob(".pocin-*")
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "own.json").stat().st_mode) == SECRET_MODE


HOLDER = """
import os, sys
from pathlib import Path
from pocin.output import claimed
with claimed([Path(sys.argv[1])]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the place ``out.m``."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "out.m")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_place_is_one_runs_at_a_time(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    claim = claimed([tmp_path / "out.m"])
    with pytest.raises(UsageError, match=r"out\.m: another run is writing here; wait"), claim:
        pass
    with claimed([tmp_path / "other.m"]) as stage:
        stage(tmp_path / "other.m", {"": b"grid"}, PUBLIC_MODE)
    other.kill()
    other.wait()
    with claimed([tmp_path / "out.m"]) as stage:
        stage(tmp_path / "out.m", {"": b"grid"}, PUBLIC_MODE)
    assert names(tmp_path) == ["other.m", "out.m"]


def test_many_runs_for_one_place_let_one_pass(tmp_path: Path) -> None:
    """They begin and end as they like; whoever holds the place finds it as the last left it."""
    inside, passed, refused = [0], [], []

    def run(number: int) -> None:
        for _ in range(50):
            try:
                with claimed([tmp_path / "out.m"], force=True) as stage:
                    inside[0] += 1
                    assert inside[0] == 1
                    stage(tmp_path / "out.m", {"": str(number).encode()}, PUBLIC_MODE)
                    inside[0] -= 1
                passed.append(number)
            except UsageError:
                refused.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) + len(refused) == 200
    assert passed
    assert names(tmp_path) == ["out.m"]


def test_what_a_killed_run_left_is_cleared(tmp_path: Path) -> None:
    """It was killed before its files were whole: nothing of them comes to its place."""
    with pytest.raises(KeyboardInterrupt), claimed([tmp_path / "out.m"]):  # noqa: PT012
        (left,) = tmp_path.iterdir()
        (left / "0").write_bytes(b"half a gr")
        shutil.copytree(left, tmp_path / "copy")
        raise KeyboardInterrupt
    (tmp_path / "copy").rename(left)
    left.chmod(0o700)
    with claimed([tmp_path / "out.m"]) as stage:
        assert names(left) == ["lock"]
        stage(tmp_path / "out.m", {"": b"grid"}, PUBLIC_MODE)
    assert names(tmp_path) == ["out.m"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_nobody_reads_along(tmp_path: Path) -> None:
    """A folder of the claim's name that others can open, or a link to one, is refused."""
    with claimed([tmp_path / "out.m"]):
        (folder,) = tmp_path.iterdir()
    folder.mkdir()
    folder.chmod(0o755)
    with pytest.raises(UsageError, match="stands in the way"), claimed([tmp_path / "out.m"]):
        pass
    folder.rename(tmp_path / "theirs")
    folder.symlink_to(tmp_path / "theirs")
    with pytest.raises(UsageError, match="stands in the way"), claimed([tmp_path / "out.m"]):
        pass
    assert names(tmp_path / "theirs") == []


@pytest.mark.parametrize("force", [False, True])
class TestRefusal:
    def test_a_free_place(self, tmp_path: Path, force: bool) -> None:  # noqa: FBT001
        refuse_existing([tmp_path / "a.m", tmp_path / "b.m"], force=force)
        assert names(tmp_path) == []

    def test_no_folder(self, tmp_path: Path, force: bool) -> None:  # noqa: FBT001
        with pytest.raises(UsageError, match="its folder does not exist"):
            refuse_existing([tmp_path / "gone" / "a.m"], force=force)

    def test_a_folder_that_is_no_release(self, tmp_path: Path, force: bool) -> None:  # noqa: FBT001
        (tmp_path / "a.m").mkdir()
        with pytest.raises(UsageError, match="is a folder"):
            refuse_existing([tmp_path / "a.m"], force=force)

    def test_an_input(self, tmp_path: Path, force: bool) -> None:  # noqa: FBT001
        (tmp_path / "a.m").touch()
        (tmp_path / "link.m").symlink_to(tmp_path / "a.m")
        for name in ("a.m", "link.m"):
            with pytest.raises(UsageError, match="made from this file"):
                refuse_existing([tmp_path / name], force=force, inputs=[tmp_path / "a.m"])

    def test_the_folder_of_an_input(self, tmp_path: Path, force: bool) -> None:  # noqa: FBT001
        (tmp_path / "roads").mkdir()
        for name in ("release.json", "link.csv"):
            (tmp_path / "roads" / name).touch()
        with pytest.raises(UsageError, match="made from this file"):
            refuse_existing(
                [tmp_path / "roads"], force=force, inputs=[tmp_path / "roads" / "link.csv"]
            )


def test_only_force_replaces(tmp_path: Path) -> None:
    (tmp_path / "b.m").touch()
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "release.json").write_text('{"files": ["link.csv", "release.json"]}')
    for name in ("b.m", "roads"):
        with pytest.raises(UsageError):
            refuse_existing([tmp_path / "a.m", tmp_path / name], force=False)
        refuse_existing([tmp_path / "a.m", tmp_path / name], force=True)


@pytest.mark.parametrize("said", ["", "[]", "{}", '{"files": 3}', '{"files": [[]]}', "{", "\0"])
def test_not_even_force_replaces_what_is_no_release(tmp_path: Path, said: str) -> None:
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "release.json").write_text(said)
    with pytest.raises(UsageError, match="holds more than a release; choose another name"):
        refuse_existing([tmp_path / "roads"], force=True)


@pytest.mark.parametrize("force", [False, True])
def test_nothing_is_written_into_a_release(tmp_path: Path, force: bool) -> None:  # noqa: FBT001
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "release.json").write_text('{"files": ["release.json"]}')
    with pytest.raises(UsageError, match="lies in a release, which is public; name a place besid"):
        refuse_existing([tmp_path / "roads" / "a.m"], force=force)


def test_not_even_force_removes_a_file_beside_a_release(tmp_path: Path) -> None:
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "release.json").write_text('{"files": ["link.csv", "release.json"]}')
    (tmp_path / "roads" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds more than a release"):
        refuse_existing([tmp_path / "roads"], force=True)
