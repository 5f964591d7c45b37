# SPDX-License-Identifier: MIT
"""Charts as inline SVG: they print, they follow the page's colours, and a reader can say them.

Every chart has a sentence for those who do not see it and its figures as a table below. Colours
are classes of the page's style sheet; marks differ in shape or pattern too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.report.html import Html, details, join, number, percent, table, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pocin.arrays import Floats

WIDE, NARROW = 640.0, 440.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 14.0, 14.0, 44.0
TICKS = 5
POINTS = 1500
"""Up to so many points a scatter shows each; beyond, how many there are in each cell."""

_CELLS = 48
_NEARLY = 0.85
_DEPTHS = 5


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


@dataclass(frozen=True)
class Bar:
    """One bar: whose it is (a class of the style sheet), its height and its standard error."""

    role: str
    label: str
    value: float
    error: float | None


@dataclass(frozen=True)
class Pair:
    """A quantity before and after."""

    label: str
    before: float
    after: float


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


def grouped_bars(
    title: str, said: str, groups: Sequence[tuple[str, Sequence[Bar]]], unit: str
) -> Html:
    """Return bars in groups, with whiskers of one standard error; roles keep their order."""
    height = 280.0
    reach = [bar.value + (bar.error or 0) for _, bars in groups for bar in bars]
    y = Axis(0, top_of(reach), height - BOTTOM, TOP + 16)
    parts = [y_axis(y, NARROW - RIGHT, unit)]
    span = (NARROW - LEFT - RIGHT) / len(groups)
    for i, (name, bars) in enumerate(groups):
        wide = min(46.0, (span - 24) / len(bars))
        begin = LEFT + span * (i + 0.5) - wide * len(bars) / 2
        parts += [_bar(bar, begin + wide * k, wide, y) for k, bar in enumerate(bars)]
        parts.append(text(LEFT + span * (i + 0.5), height - BOTTOM + 20, name))
    parts.append(rule(LEFT, y(0), NARROW - RIGHT, y(0), "axis"))
    rows = [
        [name, bar.label, number(bar.value), number(bar.error)]
        for name, bars in groups
        for bar in bars
    ]
    data = table(["budget", "attacker", unit, "standard error"], rows, title)
    keys = {bar.role: bar.label for _, bars in groups for bar in bars}
    return figure(title, said, (NARROW, height), *parts, data=data, keys=legend(keys))


def _bar(bar: Bar, x: float, wide: float, y: Axis) -> Html:
    """Return a bar and its whisker."""
    top, base, middle = y(max(bar.value, 0)), y(0), x + wide / 2
    told = tag("title", f"{bar.label}: {number(bar.value)}")
    inner = max(wide - 4, 2)
    box = {"x": x + 2, "y": top, "width": inner, "height": max(base - top, 0.5)}
    drawn = [tag("rect", told, class_=f"bar r-{bar.role}", **box)]
    if bar.role in PATTERNED:
        drawn.append(tag("rect", fill=f"url(#p-{bar.role})", **box))
    if bar.error:
        low, high = y(max(bar.value - bar.error, 0)), y(bar.value + bar.error)
        drawn.append(tag("path", d=f"M{middle - 4:g} {high}h8m-4 0V{low}m-4 0h8", class_="whisker"))
    return join(drawn)


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


def before_after(title: str, said: str, pairs: Sequence[Pair], unit: str) -> Html:
    """Return a row for each quantity, with a triangle before and a dot after, on one scale."""
    step, label = 34.0, 104.0
    height = TOP + step * len(pairs) + BOTTOM
    ends = [value for pair in pairs for value in (pair.before, pair.after)]
    low = min(0.0, *ends)
    x = Axis(low, low + top_of([value - low for value in ends]), label, NARROW - RIGHT - 8)
    parts = [rule(x(t), TOP, x(t), height - BOTTOM, "grid") for t in x.ticks]
    parts.append(x_axis(x, height - BOTTOM, unit))
    for i, pair in enumerate(pairs):
        at, a, b = TOP + step * (i + 0.5), x(pair.before), x(pair.after)
        told = tag(
            "title", f"{pair.label}: {number(pair.before)} before, {number(pair.after)} after"
        )
        parts.append(text(label - 14, at + 4, pair.label, "tick", "end"))
        parts.append(rule(a, at, b, at, "link-line"))
        parts.append(
            tag("path", told, d=f"M{a - 6:g} {at - 12:g}h12l-6 11z", class_="r-original mark")
        )
        parts.append(tag("circle", told, cx=b, cy=at + 4, r=5.0, class_="r-released mark"))
    rows = [[p.label, number(p.before), number(p.after)] for p in pairs]
    data = table([title, f"original ({unit})", f"released ({unit})"], rows, title)
    keys = legend({"original": "original (the truth)", "released": "released"})
    return figure(title, said, (NARROW, height), *parts, data=data, keys=keys)


def band(title: str, said: str, cost: float, beta: float, own: float | None) -> Html:
    """Return where an optimum lies in the band that is allowed around the cost figure."""
    height = 108.0
    off = 0.0 if own is None else abs(own / cost - 1)
    reach = 1.35 * max(beta, off)
    x = Axis(-reach, reach, LEFT, WIDE - LEFT)
    box = tag("rect", x=x(-beta), y=28.0, width=x(beta) - x(-beta), height=34.0, class_="allowed")
    parts = [box, rule(x(0), 20, x(0), 70, "axis"), text(x(0), 14, f"cost figure {number(cost)}")]
    parts += [text(x(s * beta), 82, f"{percent(s * beta, signed=True)}") for s in (-1, 1)]
    parts.append(rule(x.start, 45, x.end, 45, "axis"))
    if own is not None:
        at = x(own / cost - 1)
        told = f"{number(own)} ({percent(own / cost - 1, signed=True)})"
        parts.append(tag("circle", cx=at, cy=45.0, r=7.0, class_="r-released mark"))
        parts.append(
            text(min(max(at, 90), WIDE - 90), 100, f"released optimum {told}", "tick strong")
        )
    rows = [["cost figure", number(cost)], ["allowed", f"± {percent(beta)}"]]
    rows += [] if own is None else [["released optimum", number(own)]]
    return figure(title, said, (WIDE, height), *parts, data=table(["", "value"], rows, title))


def histogram(title: str, said: str, values: Floats, unit: str) -> Html:
    """Return how many values there are in each of some equal steps."""
    height = 220.0
    most = top_of([float(np.max(values, initial=0.0))])
    steps = int(np.clip(np.sqrt(len(values)) * 1.5, 8, 40))
    counts, edges = np.histogram(values, bins=steps, range=(0.0, most))
    x = Axis(0.0, most, LEFT, WIDE - RIGHT)
    y = Axis(0.0, top_of(counts.tolist()), height - BOTTOM, TOP + 16)
    parts = [y_axis(y, WIDE - RIGHT, "sites")]
    for low, high, count in zip(edges, edges[1:], counts, strict=False):
        wide = max(x(high) - x(low) - 1.5, 1.0)
        told = tag("title", f"{number(low)} to {number(high)} {unit}: {count}")
        box = {"x": x(low) + 0.75, "y": y(count), "width": wide, "height": y(0) - y(count)}
        parts.append(tag("rect", told, class_="r-released", **box) if count else Html())
    parts.append(x_axis(x, height - BOTTOM, unit))
    rows = [
        [f"{number(a)} to {number(b)}", str(c)]
        for a, b, c in zip(edges, edges[1:], counts, strict=False)
    ]
    return figure(title, said, (WIDE, height), *parts, data=table([unit, "sites"], rows, title))


def scatter(
    title: str, said: str, x_values: Floats, y_values: Floats, words: tuple[str, str]
) -> Html:
    """Return points, or their density, on equal axes with the line on which both are the same."""
    height, left, side = 400.0, LEFT + 110, 330.0
    most = top_of([float(np.max(x_values, initial=0)), float(np.max(y_values, initial=0))])
    x = Axis(0.0, most, left, left + side)
    y = Axis(0.0, most, TOP + 12 + side, TOP + 12)
    rows = [
        join(
            [
                rule(left, y(t), left + side, y(t), "grid"),
                text(left - 8, y(t) + 4, number(t), "tick", "end"),
            ]
        )
        for t in y.ticks
    ]
    parts = [*rows, x_axis(x, y(0), words[0]), rule(x(0), y(0), x(most), y(most), "same")]
    parts.append(text(left - 8, TOP, words[1], "unit", "start"))
    if len(x_values) <= POINTS:
        parts += [
            tag("circle", cx=x(a), cy=y(b), r=3.5, class_="r-released point")
            for a, b in zip(x_values.tolist(), y_values.tolist(), strict=True)
        ]
    else:
        parts.append(_density(x_values, y_values, x, y))
    data = table(["", "value"], [["points", str(len(x_values))]], title)
    return figure(title, said, (WIDE, height), *parts, data=data)


def _density(x_values: Floats, y_values: Floats, x: Axis, y: Axis) -> Html:
    """Return cells, the darker the more points they hold."""
    reach = [[0.0, x.high], [0.0, y.high]]
    counts, edges, _ = np.histogram2d(x_values, y_values, bins=_CELLS, range=reach)
    depth = np.ceil(_DEPTHS * np.log1p(counts) / np.log1p(counts.max())).astype(int)
    size = x(edges[1]) - x(edges[0])
    cells = [
        tag(
            "rect",
            x=x(edges[i]),
            y=y(edges[j + 1]),
            width=size,
            height=size,
            class_=f"cell d{depth[i, j]}",
        )
        for i, j in np.argwhere(counts > 0)
    ]
    return join(cells)
