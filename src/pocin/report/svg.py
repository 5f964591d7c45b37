# SPDX-License-Identifier: MIT
"""What charts are made of: scales with round ticks, axes, legends, and the frame around them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocin.report.html import Html, details, join, number, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 14.0, 44.0
"""The margins of a chart."""

TICKS = 5
_NEARLY = 0.85


@dataclass(frozen=True)
class Axis:
    """A linear scale from values to places."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    @property
    def ticks(self) -> list[float]:
        """Round values along the axis."""
        return nice_ticks(self.low, self.high)


def nice_ticks(low: float, high: float, count: int = TICKS) -> list[float]:
    """Return round values between two others: steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= _NEARLY * raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


def top_of(values: Sequence[float]) -> float:
    """Return where an axis that begins at 0 ends: at a round value above all."""
    most = max([*values, 0.0]) or 1.0
    ticks = nice_ticks(0, most)
    step = ticks[1] - ticks[0]
    return max(step * math.ceil(most / step - 1e-9), step)


def figure(
    title: str,
    said: str,
    size: tuple[float, float],
    *parts: Html | None,
    data: Html,
    keys: Html | None = None,
) -> Html:
    """Return a chart with its title, its sentence and its figures."""
    drawn = tag(
        "svg",
        *parts,
        viewbox=f"0 0 {size[0]:g} {size[1]:g}",
        role="img",
        aria_label=said,
        class_="chart",
    )
    shown = details("The figures", data)
    told = tag("p", said, class_="said")
    return tag("figure", tag("figcaption", title), told, drawn, keys, shown, class_="plot")


def text(x: float, y: float, words: str, kind: str = "tick", anchor: str = "middle") -> Html:
    """Return a text."""
    return tag("text", words, x=x, y=y, class_=kind, text_anchor=anchor)


def rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> Html:
    """Return a line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def y_axis(y: Axis, right: float, label: str) -> Html:
    """Return gridlines, their values, and what they are of."""
    rows = [
        join(
            [
                rule(LEFT, y(t), right, y(t), "grid"),
                text(LEFT - 8, y(t) + 4, number(t), "tick", "end"),
            ]
        )
        for t in y.ticks
    ]
    return join([*rows, text(LEFT - 8, TOP - 2, label, "unit", "start") if label else None])


def x_axis(x: Axis, at: float, label: str) -> Html:
    """Return values below an axis, and what they are of."""
    marks = [
        join([rule(x(t), at, x(t), at + 5, "axis"), text(x(t), at + 18, number(t))])
        for t in x.ticks
    ]
    line = rule(x.start, at, x.end, at, "axis")
    return join([line, *marks, text((x.start + x.end) / 2, at + 36, label, "unit")])


PATTERNED = frozenset({"public", "residual", "informed"})


def _pattern(role: str, strokes: str) -> Html:
    """Return a pattern of white strokes, by which a role is told without its colour."""
    drawn = tag("path", d=strokes, class_="strokes")
    size = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
    return tag("pattern", drawn, id=f"p-{role}", **size)


PATTERNS = tag(
    "defs",
    _pattern("public", "M-1 1l2-2M0 6l6-6M5 7l2-2"),
    _pattern("residual", "M1.5 1.5h.01M4.5 4.5h.01"),
    _pattern("informed", "M0 0l6 6M6 0l-6 6"),
)
"""The patterns of bars, once a page; roles without one are plain."""


def legend(keys: dict[str, str]) -> Html:
    """Return what the colours and patterns stand for."""
    items = [
        tag("li", tag("span", class_=f"key r-{role} k-{role}", aria_hidden="true"), label)
        for role, label in keys.items()
    ]
    return tag("ul", *items, class_="legend")
