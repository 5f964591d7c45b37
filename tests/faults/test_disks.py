# SPDX-License-Identifier: MIT
"""Disks that are full, folders that take nothing, places that are no files."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.desks import Desk, city_desk, grid_desk
from tests.faults.forge import Ended, Forge

from pocin.privacy.ledger import Ledger

KB = 1024
SHARED = Path("/dev/shm")  # noqa: S108  (a second disk)


@pytest.fixture(params=["grid", "city"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return {"grid": grid_desk, "city": city_desk}[request.param](tmp_path / "desk")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 KB."""
    place, mount = tmp_path / "disk", shutil.which("mount")
    place.mkdir()
    words = [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if mount is None or subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("this user may mount nothing")
    yield place
    subprocess.run([shutil.which("umount") or "umount", str(place)], check=True)


def one_sentence(ended: Ended, *codes: int) -> None:
    assert ended.code in codes, ended.err
    assert ended.out == ""
    assert ended.err.startswith("pocin: ")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("most", [400, 1_500, 5_000, 13_000])
def test_no_file_may_grow(desk: Desk, forge: Forge, most: int) -> None:
    """A write fails at each of these sizes: in the ledger, its head, the network, the record."""
    ended = forge.run(*desk.words, at=desk.folder, fault="small_files", arguments=[most])
    check_short(desk, ended, forge)


def check_short(desk: Desk, ended: Ended, forge: Forge) -> None:
    """Assert that a release on a full disk is whole or is not, and that the next one works."""
    if ended.code:
        one_sentence(ended, 3, 2)
        assert desk.there == []
    else:
        desk.check_whole()
    spends = desk.spends
    assert desk.strangers == []
    assert spends <= 1
    assert ended.code or spends == 1
    again = forge.run(*desk.words, "--force", at=desk.folder)
    assert again.code == 0, again.err
    assert desk.spends == spends + 1
    desk.check_whole()


@pytest.mark.parametrize("left", [0, 4, 12, 20, 28, 40])
def test_a_full_disk(small_disk: Path, forge: Forge, left: int) -> None:
    """So many KB are left for the ledger, its journal and head, and the three files."""
    desk = grid_desk(small_disk / "desk")
    filler = small_disk / "filler"
    fill(filler, left)
    ended = forge.run(*desk.words, at=desk.folder)
    filler.unlink()
    check_short(desk, ended, forge)


def fill(path: Path, left: int) -> None:
    """Fill a disk up to some KB."""
    with path.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4 * KB))
        except OSError:
            pass
        file.truncate(max(0, file.tell() - left * KB))


def test_a_disk_that_fills_while_the_solver_works(
    small_disk: Path, forge: Forge, tmp_path: Path
) -> None:
    """The output's disk is full, the ledger's is not: the spend stands, no file does."""
    desk = grid_desk(small_disk / "desk")
    fill(small_disk / "filler", 8)
    words = [str(tmp_path / word) if word == "l.sqlite" else word for word in desk.words]
    ended = forge.run(*words, at=desk.folder)
    one_sentence(ended, 3)
    assert "No space left on device" in ended.err
    assert desk.there == []
    assert desk.strangers == []
    ledger = Ledger.at(tmp_path / "l.sqlite")
    assert [len(ledger.history(name).spends) for name in ledger.networks()] == [1]


def test_a_read_only_folder(small_disk: Path, forge: Forge, tmp_path: Path) -> None:
    desk = grid_desk(small_disk / "desk")
    remount = [shutil.which("mount") or "mount", "-o", "remount,ro", str(small_disk)]
    subprocess.run(remount, check=True)
    one_sentence(ended := forge.run(*desk.words, at=desk.folder), 2)
    assert "no file can be made in this folder (Read-only file system)" in ended.err
    words = [str(tmp_path / "out.m") if word == "out.m" else word for word in desk.words]
    one_sentence(ended := forge.run(*words, at=desk.folder), 3)
    assert "ledger" in ended.err
    assert not list(tmp_path.glob("out.m*"))
    assert not list(tmp_path.glob(".pocin*"))


