# SPDX-License-Identifier: MIT
"""Charts as inline SVG: they print, they follow the page's colours, and a reader can say them.

Every chart has a sentence for those who do not see it and its figures as a table below. Colours
are classes of the page's style sheet; marks differ in shape or pattern too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.report.html import Html, join, number, percent, table, tag
from pocin.report.svg import (
    BOTTOM,
    LEFT,
    PATTERNED,
    RIGHT,
    TOP,
    Axis,
    figure,
    legend,
    rule,
    text,
    top_of,
    x_axis,
    y_axis,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pocin.arrays import Floats

WIDE = 440.0
"""Charts are narrow enough for a phone to show their text."""

POINTS = 1500
"""Up to so many points a scatter shows each; beyond, how many there are in each cell."""

_CELLS = 48
_LONGEST = 16
_DEPTHS = 5


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


def grouped_bars(
    title: str, said: str, groups: Sequence[tuple[str, Sequence[Bar]]], unit: str
) -> Html:
    """Return bars in groups, with whiskers of one standard error; roles keep their order."""
    height = 280.0
    reach = [bar.value + (bar.error or 0) for _, bars in groups for bar in bars]
    y = Axis(0, top_of(reach), height - BOTTOM, TOP + 16)
    parts = [y_axis(y, WIDE - RIGHT, unit)]
    span = (WIDE - LEFT - RIGHT) / len(groups)
    for i, (name, bars) in enumerate(groups):
        wide = min(46.0, (span - 24) / len(bars))
        begin = LEFT + span * (i + 0.5) - wide * len(bars) / 2
        parts += [_bar(bar, begin + wide * k, wide, y) for k, bar in enumerate(bars)]
        parts.append(text(LEFT + span * (i + 0.5), height - BOTTOM + 20, name))
    parts.append(rule(LEFT, y(0), WIDE - RIGHT, y(0), "axis"))
    rows = [
        [name, bar.label, number(bar.value), number(bar.error)]
        for name, bars in groups
        for bar in bars
    ]
    data = table(["budget", "attacker", unit, "standard error"], rows, title)
    keys = {bar.role: bar.label for _, bars in groups for bar in bars}
    return figure(title, said, (WIDE, height), *parts, data=data, keys=legend(keys))


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


def before_after(title: str, said: str, pairs: Sequence[Pair], unit: str) -> Html:
    """Return a row for each quantity, with a triangle before and a dot after, on one scale."""
    step, label = 34.0, 104.0
    height = TOP + step * len(pairs) + BOTTOM
    ends = [value for pair in pairs for value in (pair.before, pair.after)]
    low = min(0.0, *ends)
    x = Axis(low, low + top_of([value - low for value in ends]), label, WIDE - RIGHT - 8)
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
    return figure(title, said, (WIDE, height), *parts, data=data, keys=keys)


@dataclass(frozen=True)
class Off:
    """How far an optimum is off its cost figure, and how far it may be; relative."""

    label: str
    off: float
    beta: float


def bands(title: str, said: str, rows: Sequence[Off]) -> Html:
    """Return where optima lie in the bands that are allowed around their cost figures."""
    step, label = 40.0, 124.0
    height = 24 + step * len(rows) + BOTTOM
    reach = 1.2 * max(max(row.beta, abs(row.off)) for row in rows)
    x = Axis(-100 * reach, 100 * reach, label, WIDE - RIGHT)
    parts: list[Html] = [x_axis(x, height - BOTTOM, "% off the cost figure")]
    for i, row in enumerate(rows):
        at, low, high = 24 + step * (i + 0.5), x(-100 * row.beta), x(100 * row.beta)
        told = tag("title", f"{row.label}: {percent(row.off, signed=True)}")
        box = {"x": low, "y": at - 12, "width": high - low, "height": 24.0}
        parts += [
            text(label - 12, at + 4, shortened(row.label), "tick", "end"),
            tag("rect", class_="allowed", **box),
            tag("circle", told, cx=x(100 * row.off), cy=at, r=6.5, class_="r-released mark"),
            text(x(100 * row.off), at - 15, percent(row.off, signed=True), "tick strong"),
        ]
    parts.append(rule(x(0), 16, x(0), height - BOTTOM, "axis"))
    told_rows = [[r.label, percent(r.off, signed=True), f"± {percent(r.beta)}"] for r in rows]
    data = table(["release", "off", "allowed"], told_rows, title)
    return figure(title, said, (WIDE, height), *parts, data=data)


def shortened(label: str) -> str:
    """Return a label that fits beside a row."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


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
    height, left, side = 400.0, LEFT, 330.0
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
