# SPDX-License-Identifier: MIT
"""Tables of text: columns by name, numbers out of them, and faults by file, row and column.

Rows are counted as a spreadsheet shows them: the header is row 1. What stands in a cell is never
echoed.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from pocin.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pocin.arrays import Floats, Ints, Mask

SHOWN = 5
_LARGEST = 10**18
_GAPS = ("", "nan")  # of GMNS
_EXACT = 2.0**53
_MOST_COLUMNS = 10_000


@dataclass(frozen=True)
class Table:
    """The cells of a table by column; ``place`` names its file."""

    place: str
    cells: Mapping[str, tuple[str, ...]]
    count: int

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.count

    def __contains__(self, name: str) -> bool:
        """Return whether the table has a column."""
        return name in self.cells

    def need(self, *names: str) -> None:
        """Refuse a table without these columns."""
        missing = [name for name in names if name not in self.cells]
        if missing:
            self.fail(f"has no column {' and no column '.join(missing)}; add it to the header")

    def ints(self, name: str) -> Ints:
        """Read a column of ids."""
        cells = self.cells[name]
        try:
            whole = plain(cells)
            found = np.array(list(map(int, cells)), np.int64) if whole else self._whole(name)
        except (ValueError, OverflowError):
            found = self._whole(name)
        bad = (found > _LARGEST) | (found < -_LARGEST)
        self.refuse(bad, name, "expected a whole number of at most 18 digits")
        return found

    def _whole(self, name: str) -> Ints:
        """Read ids that another program wrote as 12.0, or name the rows that are none."""
        numbers = [_number(cell) for cell in self.cells[name]]
        values = np.array(numbers, dtype=np.float64)
        bad = ~((values == np.floor(values)) & (np.abs(values) < _EXACT))
        self.refuse(bad, name, "expected a whole number; number the ids")
        return values.astype(np.int64)

    def floats(self, name: str, *, gaps: bool = False) -> Floats:
        """Read a column of finite numbers; empty and NaN cells are gaps where they may be."""
        cells = self.cells[name]
        try:
            convert = float if plain(cells) else _number
            found = np.array(list(map(convert, cells)), dtype=np.float64)
        except ValueError:
            found = np.array([_number(cell) for cell in cells], dtype=np.float64)
        bad = ~np.isfinite(found)
        if bad.any() and gaps:
            bad &= np.array([cell.strip().lower() not in _GAPS for cell in cells])
        self.refuse(bad, name, "expected a finite number")
        return found

    def optional(self, name: str) -> Floats:
        """Read a column with gaps, or one of NaN where there is none."""
        return self.floats(name, gaps=True) if name in self else np.full(self.count, np.nan)

    def flags(self, name: str) -> Mask:
        """Read a column of true and false; empty cells are false."""
        words = np.array([cell.strip().lower() for cell in self.cells[name]], dtype=np.str_)
        true = np.isin(words, ("true", "1", "t", "yes"))
        known = true | np.isin(words, ("false", "0", "f", "no", ""))
        self.refuse(~known, name, "expected true or false")
        return np.asarray(true)

    def refuse(self, bad: Mask, name: str, why: str) -> None:
        """Raise one sentence for the rows where ``bad`` holds."""
        if np.any(bad):
            self.fail(f"{rows(bad)}, column {name}: {why}")

    def fail(self, why: str) -> NoReturn:
        """Raise for this table."""
        raise InputError(f"{self.place}: {why}")


def read_csv(text: str, place: str) -> Table:
    """Read comma-separated text whose first row names the columns."""
    try:
        lines = list(csv.reader(io.StringIO(text.rstrip(), newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{place}: is not comma-separated text ({error}); mend it") from None
    if not lines:
        raise InputError(f"{place}: is empty; give it a header and rows")
    head = [name.strip().lower() for name in lines[0]]
    if len(head) > _MOST_COLUMNS:
        raise InputError(f"{place}: row 1: has more than {_MOST_COLUMNS:,} columns; is it a table?")
    named = [name for name in head if name]
    if len(set(named)) < len(named):
        raise InputError(f"{place}: row 1: a column stands twice in the header; keep one")
    if len(head) == 1 and re.search(r"[;\t]", head[0]):
        raise InputError(f"{place}: row 1: columns must be parted by commas; save it so")
    return table(head, lines[1:], place)


def table(head: list[str], lines: list[list[str]], place: str) -> Table:
    """Turn rows of cells into columns."""
    bad = np.array([len(row) != len(head) for row in lines], dtype=bool)
    if bad.any():
        raise InputError(f"{place}: {rows(bad)}: expected {len(head)} cells as in the header")
    columns = list(zip(*lines, strict=True)) or [()] * len(head)
    return Table(place, dict(zip(head, columns, strict=True)), len(lines))


def plain(cells: Iterable[str]) -> bool:
    """Return whether numbers may stand there: Python takes 1_000 and digits of any script."""
    text = "".join(cells)
    return text.isascii() and "_" not in text


def rows(bad: Mask) -> str:
    """Name the rows where a mask holds, the header being row 1."""
    at = np.flatnonzero(bad) + 2
    if len(at) == 1:
        return f"row {at[0]}"
    return f"rows {some(at)}"


def some(names: Ints) -> str:
    """Write the first few of some numbers, and how many follow."""
    text = ", ".join(map(str, names[:SHOWN].tolist()))
    return text if len(names) <= SHOWN else f"{text} and {len(names) - SHOWN} more"


def counted(count: int, what: str) -> str:
    """Write a count of things: 1 trip, 2 trips."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def write_csv(columns: Mapping[str, Floats | Ints | Mask], form: Callable[..., str]) -> bytes:
    """Write columns; ``form`` writes a number."""
    cells = [map(form, values.tolist()) for values in columns.values()]
    lines = [",".join(columns), *map(",".join, zip(*cells, strict=True)), ""]
    return "\n".join(lines).encode()


def written(value: float | bool) -> str:  # noqa: FBT001  (a cell is one of the three)
    """Write a cell: true or false, whole numbers without a point, nothing for NaN."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value != value:  # noqa: PLR0124  (NaN)
        return ""
    return str(int(value)) if value == int(value) and abs(value) < _EXACT else repr(value)


def _number(cell: str) -> float:
    """Read a number, NaN where it is none."""
    try:
        return float(cell) if plain(cell) else float("nan")
    except ValueError:
        return float("nan")
