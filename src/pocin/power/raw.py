# SPDX-License-Identifier: MIT
"""What a PSS/E RAW file must say itself before ``powerio`` may read it.

``powerio`` takes an empty cell as zero: a unit without PT would lose its capacity, and a load
without a bus number would move to another bus. Sections that it does not read (FACTS, VSC, ...) it
only mentions. It finds tables by what comments call them, where PSS/E goes by their order: of a
table without its comment nothing would be left. All this is refused here.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = re.compile(r"[ \t]*0[ \t]*(?:/|$)")
_SETTING = re.compile(r"[ \t]*[A-Za-z]")
_HEADER = re.compile(r"[ \t]*\d+[ \t]*,")
_BLANKS = re.compile(r"('[^']*')|(?<=[^\s,])\s+(?=[^\s,])")
_COMMENT = re.compile(r"('[^']*')|/.*")
_HEADER_LINES, _THIRD = 3, 2
_SECTIONS = ("bus", "load", "fixed shunt", "generator", "branch", "transformer")
_NODE_REGULATED = 35  # from this revision on, a column NREG stands before MBASE
_NEEDED = {
    "bus": {"I": 0},
    "load": {"I": 0},
    "fixed shunt": {"I": 0},
    "generator": {"I": 0, "QT": 4, "QB": 5, "PT": 16, "PB": 17},
    "branch": {"I": 0, "J": 1, "X": 4},
}
_UNREAD = re.compile(r"PSS/E (.+?) section .*is not modeled")
_HARMLESS = {"AREA", "ZONE", "OWNER", "INTER-AREA TRANSFER", "MULTI-SECTION LINE", "SUBSTATION"}
"""Sections that name or group what stands elsewhere."""
_NAMED = re.compile(r"[A-Z]+(?:[ -][A-Z]+){0,4}")  # what a section is called, and no number


def check_raw(text: str, place: str) -> Counter[str]:
    """Return how many rows each table has in the format's order.

    Raise an error for a file that ends too soon or leaves a needed cell empty.
    """
    lines, rows = text.splitlines(), Counter[str]()
    if not (lines and _HEADER.match(lines[0])):
        return rows  # powerio says what it is
    last = lines[-1] if lines[-1].strip() else text.rstrip().rpartition("\n")[2]
    ended = sum(bool(_END.match(line)) for line in lines[1:])
    closed = last.strip() == "Q" or _END.match(last)
    if ended < len(_SECTIONS) or not closed:
        raise InputError(f"{place}: the file ends within a table; it is cut short")
    shift = 1 if _revision(lines[0]) >= _NODE_REGULATED else 0
    for number, section, cells in _records(lines):
        rows[section] += 1
        for name, at in _NEEDED.get(section, {}).items():
            where = at + shift if name in ("PT", "PB") else at
            if where >= len(cells) or not cells[where].strip():
                raise InputError(
                    f"{place}:{number}: the {section} has no {name}; write it, for PSS/E's default "
                    "is not read"
                )
    return rows


def check_order(rows: Counter[str], network: Any, place: str, remedy: str) -> None:
    """Raise an error where powerio did not read the tables that stand in the format's order."""
    pairs = (
        (network.buses, rows["bus"]),
        (network.loads, rows["load"]),
        (network.generators, rows["generator"]),
        (network.branches, rows["branch"] + rows["transformer"]),
    )
    if (
        any(len(read) != there for read, there in pairs)
        or len(network.shunts) < rows["fixed shunt"]
    ):
        raise InputError(
            f"{place}: tables must stand in the format's order, each begun by its comment, as in 0 "
            f"/ END OF BUS DATA, BEGIN LOAD DATA; write these, or {remedy}"
        )


def check_unread(message: str, place: str, remedy: str) -> None:
    """Raise an error where powerio says that it left a section out which is part of the network."""
    found = _UNREAD.match(message)
    if found and found[1] not in _HARMLESS:
        name = found[1] if _NAMED.fullmatch(found[1]) else "last"
        raise InputError(
            f"{place}: its {name} section cannot be released; take its records out, or {remedy}"
        )


def _revision(header: str) -> int:
    """Return the revision of the format, the third cell of the header."""
    cells = header.partition("/")[0].split(",")
    return int(cells[2]) if len(cells) > 2 and cells[2].strip().isdigit() else 0  # noqa: PLR2004


def _records(lines: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the line, the section and the cells of every record up to the transformers.

    A transformer has four lines, and five where its third bus is not 0; the first is yielded.
    """
    body = [(k, line) for k, line in enumerate(lines, start=1) if not line.startswith("@!")]
    body = [(k, line) for k, line in body[_HEADER_LINES:] if line.strip()]
    settings = body and (_SETTING.match(body[0][1]) or _END.match(body[0][1]))
    names = iter(("settings", *_SECTIONS) if settings else _SECTIONS)  # revisions 34 and 35
    section, inside = next(names), 0
    for number, line in body:
        if inside:
            inside -= 1
        elif not _END.match(line):
            cells = _cells(line)
            yield number, section, cells
            if section == "transformer":
                inside = 4 if len(cells) > _THIRD and cells[_THIRD].strip() not in ("", "0") else 3
        elif section == "transformer":
            return
        else:
            section = next(names)


def _cells(line: str) -> list[str]:
    """Cut a record at its commas and at its blanks; a / begins a comment."""
    record = _COMMENT.sub(lambda found: found[1] or "", line).strip()
    record = _BLANKS.sub(lambda found: found[1] or ",", record)
    try:
        return next(csv.reader([record], quotechar="'", skipinitialspace=True), [])
    except csv.Error:
        return record.split(",")  # of an endless cell
