# SPDX-License-Identifier: MIT
"""Files are written whole or not at all, and never over others unless asked.

    claim ──► stage ──► stage ──► vow ──► move ──► move ──► gone
      └ one run at a time            └ from here on the files will come to their places

A claim is a folder beside the place, which only its owner can read and which one process holds by
a lock. All files are written there, down to the disk; then a *vow*, an empty file, says that they
are whole; then they move. Whatever ends the process, its lock ends with it: the next claim to the
same place finds the folder and throws it away, or, where the vow was made, moves what is left.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
from typing import TYPE_CHECKING

from pocin.claims import clear, held
from pocin.errors import InputError, UsageError
from pocin.kinds import STATEMENT
from pocin.signals import put_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pocin.kinds import Document

    Stage = Callable[[Path, Document, int], None]

SECRET_MODE = stat.S_IRUSR | stat.S_IWUSR
PUBLIC_MODE = 0o644

_VOW = "vow"


def refuse_existing(paths: list[Path], *, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Stop before any work where a file would be overwritten or cannot be made.

    ``inputs`` are what the release is made from; not even ``force`` replaces these.
    """
    for path in (path for path in paths if path.parent not in paths):
        try:
            _refuse(path, force=force, inputs=inputs)
        except (OSError, ValueError) as error:  # a name that is too long, or holds a NUL
            why = getattr(error, "strerror", None) or "its name is none of a file"
            raise UsageError(f"{path}: cannot be made ({why}); choose another name") from None
    for folder in {path.parent for path in paths} - set(paths):
        _try(folder)


def _refuse(path: Path, *, force: bool, inputs: Iterable[Path]) -> None:
    """Stop where one file cannot be made."""
    if any(_holds(path, given) for given in inputs):
        raise UsageError(f"{path}: the release is made from this file; name another")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: its folder does not exist; make it first")
    if (path.parent / STATEMENT).is_file():
        raise UsageError(f"{path}: lies in a release, which is public; name a place beside it")
    if path.is_dir() and not _ours(path):
        raise UsageError(
            f"{path}: is a folder that stands already and holds more than a release; choose "
            "another name"
        )
    if path.is_mount():
        raise UsageError(f"{path}: is where a disk is mounted; name a place inside of it")
    there = os.path.lexists(path)
    if there and not (path.is_symlink() or path.is_file() or path.is_dir()):
        raise UsageError(f"{path}: is a pipe or a device; name a file")
    if there and not force:
        raise UsageError(f"{path}: exists; choose another name or give --force")


def _holds(path: Path, given: Path) -> bool:
    """Return whether a place is that of a file, or a folder that it stands in."""
    if not (path.exists() and given.exists()):
        return False
    return path.samefile(given) or path.resolve() in given.resolve().parents


def _try(folder: Path) -> None:
    """Stop where a folder takes no files: after the draws the privacy would be spent in vain."""
    try:
        tempfile.TemporaryFile(prefix=".pocin-", dir=folder).close()
    except OSError as error:
        raise UsageError(
            f"{folder}: no file can be made in this folder ({error.strerror}); name another"
        ) from None


def _ours(path: Path) -> bool:
    """Return whether a folder is a release and nothing else, which --force may replace."""
    try:
        said = json.loads((path / STATEMENT).read_bytes())
        return {file.name for file in path.iterdir()} <= set(said["files"])
    except (OSError, ValueError, LookupError, TypeError):
        return False


@contextlib.contextmanager
def claimed(
    paths: list[Path], *, force: bool = False, inputs: Iterable[Path] = ()
) -> Iterator[Stage]:
    """Hold these places, and yield a function that writes for one of them.

    At the end what was written moves to its places, or, after any error, nothing does.
    """
    outer = [path for path in paths if path.parent not in paths]
    folder = _folder(outer[0])
    if not os.path.lexists(folder):  # one that stands is looked at first: it tells more
        refuse_existing(paths, force=force, inputs=inputs)
    with contextlib.ExitStack() as stack:
        with _sentence(outer[0]), put_off():
            stack.enter_context(held(folder, str(outer[0])))
            _settle(folder, outer)
        refuse_existing(paths, force=force, inputs=inputs)

        def stage(path: Path, document: Document, mode: int) -> None:
            with _sentence(path):
                _written(folder / f"{outer.index(path)}", document, mode)

        yield stage
        with put_off():
            with _sentence(outer[0]):
                _written(folder / _VOW, {"": _vow(outer)}, SECRET_MODE)
            _move_all(folder, outer)


def _folder(place: Path) -> Path:
    """Return the folder of a claim, whose name is of one length, however long the place's is."""
    digest = hashlib.sha256(os.fsencode(place.name)).hexdigest()[:16]
    return place.with_name(f".pocin-{digest}")


def _vow(paths: list[Path]) -> bytes:
    """Return what a vow holds: where the files of a claim go, by their names."""
    return json.dumps([path.name for path in paths]).encode()


def _move_all(folder: Path, paths: list[Path]) -> None:
    """Move all that is staged to its places, or, after an error, nothing."""
    with contextlib.ExitStack() as undo:
        undo.callback((folder / _VOW).unlink)
        for number, path in enumerate(paths):
            with _sentence(path):
                _move(folder / f"{number}", path, undo)
        undo.pop_all()


def _move(staged: Path, path: Path, undo: contextlib.ExitStack) -> None:
    """Move a staged file or folder to its place; ``undo`` learns how to put back what was there."""
    if not staged.exists():
        return  # it was moved before, by a run that was killed, or never written
    before = staged.with_name(f"{staged.name} before")
    if path.is_dir() and not path.is_symlink():
        path.replace(before)
        undo.callback(before.replace, path)
    elif os.path.lexists(path):
        shutil.copy2(path, before, follow_symlinks=False)
        undo.callback(before.replace, path)
    staged.replace(path)
    undo.callback(path.replace, staged)


def _settle(folder: Path, paths: list[Path]) -> None:
    """Bring to their places what a killed run vowed to, and throw away the rest."""
    try:
        vowed = (folder / _VOW).read_bytes() == _vow(paths)
    except FileNotFoundError:
        vowed = False
    left = [path for number, path in enumerate(paths) if (folder / f"{number}").exists()]
    if vowed and left:
        _move_all(folder, paths)
        clear(folder)
        raise UsageError(
            f"{paths[0]}: a run that was killed had made this, and now all its files are in their "
            "places; keep them, or give --force to make them anew"
        )
    clear(folder)


def _written(path: Path, document: Document, mode: int) -> Path:
    """Write a file, or a folder of files, down to the disk."""
    if "" not in document:
        path.mkdir()
    for name, data in document.items():
        with (path / name).open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        (path / name).chmod(mode)
    return path


@contextlib.contextmanager
def _sentence(path: Path) -> Iterator[None]:
    """Turn what a disk can raise into one sentence."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); check the folder and the disk"
        ) from None
