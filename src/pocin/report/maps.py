# SPDX-License-Identifier: MIT
"""The network map: SVG while it is small, a canvas beyond, with the same data for the script.

The SVG is whole without the script: it prints, and it can be taken out of the page. The script adds
pan, zoom and details, and draws the canvas.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.report.html import NONE, Html, data_block, details, join, number, plural, table, tag
from pocin.report.layout import WIDTH, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Drawing
    from pocin.report.layout import Layout

SHARES = (0.25, 0.5, 0.7, 0.85, 0.95)
"""Classes part the marks at these shares: the few largest stand out, as main roads do."""

LEVELS = len(SHARES) + 1
LARGE = 3000
"""Nodes, edges and marks together beyond which a canvas is drawn."""

_CANVAS = join(
    [
        tag("canvas", aria_hidden="true"),
        tag("noscript", tag("p", "A network this large is drawn by the page's script.")),
    ]
)
HOW = "Drag to pan. Click, then scroll to zoom."
_LISTED = 25


@dataclass(frozen=True, eq=False)
class Map:
    """A drawing at its places. A mark is a node or an edge on which elements stand."""

    drawing: Drawing
    layout: Layout

    @classmethod
    def of(cls, drawing: Drawing) -> Map:
        """Lay a drawing out."""
        return cls(drawing, layout(drawing.ends, len(drawing.nodes), drawing.x, drawing.y))

    @cached_property
    def marks(self) -> Ints:
        """The nodes or edges that are marked, in the order of their ids."""
        return np.unique(self.drawing.at)

    @cached_property
    def mark_of(self) -> Ints:
        """The mark on which every element stands."""
        return np.searchsorted(self.marks, self.drawing.at)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the values on every mark."""
        sums = np.bincount(self.mark_of, self.drawing.values, len(self.marks))
        return sums.astype(np.float64)

    @cached_property
    def breaks(self) -> Floats:
        """Values that part the marks into LEVELS classes."""
        above = self.totals[self.totals > 0]
        if not len(above):
            return np.zeros(0)
        found: Floats = np.unique(np.quantile(above, SHARES, method="higher"))
        filled: Floats = found[found > above.min()]  # no class is empty
        return filled

    @cached_property
    def levels(self) -> Ints:
        """The class of every mark: 0 for nothing at all, 1 for the smallest values, then larger."""
        found = np.searchsorted(self.breaks, self.totals, side="right")
        return np.where(self.totals > 0, found + LEVELS - len(self.breaks), 0)

    @property
    def steps(self) -> list[tuple[int, float, float]]:
        """The classes above nothing: number, least and largest value."""
        above = self.totals[self.totals > 0]
        if not len(above):
            return []
        edges = [float(above.min()), *self.breaks.tolist(), float(above.max())]
        first = LEVELS - len(self.breaks)
        return [(first + i, low, high) for i, (low, high) in enumerate(pairwise(edges))]

    @property
    def large(self) -> bool:
        """Whether it is too much for SVG."""
        d = self.drawing
        return len(d.nodes) + len(d.ends) + len(self.marks) > LARGE

    @cached_property
    def ids(self) -> Ints:
        """The public ids of the marks."""
        names = self.drawing.nodes if self.drawing.on == "node" else self.drawing.edges
        return names[self.marks]

    @property
    def word(self) -> str:
        """What a mark is, in words."""
        return self.drawing.node_word if self.drawing.on == "node" else self.drawing.edge_word

    @property
    def offset(self) -> float:
        """How far to its right a directed edge is drawn, so that both directions are seen."""
        if not self.drawing.directed:
            return 0.0
        return float(np.clip(24 / np.sqrt(len(self.drawing.nodes)), 0.6, 3.2))

    @cached_property
    def lines(self) -> Floats:
        """The ends of the edges as x1, y1, x2, y2, to the right of the way they are driven."""
        start, end = (self.layout.xy[self.drawing.ends[:, side]] for side in (0, 1))
        along = end - start
        long = np.maximum(np.linalg.norm(along, axis=1), 1e-9)[:, None]
        aside = np.column_stack([-along[:, 1], along[:, 0]]) / long * self.offset
        return np.round(np.hstack([start + aside, end + aside]), 1)

    @cached_property
    def places(self) -> Floats:
        """The middle of every mark."""
        if self.drawing.on == "node":
            return self.layout.xy[self.marks]
        lines = self.lines[self.marks]
        return np.round((lines[:, :2] + lines[:, 2:]) / 2, 1)

    @cached_property
    def sizes(self) -> Floats:
        """Radius of a marked node, width of a marked edge."""
        crowd = float(np.clip(np.sqrt(160 / max(len(self.marks), 1)), 0.2, 1.0))
        share = self.totals / max(float(self.totals.max(initial=0.0)), 1e-9)
        if self.drawing.on == "node":
            return np.round((3.5 + 10 * np.sqrt(share)) * (0.15 + 0.85 * crowd), 2)
        return np.round((1.0 + 4.0 * share) * crowd, 2)


