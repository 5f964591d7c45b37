# SPDX-License-Identifier: MIT
"""Files are written whole or not at all, and never over others unless asked."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError, UsageError
from pocin.kinds import STATEMENT
from pocin.signals import put_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pocin.kinds import Document

SECRET_MODE = stat.S_IRUSR | stat.S_IWUSR
PUBLIC_MODE = 0o644


def refuse_existing(paths: list[Path], *, force: bool, inputs: Iterable[Path] = ()) -> None:
    """Stop before any work where a file would be overwritten or cannot be made.

    ``inputs`` are what the release is made from; not even ``force`` replaces these.
    """
    for path in (path for path in paths if path.parent not in paths):
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
        if path.exists() and not force:
            raise UsageError(f"{path}: exists; choose another name or give --force")
    for folder in {path.parent for path in paths} - set(paths):
        _try(folder)


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
def together() -> Iterator[Callable[[Path, Document, int], None]]:
    """Yield a function that writes beside a place; at the end all move to their places, or none."""
    staged: list[tuple[Path, Path]] = []
    with contextlib.ExitStack() as stack:

        def stage(path: Path, document: Document, mode: int) -> None:
            with _sentence(path):
                folder = Path(tempfile.mkdtemp(prefix=".pocin-", dir=path.parent))  # mode 0700
                stack.callback(shutil.rmtree, folder, ignore_errors=True)
                staged.append((_written(folder / "staged", document, mode), path))

        yield stage
        with put_off(), contextlib.ExitStack() as undo:
            for temporary, path in staged:
                with _sentence(path):
                    _move(temporary, path, undo)
            undo.pop_all()


def _move(temporary: Path, path: Path, undo: contextlib.ExitStack) -> None:
    """Move a staged file or folder to its place; ``undo`` learns how to put back what was there."""
    before = temporary.with_name("before")
    if path.is_dir() and not path.is_symlink():
        path.replace(before)
        undo.callback(before.replace, path)
    elif os.path.lexists(path):
        shutil.copy2(path, before, follow_symlinks=False)
        undo.callback(before.replace, path)
    temporary.replace(path)
    undo.callback(path.replace, temporary)


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
