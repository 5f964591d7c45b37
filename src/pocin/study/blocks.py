# SPDX-License-Identifier: MIT
"""Tables, figures and sentences, and the files that they are written to.

A table is a CSV and a Markdown file, a figure an SVG and a PNG; all stand on one page as well,
in Markdown and in HTML.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

from pocin import style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

Cell: TypeAlias = str | float | int | None


@dataclass(frozen=True)
class Table:
    """Rows under headings; numbers are written as they are in the CSV, and short on the page."""

    name: str
    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3
    shown: bool = True  # on the page too

    def write(self, folder: Path) -> Iterable[Path]:
        """Write both files."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([self.headings, *self.rows])
        yield _put(folder / f"{self.name}.csv", text.getvalue())
        yield _put(folder / f"{self.name}.md", self.whole())

    def markdown(self) -> str:
        """Return the table with its caption, or where it is."""
        if not self.shown:
            return f"{self.caption}: [{self.name}.csv]({self.name}.csv)\n"
        return self.whole()

    def whole(self) -> str:
        """Return the table with its caption."""
        lines = [f"**{self.caption}**", "", _line(self.headings)]
        lines.append(_line(["---", *["---:"] * (len(self.headings) - 1)]))
        lines += [_line([self.cell(cell) for cell in row]) for row in self.rows]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table with its caption, or where it is."""
        if not self.shown:
            return f'<p>{escape(self.caption)}: <a href="{self.name}.csv">{self.name}.csv</a></p>\n'
        head = "".join(f"<th>{escape(heading)}</th>" for heading in self.headings)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(self.cell(cell))}</td>" for cell in row) + "</tr>\n"
            for row in self.rows
        )
        caption = escape(self.caption)
        return f"<table><caption>{caption}</caption>\n<tr>{head}</tr>\n{rows}</table>\n"

    def cell(self, cell: Cell) -> str:
        """Return a cell as people read it."""
        if cell is None:
            return "-"
        return f"{cell:.{self.digits}g}" if isinstance(cell, float) else str(cell)


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawing and what it shows."""

    name: str
    caption: str
    drawn: Drawn = field(repr=False)

    def write(self, folder: Path) -> Iterable[Path]:
        """Write both files."""
        for suffix in (".svg", ".png"):
            style.save(self.drawn, folder / f"{self.name}{suffix}")
            yield folder / f"{self.name}{suffix}"

    def markdown(self) -> str:
        """Return the figure with its caption."""
        return f"![{self.name}]({self.name}.png)\n\n*{self.caption}*\n"

    def html(self) -> str:
        """Return the figure with its caption."""
        caption = escape(self.caption)
        image = f'<img src="{self.name}.svg" alt="{caption}">'
        return f"<figure>{image}\n<figcaption>{caption}</figcaption></figure>\n"


@dataclass(frozen=True)
class Said:
    """A sentence made of figures; ``agrees``: whether the paper has it so, None if it is silent."""

    sentence: str
    agrees: bool | None = None

    @property
    def mark(self) -> str:
        """Agreement in a word."""
        return {True: "As in the paper: ", False: "Not as in the paper: ", None: ""}[self.agrees]

    def write(self, folder: Path) -> Iterable[Path]:
        """Nothing of its own."""
        del folder
        return ()

    def markdown(self) -> str:
        """Return the sentence."""
        mark = self.mark
        return f"{f'**{mark.strip()}** ' if mark else ''}{self.sentence}\n"

    def html(self) -> str:
        """Return the sentence."""
        mark = self.mark
        return f"<p>{f'<b>{mark}</b>' if mark else ''}{escape(self.sentence)}</p>\n"


Block: TypeAlias = Table | Figure | Said


@dataclass(frozen=True)
class Section:
    """A part of the page."""

    title: str
    blocks: Sequence[Block]


def legend(drawn: Drawn, axes: Iterable[Axes]) -> None:
    """Name above the panels what stands in any of them."""
    marks: dict[str, Any] = {}
    for at in axes:
        handles, labels = at.get_legend_handles_labels()
        marks |= dict(zip(labels, handles, strict=True))
    roles = [role.label for role in style.ROLES.values()]
    ordered = sorted(marks, key=lambda label: roles.index(label) if label in roles else len(roles))
    drawn.legend([marks[label] for label in ordered], ordered, loc="outside upper center", ncols=5)


def _line(cells: Sequence[str]) -> str:
    """Return a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _put(path: Path, text: str) -> Path:
    """Write a text."""
    path.write_text(text, encoding="utf-8")
    return path