def network_map(
    made: Map,
    name: str,
    credit: str | None,
    *,
    more: Mapping[str, Any] | None = None,
    over: Html | None = None,
    controls: Html | None = None,
) -> Html:
    """Return the map of a release.

    ``more``, ``over`` and ``controls`` are data, marks and buttons of the curator's page.
    """
    data = _data(made) | dict(more or {})
    said = _said(made)
    drawn = _CANVAS if made.large else _svg(made, over)
    view = tag(
        "div",
        drawn,
        tag("div", class_="tip", hidden=True),
        class_="view",
        tabindex="0",
        role="application",
        aria_roledescription="map",
        aria_label=f"{said} Arrow keys pan, plus and minus zoom, 0 shows all, N and P step through "
        f"the {made.word} marks by size.",
        data_map=name,
    )
    live = tag("p", aria_live="polite", class_="live")
    where = (
        "Drawn at their coordinates."
        if made.layout.geographic
        else ("Drawn by their connections: the file has no coordinates.")
    )
    return tag(
        "figure",
        tag("div", *_tools(made), controls, tag("span", HOW, class_="how"), class_="tools"),
        view,
        live,
        _legend(made),
        tag(
            "figcaption",
            f"{said} {where}",
            *([" ", tag("span", credit, class_="credit")] if credit else []),
        ),
        details(f"The largest {made.word} marks as a table", _largest(made)),
        data_block(name, data),
        class_="map",
    )


def _said(made: Map) -> str:
    """Say what the map shows."""
    d = made.drawing
    sizes = f"{plural(len(d.nodes), d.node_word)}, {plural(len(d.ends), d.edge_word)}"
    return f"{sizes}; {plural(len(d.values), d.element_word)} in {d.unit}, as released."


def _data(made: Map) -> dict[str, Any]:
    """Return what the script needs: the released network, in columns."""
    d = made.drawing
    return {
        "w": WIDTH,
        "h": round(made.layout.height, 1),
        "canvas": made.large,
        "on": d.on,
        "unit": d.unit,
        "word": made.word,
        "element": d.element_word,
        "nodes": d.nodes.tolist(),
        "xy": made.layout.xy.ravel().tolist(),
        "ends": d.ends.ravel().tolist(),
        "offset": round(made.offset, 2),
        "marks": made.marks.tolist(),
        "ids": made.ids.tolist(),
        "total": np.round(made.totals, 3).tolist(),
        "count": np.bincount(made.mark_of, minlength=len(made.marks)).tolist(),
        "level": made.levels.tolist(),
        "size": made.sizes.tolist(),
    }


def _svg(made: Map, over: Html | None) -> Html:
    """Return the map as SVG."""
    d, xy = made.drawing, made.layout.xy
    parts: list[Html | None] = []
    if d.on == "node":
        lines = "".join(f"M{a:g} {b:g}L{c:g} {e:g}" for a, b, c, e in made.lines.tolist())
        parts.append(tag("path", d=lines, class_="edges"))
    dots = "".join(f"M{x:g} {y:g}h0" for x, y in xy.tolist())
    parts.append(tag("path", d=dots, class_="dots"))
    if d.on == "node":
        rows = zip(made.places.tolist(), made.sizes.tolist(), made.levels.tolist(), strict=True)
        order = np.argsort(-made.sizes, kind="stable").tolist()
        marks = [tag("circle", cx=x, cy=y, r=r, class_=f"v{level}") for (x, y), r, level in rows]
        parts.append(tag("g", *(marks[i] for i in order), class_="sites"))
    else:
        lines = made.lines[made.marks].tolist()
        rows2 = zip(lines, made.sizes.tolist(), made.levels.tolist(), strict=True)
        drawn = [
            tag("path", d=f"M{a:g} {b:g}L{c:g} {e:g}", class_=f"v{level}", stroke_width=wide)
            for (a, b, c, e), wide, level in rows2
        ]
        parts.append(tag("g", *drawn, class_="links"))
    parts += [over, tag("g", class_="halo")]
    box = f"0 0 {WIDTH:g} {made.layout.height:.1f}"
    return tag(
        "svg", tag("g", *parts, class_="world"), viewbox=box, role="img", aria_label=_said(made)
    )


def _tools(made: Map) -> tuple[Html, Html]:
    """Return what needs no wheel and no keys of the map's: buttons, and a field for an id."""
    word = f"Find {made.word}"
    find = tag(
        "input",
        type="search",
        inputmode="numeric",
        placeholder=word,
        aria_label=word,
        data_find=True,
    )
    return _buttons(), find


def _buttons() -> Html:
    """Return the buttons."""
    rows = (
        ("in", "+", "Zoom in"),
        ("out", "\N{MINUS SIGN}", "Zoom out"),
        ("all", "Show all", "Show all"),
    )
    return join(
        tag("button", sign, type="button", data_zoom=name, aria_label=said, title=said)
        for name, sign, said in rows
    )


def _legend(made: Map) -> Html:
    """Return which colour stands for which values."""
    items = [] if np.all(made.totals > 0) else [_nothing()]
    items += [
        tag(
            "li",
            tag("span", class_=f"key s{level}", aria_hidden="true"),
            number(low, 3) if low == high else f"{number(low, 3)}{NONE}{number(high, 3)}",
        )
        for level, low, high in made.steps
    ]
    return tag("ul", tag("li", made.drawing.unit), *items, class_="legend")


def _nothing() -> Html:
    """Return the legend of a mark without value."""
    return tag("li", tag("span", class_="key s0", aria_hidden="true"), "0")


def _largest(made: Map) -> Html:
    """Return the marks with the largest values."""
    order = np.argsort(-made.totals, kind="stable")[:_LISTED].tolist()
    counts = np.bincount(made.mark_of, minlength=len(made.marks))
    rows = [[str(made.ids[i]), str(counts[i]), number(float(made.totals[i]))] for i in order]
    head = [made.word, f"{made.drawing.element_word}s", f"released ({made.drawing.unit})"]
    return table(head, rows, f"Largest released values by {made.word}")
