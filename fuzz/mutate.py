# SPDX-License-Identifier: MIT
"""Mutations that know cells, rows, columns and sections, so that many inputs stay networks.

Text is cut into cells at blanks and the marks that formats part cells by. A mutation is a few
steps, most of them gentle: a number for a number, a row moved. ``native`` (atheris' own, which
knows bytes and the dictionary) does the rest. All is a function of the data and the seed.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from fuzz.documents import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fuzz.judge import Target

    Native = Callable[[bytes, int], bytes]

_CELL = re.compile(rb"[^\s,;:=\[\](){}<>\"'\\/]+")
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_MARKS = b",;:\t []{}()<>\"'=/%~\n.-"
_WHOLE, _WORDY = 0.04, 0.7


class Mutator:
    """Makes inputs out of inputs; ``seeds`` are valid ones, ``target`` says how."""

    def __init__(self, seeds: Sequence[bytes], target: Target) -> None:
        self.seeds, self.fresh, self.steps = list(seeds), target.fresh, target.steps
        self.spoken = target.spoken
        self.words = [word.encode() for word in target.words]

    def __call__(self, data: bytes, size: int, seed: int, native: Native) -> bytes:
        """Return a mutated input of at most this size.

        Inputs that cover something new are mostly broken ones, so that what is bred from these
        alone would no more be a network: a share begins again at a valid one.
        """
        rng = Random(seed)  # noqa: S311  (inputs are to repeat)
        if rng.random() < _WHOLE:
            return native(data, size)
        fresh = rng.random() < self.fresh
        parts = unpack(rng.choice(self.seeds) if fresh else data)
        if fresh and self.spoken:
            parts = self.spoken(rng, parts)
        if not parts:
            return native(data, size)
        for _ in range(rng.randint(1, self.steps)):
            name = rng.choice(list(parts))
            parts[name] = self._step(parts[name], rng, native)
        return pack(parts)[:size]

    def _step(self, text: bytes, rng: Random, native: Native) -> bytes:
        """Take one step in one file."""
        chosen = rng.choices(_STEPS_OF, _WEIGHTS)[0]
        return chosen(self, text, rng, native)

    def number(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Put another number in the place of one."""
        cell, other = _found(_NUMBER, text, rng), _found(_NUMBER, text, rng)
        return _put(text, cell, _near(cell[0], other[0], rng)) if cell and other else text

    def cell(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Put a word of the format, or another cell, in the place of a cell."""
        cell, other = _found(_CELL, text, rng), _found(_CELL, text, rng)
        if not (cell and other):
            return text
        return _put(text, cell, rng.choice(self.words) if rng.random() < _WORDY else other[0])

    def exchange(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Exchange two cells."""
        a, b = _found(_CELL, text, rng), _found(_CELL, text, rng)
        if not (a and b):
            return text
        a, b = (b, a) if b.start() < a.start() else (a, b)
        if a.end() > b.start():
            return text
        between = text[a.end() : b.start()]
        return text[: a.start()] + b[0] + between + a[0] + text[b.end() :]

    def rows(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Copy, drop, move or turn a few rows."""
        lines = text.split(b"\n")
        begin = rng.randrange(len(lines))
        end = begin + (1 if rng.random() < 0.6 else rng.randint(1, 6))  # noqa: PLR2004
        block, to = lines[begin:end], rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            lines[to:to] = block
        elif what == 1:
            del lines[begin:end]
        elif what == 2:  # noqa: PLR2004
            del lines[begin:end]
            lines[to:to] = block
        else:
            lines[begin:end] = block[::-1]
        return b"\n".join(lines)

    def column(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Drop, copy or move a column of rows that have as many cells as one of them."""
        lines = text.split(b"\n")
        mark = b"," if b"," in text else b"\t" if b"\t" in text else b" "
        at = rng.randrange(len(lines))
        width = lines[at].count(mark)
        if not width:
            return text
        a, b, what = rng.randrange(width + 1), rng.randrange(width + 1), rng.randrange(3)
        for k in range(at, len(lines)):
            cells = lines[k].split(mark)
            if len(cells) != width + 1:
                break
            cell = cells[a] if what == 0 else cells.pop(a)
            if what != 1:
                cells.insert(b, cell)
            lines[k] = mark.join(cells)
        return b"\n".join(lines)

    def mark(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Put a mark, or a word of the format, anywhere."""
        at = rng.randint(0, len(text))
        k = rng.randrange(len(_MARKS))
        piece = rng.choice(self.words) if rng.random() < 0.5 else _MARKS[k : k + 1]  # noqa: PLR2004
        return text[:at] + piece + text[at + rng.randrange(2) :]

    def cut(self, text: bytes, rng: Random, _native: Native) -> bytes:
        """Cut a file short."""
        return text[: rng.randint(0, len(text))]

    def bytes(self, text: bytes, rng: Random, native: Native) -> bytes:
        """Let the native mutator alter a row."""
        lines = text.split(b"\n")
        at = rng.randrange(len(lines))
        lines[at] = native(lines[at] or b"0", 2 * len(lines[at]) + 16)
        return b"\n".join(lines)


_TABLE = (
    (Mutator.number, 10),
    (Mutator.exchange, 3),
    (Mutator.rows, 4),
    (Mutator.cell, 2),
    (Mutator.column, 1),
    (Mutator.mark, 1),
    (Mutator.bytes, 1),
    (Mutator.cut, 0.3),
)
_STEPS_OF = tuple(step for step, _ in _TABLE)
_WEIGHTS = tuple(weight for _, weight in _TABLE)


def _found(kind: re.Pattern[bytes], text: bytes, rng: Random) -> re.Match[bytes] | None:
    """Return what is found from somewhere on; a search of the whole text would take longer."""
    at = rng.randrange(len(text) + 1)
    while at and not text[at - 1 : at].isspace() and at > 0:
        at -= 1
    return kind.search(text, at) or kind.search(text)


def _put(text: bytes, cell: re.Match[bytes], other: bytes) -> bytes:
    """Put something in the place of a cell."""
    return text[: cell.start()] + other + text[cell.end() :]


def _near(number: bytes, other: bytes, rng: Random) -> bytes:
    """Return a number like one: a step away, of another sign or size, longer, or the other one."""
    what = rng.randrange(8)
    if what < 3:  # noqa: PLR2004
        return other
    if what == 3:  # noqa: PLR2004
        return number[1:] if number[:1] == b"-" else b"-" + number
    if what == 4:  # noqa: PLR2004
        return number + rng.choice(
            (b"0", b"1", b".5", b"e1", b"e-3", b"e30", b"e308", b"000000000")
        )
    if what == 5:  # noqa: PLR2004
        return rng.choice((b"0", b"1", b"2", b"3", b"4", b"-0.0", b"0.5", b"1e-9"))
    digits = bytearray(number)
    at = rng.randrange(len(digits))
    if 48 <= digits[at] <= 57:  # noqa: PLR2004  (a digit)
        digits[at] = rng.randrange(48, 58)
    return bytes(digits)


def plain(data: bytes, size: int) -> bytes:
    """Stand in for the native mutator where there is none: drop the middle byte, or add one."""
    middle = len(data) // 2
    return (data[:middle] + data[middle + 1 :] if len(data) % 2 else data + b"\xff")[:size]