@pytest.mark.parametrize("force", [(), ("--force",)])
@pytest.mark.parametrize("what", ["folder", "pipe", "socket", "device", "mount", "loop", "lost"])
def test_a_place_that_is_no_file(
    what: str, force: tuple[str, ...], forge: Forge, tmp_path: Path
) -> None:
    """Nothing is spent, and what stands there stays; a link is not followed."""
    desk = grid_desk(tmp_path / "desk")
    place = desk.folder / "out.m"
    with socket.socket(socket.AF_UNIX) as held:
        {
            "folder": place.mkdir,
            "pipe": lambda: os.mkfifo(place),
            "socket": lambda: held.bind(str(place)),
            "device": lambda: place.symlink_to("/dev/null"),
            "mount": lambda: place.symlink_to(SHARED),
            "loop": lambda: place.symlink_to(place),
            "lost": lambda: place.symlink_to("nowhere.m"),
        }[what]()
        before = place.lstat()
        ended = forge.run(*desk.words, *force, at=desk.folder)
    if place.is_symlink() or (force and what in ("device", "loop", "lost")):
        assert ended.code == (0 if force and what != "mount" else 2), ended.err
    else:
        one_sentence(ended, 2)
    if ended.code:
        assert os.path.samestat(before, place.lstat())
        assert desk.spends == 0
    else:
        desk.check_whole()
        assert not place.is_symlink()
    assert desk.strangers == []


ODD = ["a b.m", "-out.m", "ü—中.m", "new\nline.m", "quo'te\".m", "$(x)`y`.m", "%s{0}.m", ".m.m"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names(name: str, forge: Forge, tmp_path: Path) -> None:
    desk = grid_desk(tmp_path / "desk")
    words = ["--output=" + name if w == "out.m" else w for w in desk.words if w != "-o"]
    ended = forge.run(*words, at=desk.folder)
    assert ended.code == 0, ended.err
    outputs = (name, f"{name}.release.json", f"{name}.curator.json")
    Desk(desk.folder, desk.words, outputs).check_whole()


@pytest.mark.parametrize("length", [200, 236, 237, 240, 255, 256, 5_000])
def test_long_names(length: int, forge: Forge, tmp_path: Path) -> None:
    """Names have 255 bytes at most, and a release's record needs 13 more than its own."""
    desk = grid_desk(tmp_path / "desk")
    name = "n" * (length - 2) + ".m"
    words = [name if word == "out.m" else word for word in desk.words]
    ended = forge.run(*words, at=desk.folder)
    if length + len(".curator.json") <= 255:
        assert ended.code == 0, ended.err
    else:
        one_sentence(ended, 2 if length <= 255 else 3)
        assert "File name too long" in ended.err
        assert desk.spends == 0
        assert {path.name for path in desk.folder.iterdir()} == {"rich.m"}


@pytest.mark.skipif(not SHARED.is_dir(), reason="there is no second disk")
def test_another_disk(forge: Forge, tmp_path: Path) -> None:
    """Source and ledger here, output there, and a link from here to there is replaced itself."""
    there = SHARED / tmp_path.name
    there.mkdir()
    try:
        desk = grid_desk(tmp_path / "desk")
        words = [str(there / "out.m") if word == "out.m" else word for word in desk.words]
        assert forge.run(*words, at=desk.folder).code == 0
        assert len(list(there.iterdir())) == 3
        kept = (there / "out.m").read_bytes()
        (desk.folder / "out.m").symlink_to(there / "out.m")
        assert forge.run(*desk.words, "--force", at=desk.folder).code == 0
        desk.check_whole()
        assert (there / "out.m").read_bytes() == kept
    finally:
        shutil.rmtree(there)
