# SPDX-License-Identifier: MIT
"""Files that others wrote: opened where they are plain files, read whole, and never without bound.

    what is read                        bytes    lines         cells
    tables: grids, roads, trips, costs  256 MiB  10 million    25 million
    street graphs (XML)                 1 GiB    5 million nodes and edges
    settings: policies, studies         1 MiB    as they are

A cell is a word between blanks, commas and the like, or the place between two commas: what a
parser makes an object of. So memory is bounded by these numbers, whatever a file claims of itself.
"""

from __future__ import annotations

import os
import stat
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_MB = 2**20
_CHUNK = 4 * _MB
_BLANK, _PARTS, _ENDS = b" \t\n\r\f\v,;:\"'[]{}()<>=", b",;\n\r", b";\n\r"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Limits:
    """How much of a file is read; none of lines or cells where its reader counts what it keeps."""

    size: int
    lines: int | None = None
    cells: int | None = None


TABLES = Limits(256 * _MB, 10_000_000, 25_000_000)
GRAPHS = Limits(1024 * _MB)
SETTINGS = Limits(_MB)


def read_bytes(path: Path, limits: Limits = TABLES) -> bytes:
    """Read a file whole, or say in one sentence why not."""
    try:
        data = _read(path, limits)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder; name a file in it") from None
    except PermissionError:
        raise InputError(f"{path}: no permission to read this file; ask its owner") from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        why = getattr(error, "strerror", None) or "its name is none of a file"
        raise InputError(f"{path}: cannot be read ({why}); check the path") from None
    _count(data, limits, path)
    return data


def _read(path: Path, limits: Limits) -> bytes:
    """Read a plain file that stays as it is meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:  # noqa: PTH123  (a pipe must not be waited for)
        before = os.fstat(file.fileno())
        if stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(before.st_mode):
            raise InputError(f"{path}: is a pipe or a device; save it as a file and name that")
        data = file.read(limits.size + 1) if before.st_size <= limits.size else b""
        after = os.fstat(file.fileno())
    if max(len(data), after.st_size) > limits.size:
        raise InputError(
            f"{path}: is larger than {limits.size // _MB:,} MiB, and no more is read of one file; "
            "take out what the network does not need"
        )
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError(f"{path}: was changed while it was read; try again once it is whole")
    return data


def _count(data: bytes, limits: Limits, path: Path) -> None:
    """Refuse more lines or cells than a parser should make objects of: each has a byte or more."""
    for most, counted, what in (
        (limits.lines, _lines, "lines"),
        (limits.cells, _cells, "cells"),
    ):
        if most is not None and len(data) > most and counted(data) > most:
            raise InputError(
                f"{path}: has more than {most:,} {what}, and no more are read of one file; take "
                "out what the network does not need"
            )


def _lines(data: bytes) -> int:
    """Count what ends a line or a row."""
    return sum(data.count(bytes([end])) for end in _ENDS)


def _cells(data: bytes) -> int:
    """Count words, or places between commas, whichever are more."""
    blank, parts = _table(_BLANK), _table(_PARTS)
    words = places = 0
    before = True
    for at in range(0, len(data), _CHUNK):
        chunk = np.frombuffer(data, np.uint8, min(_CHUNK, len(data) - at), at)
        empty = blank[chunk]
        words += int(np.count_nonzero(empty[:-1] & ~empty[1:])) + int(before and not empty[0])
        places += int(np.count_nonzero(parts[chunk]))
        before = bool(empty[-1])
    return max(words, places)


def _table(marks: bytes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return whether each byte is one of these."""
    return np.isin(np.arange(256), list(marks))


def text_of(data: bytes, place: str) -> str:
    """Decode a file: UTF-8, or Latin-1 as old files have in their comments."""
    if data.startswith(_UTF_16):
        raise InputError(f"{place}: is not a text file in UTF-8 but in UTF-16; save it as UTF-8")
    if b"\0" in data:
        raise InputError(f"{place}: is not a text file; save it as plain text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def read_toml(path: Path) -> dict[str, Any]:
    """Read settings, or say what is wrong in one sentence."""
    data = read_bytes(path, SETTINGS)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not TOML, for it is not UTF-8; save it as UTF-8") from None
    except RecursionError:
        raise InputError(f"{path}: is not TOML that is read: it nests too deep; mend it") from None
    except ValueError as error:
        raise InputError(f"{path}: is not TOML ({error}); mend the file") from None
