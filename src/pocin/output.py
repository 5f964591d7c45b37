# SPDX-License-Identifier: MIT
"""Files are written whole or not at all, and never over others unless asked."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pocin.kinds import Document

SECRET_MODE = stat.S_IRUSR | stat.S_IWUSR
PUBLIC_MODE = 0o644


def refuse_existing(paths: list[Path], *, force: bool) -> None:
    """Stop before any work where a file would be overwritten or has no folder to go to."""
    for path in paths:
        if not path.parent.is_dir():
            raise UsageError(f"{path}: its folder does not exist; make it first")
        if path.is_dir() and not (force and _ours(path)):
            raise UsageError(f"{path}: is a folder; name a file")
        if path.exists() and not force:
            raise UsageError(f"{path}: exists; choose another name or give --force")


def _ours(path: Path) -> bool:
    """Return whether a folder is a release, which --force may replace."""
    return (path / "release.json").is_file()


def write_document(path: Path, document: Document) -> None:
    """Write a release: a file, or a folder of files."""
    if "" in document:
        write_files({path: (document[""], PUBLIC_MODE)})
    else:
        _write_folder(path, document)


def write_files(files: Mapping[Path, tuple[bytes, int]]) -> None:
    """Write every file beside its place first, then move them all there."""
    with contextlib.ExitStack() as stack:
        staged = [
            (stack.enter_context(_staged(path, data, mode)), path)
            for path, (data, mode) in files.items()
        ]
        for temporary, path in staged:
            temporary.replace(path)


@contextlib.contextmanager
def _staged(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    """Write bytes to a temporary file in the same folder; it is gone afterwards if not moved."""
    temporary = None
    try:
        handle, name = tempfile.mkstemp(prefix=".pocin-", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        yield temporary
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); check the folder and the disk"
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _write_folder(path: Path, document: Document) -> None:
    """Write a folder beside its place, then move it there."""
    try:
        temporary = Path(tempfile.mkdtemp(prefix=".pocin-", dir=path.parent))
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        write_files({temporary / name: (data, PUBLIC_MODE) for name, data in document.items()})
        temporary.chmod(0o755)
        if path.exists():
            shutil.rmtree(path)
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
