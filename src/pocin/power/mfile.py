# SPDX-License-Identifier: MIT
"""The part of MATLAB's language that a case file needs: literals assigned to fields.

``scan`` cuts a file into the literals of its fields, ``numbers`` turns a matrix into an array. All
that computes is refused, for pocin does not run programs: the data that it protects must be the
data that is written. Every pass is linear in the file's length (the quantifiers ``*+`` do not
backtrack), and the place of an error is looked for only once there is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from pocin.errors import InputError
from pocin.sources import read_bytes, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pocin.arrays import Floats

FLATTEN = "open it in MATPOWER or Octave, run savecase('flat.m', mpc) and give flat.m instead"

_GAP = re.compile(r"(?:[\s;,]++|%[^\n]*|\.\.\.[^\n]*)*+")
_FUNCTION = re.compile(
    r"function\s+(?:(\w+)\s*=\s*)?\w+[ \t]*(?:\([ \t]*\))?(?=[ \t]*+(?:[;,%\n]|\Z))"
)
_END = re.compile(r"end(?:function)?\b")
_FIELD = re.compile(r"(\w+)\.([^\W\d]\w*(?:\.[^\W\d]\w*)*)[ \t]*=(?!=)[ \t]*(?:\.\.\.[^\n]*\n\s*)?")
_STOP = re.compile(r"[ \t]*+(?:[;,%\n]|\.\.\.|\Z)")
_OPEN = {"[": ("matrix", "]"), "{": ("cell", "}")}
_LITERAL = re.compile(
    r"""(?P<matrix>\[[^%\[\]=]*+(?:%[^\n]*+[^%\[\]=]*+)*+\])
    |(?P<cell>\{(?:[^'"%{}]|'[^'\n]*'|"[^"\n]*"|%[^\n]*)*+\})
    |(?P<string>'(?:[^'\n]|'')*+'|"[^"\n]*+")
    |(?P<number>[-+]?(?:\d++\.?\d*+|\.\d++)(?:[eE][-+]?\d++)?)""",
    re.VERBOSE | re.ASCII,
)
_NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[iI]nf)", re.ASCII)
_UNUSUAL = re.compile(r"[^-+.,;\deE\sInf]", re.ASCII)
_EMPTY_CELL = re.compile(r",[ \t\f]*+,|(?:^|[;\n])[ \t\f]*+,")
_BLOCK_COMMENT = re.compile(
    r"^[ \t]*%\{[ \t]*\n(?:(?![ \t]*%\}[ \t]*$).*\n)*+[ \t]*%\}[ \t]*$", re.MULTILINE
)
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Literal:
    """What one field is set to: its kind, its text without brackets, and the line it begins on."""

    field: str
    kind: str
    text: str
    line: int


def read_text(path: Path) -> str:
    """Return the text of a file, which must hold some."""
    raw = read_bytes(path)
    if not raw.strip():
        raise InputError(f"{path}: the file is empty")
    text = text_of(raw, str(path))
    if _NOT_TEXT.search(text):
        raise InputError(f"{path}: is not a text file; save it as plain text")
    return text


def scan(text: str, place: str) -> dict[str, Literal]:
    """Return the literal of each field that the file assigns, in the file's order."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ")
    text = _BLOCK_COMMENT.sub(lambda block: "\n" * block[0].count("\n"), text)
    fields: dict[str, Literal] = {}
    variable = "mpc"
    at = _skip(text, 0)
    while at < len(text):
        if found := _FUNCTION.match(text, at):
            variable = found[1] or variable
            at = found.end()
        elif found := _END.match(text, at):
            at = found.end()
        else:
            literal, at = _assignment(text, at, place, variable)
            if literal.field in fields:
                raise InputError(
                    f"{place}:{literal.line}: {variable}.{literal.field} is set a second time; "
                    "keep one of the two"
                )
            fields[literal.field] = literal
        at = _skip(text, at)
    return fields


def _skip(text: str, at: int) -> int:
    """Return the position after blanks, separators and comments."""
    found = _GAP.match(text, at)
    return found.end() if found else at


def _assignment(text: str, at: int, place: str, variable: str) -> tuple[Literal, int]:
    """Read ``variable.field = literal`` and return it with the position behind it."""
    field = _FIELD.match(text, at)
    line = text.count("\n", 0, at) + 1
    if field is None or field[1] != variable:
        raise InputError(f"{place}:{line}: this line computes or is not a case's data; {FLATTEN}")
    begin = field.end()
    found = _LITERAL.match(text, begin)
    if found is None and text[begin : begin + 1] in _OPEN:
        _, close = _OPEN[text[begin]]
        raise InputError(
            f"{place}:{line}: {field[2]} is not closed by {close} before the next table or the "
            "file's end; the file is cut short or a bracket is missing"
        )
    if found is None or not _STOP.match(text, found.end()):
        raise InputError(f"{place}:{line}: {field[2]} is computed; {FLATTEN}")
    kind = str(found.lastgroup)
    body = found[0] if kind == "number" else found[0][1:-1]
    return Literal(field[2], kind, body, text.count("\n", 0, begin) + 1), found.end()


def numbers(matrix: Literal, place: str, columns: Sequence[str]) -> Floats:
    """Return a matrix literal as an array; ``columns`` name its columns in messages."""
    if matrix.kind != "matrix":
        raise InputError(f"{place}:{matrix.line}: {matrix.field} must be a matrix in brackets [ ]")
    body = _bare(matrix)
    lines = body.replace(";", "\n").replace(",", " ").split("\n")
    rows = [cells for line in lines if (cells := line.split())]
    if _UNUSUAL.search(body) or ("," in body and _EMPTY_CELL.search(body)):
        _refuse_cells(matrix, place, columns)
    try:
        values = np.array(list(map(float, chain.from_iterable(rows))))
    except ValueError:
        _refuse_cells(matrix, place, columns)
        raise
    if not rows:
        return np.zeros((0, 0))
    width = len(rows[0])
    for k, row in enumerate(rows):
        if len(row) != width:
            raise InputError(
                f"{place}:{line_of(matrix, k)}: {matrix.field} row {k + 1} has {len(row)} columns "
                f"where row 1 has {width}"
            )
    return values.reshape(len(rows), width)


def refuse(matrix: Literal, place: str, row: int, column: str, why: str) -> NoReturn:
    """Raise an error that names a cell by its row (from 0) and column, never by its value."""
    line = line_of(matrix, row)
    raise InputError(f"{place}:{line}: {matrix.field} row {row + 1}, column {column}: {why}")


def line_of(matrix: Literal, row: int) -> int:
    """Return the line of the file on which a row (from 0) begins."""
    return next(line for k, (line, _) in enumerate(_rows(matrix)) if k == row)


def _bare(matrix: Literal) -> str:
    """Return a matrix's text without comments, continued lines joined by a form feed."""
    text = re.sub(r"%[^\n]*", "", matrix.text) if "%" in matrix.text else matrix.text
    return re.sub(r"\.\.\.[^\n]*(?:\n|\Z)", "\f", text) if "..." in text else text


def _rows(matrix: Literal) -> Iterator[tuple[int, str]]:
    """Yield each row that is not blank, with the line it begins on."""
    line = matrix.line
    for row in re.split(r"(?<=[;\n])", _bare(matrix)):
        cells = row.rstrip(";\n")
        if cells.strip():
            blank = len(cells) - len(cells.lstrip())
            yield line + cells[:blank].count("\f"), cells.strip()
        line += row.count("\n") + row.count("\f")


def _refuse_cells(matrix: Literal, place: str, columns: Sequence[str]) -> None:
    """Raise an error that names the first cell which is not a literal number, if there is one."""
    for k, (_, row) in enumerate(_rows(matrix)):
        cells = re.split(r"\s*,\s*|\s+", row.removesuffix(",").rstrip())
        for j, cell in enumerate(cells):
            if _NUMBER.fullmatch(cell):
                continue
            column = columns[j] if j < len(columns) else str(j + 1)
            if re.search(r"[-+*/^(]", cell):
                refuse(matrix, place, k, column, f"it is computed; {FLATTEN}")
            refuse(matrix, place, k, column, "expected a number; write a literal value")
