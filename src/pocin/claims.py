# SPDX-License-Identifier: MIT
"""A place that one process holds: a folder that only its owner can read, with a lock in it.

The system takes the lock back when its process ends, however it ends. So a folder that nobody
holds was left by a run that was killed, and the next may take it over.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from pocin.errors import UsageError
from pocin.signals import put_off

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCK = "lock"
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@contextmanager
def held(folder: Path, what: str) -> Iterator[None]:
    """Hold a folder, made where there is none, and remove it at the end with all that it holds."""
    with ExitStack() as stack:
        with put_off():
            stack.callback(_let_go, folder, _taken(folder, what))
        yield


def clear(folder: Path) -> None:
    """Remove all but the lock."""
    with suppress(OSError):
        for found in folder.iterdir():
            if found.is_dir() and not found.is_symlink():
                shutil.rmtree(found, ignore_errors=True)
            elif found.name != _LOCK:
                found.unlink()


def _taken(folder: Path, what: str) -> int:
    """Make the folder, or take over one that nobody holds, and return its lock."""
    while True:
        fresh = False
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            fresh = True
        with suppress(FileNotFoundError):  # its holder may be done just now
            if not fresh:  # some disks keep no modes: of one's own there is no doubt
                _refuse_strange(folder, what)
            lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
            if not _locked(lock):
                os.close(lock)
                raise UsageError(
                    f"{what}: another run is writing here; wait for it, or choose another name"
                )
            if _is(lock, folder / _LOCK):
                return lock
            os.close(lock)


def _refuse_strange(folder: Path, what: str) -> None:
    """Refuse what someone else has put there to read along."""
    found = folder.lstat()
    mine = sys.platform == "win32" or not (found.st_uid != os.geteuid() or found.st_mode & _OTHERS)
    if not (stat.S_ISDIR(found.st_mode) and mine):
        raise UsageError(f"{folder}: stands in the way of {what}; remove it")


def _locked(lock: int) -> bool:
    """Lock an open file for this process, or say that another holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is(lock: int, path: Path) -> bool:
    """Return whether an open file is still the one of this name: its holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def _let_go(folder: Path, lock: int) -> None:
    """Remove the folder, its lock last."""
    with put_off():
        clear(folder)
        if sys.platform == "win32":
            os.close(lock)  # it could not be removed open
        with suppress(OSError):
            (folder / _LOCK).unlink()
            folder.rmdir()
        if sys.platform != "win32":
            os.close(lock)
