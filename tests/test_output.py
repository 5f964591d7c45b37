# SPDX-License-Identifier: MIT
"""Files come to be together or not at all, and never over others unless asked."""

import errno
import os
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocin.errors import InputError, UsageError
from pocin.output import PUBLIC_MODE, SECRET_MODE, refuse_existing, together


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


def test_files_and_folders_are_written_whole(tmp_path: Path) -> None:
    with together() as stage:
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
    with pytest.raises(type(error)), together() as stage:  # noqa: PT012
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
        raise error
    assert names(tmp_path) == []


def test_a_place_that_is_gone_is_named(tmp_path: Path) -> None:
    told = r"gone.b\.m: cannot be written"
    with pytest.raises(InputError, match=told), together() as stage:  # noqa: PT012
        stage(tmp_path / "a.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "gone" / "b.m", {"": b"grid"}, PUBLIC_MODE)
    assert names(tmp_path) == []


def test_what_stood_there_is_replaced_whole(tmp_path: Path) -> None:
    (tmp_path / "lone.m").write_bytes(b"an older and longer grid")
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "old.csv").write_bytes(b"o")
    with together() as stage:
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
    assert (tmp_path / "lone.m").read_bytes() == b"grid"
    assert names(tmp_path / "roads") == ["node.csv"]


def test_what_stood_there_comes_back_if_one_cannot_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lone.m").write_bytes(b"old")
    (tmp_path / "roads").mkdir()
    (tmp_path / "roads" / "old.csv").write_bytes(b"o")
    replace = Path.replace

    def stuck(self: Path, target: Path) -> Path:
        if target.name == "own.json":
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", stuck)
    with pytest.raises(InputError, match=r"own\.json: cannot be written"), together() as stage:  # noqa: PT012
        stage(tmp_path / "lone.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "roads", {"node.csv": b"n"}, PUBLIC_MODE)
        stage(tmp_path / "new.json", {"": b"statement"}, PUBLIC_MODE)
        stage(tmp_path / "own.json", {"": b"secret"}, SECRET_MODE)
    assert names(tmp_path) == ["lone.m", "old.csv", "roads"]
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
    with pytest.raises(KeyboardInterrupt), together() as stage:  # noqa: PT012
        stage(tmp_path / "a.m", {"": b"grid"}, PUBLIC_MODE)
        stage(tmp_path / "b.json", {"": b"secret"}, SECRET_MODE)
    assert names(tmp_path) == ["a.m", "b.json"]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_a_secret_is_never_open_to_others(tmp_path: Path) -> None:
    (tmp_path / "own.json").write_bytes(b"")
    (tmp_path / "own.json").chmod(0o666)
    mask = os.umask(0)
    try:
        with together() as stage:
            stage(tmp_path / "own.json", {"": b"secret"}, SECRET_MODE)
            (folder,) = tmp_path.glob(".pocin-*")
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "own.json").stat().st_mode) == SECRET_MODE


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
