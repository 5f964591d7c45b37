# SPDX-License-Identifier: MIT
"""One look for every figure: papers (matplotlib) and pages (the same colours as CSS).

    with style.paper():
        figure, axes = style.panel("column")
        axes.errorbar(budget, damage, error, **style.ROLES["informed"].line)
        style.save(figure, path)

Colours are Okabe and Ito's: apart for the colour-blind, and at 3 : 1 or more on white and on the
pages' dark ground. Colour is never alone: a role has its marker and its dashes too. What is real
is vermilion, what is released is blue, what knows nothing is grey.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, VERMILION, GREEN, PURPLE, GREY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A8F98"

RAMP = ("#45a29b", "#2f8fae", "#2674b0", "#2457a0", "#2b3a83", "#241a52")
"""From small to large values, on a light ground: lightness alone tells the order, and every step
stands out at 3 : 1 or more."""

RAMP_DARK = ("#4d6fb3", "#468fbd", "#4bb0ba", "#6fcba9", "#abe395", "#f5f58c")
"""From small to large values, on a dark ground."""

Width: TypeAlias = Literal["column", "page"]

WIDTHS: dict[Width, float] = {"column": 3.33, "page": 6.98}
"""Inches: one column, and both, of a two-column paper."""

GOLDEN = 0.618

INK, FAINT = "#1b1f24", "#d5d9de"

_RC = {
    "font.family": "serif",
    "font.serif": ["STIXGeneral"],  # comes with matplotlib: the same on every machine
    "mathtext.fontset": "stix",
    "font.size": 8.5,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.6,
    "errorbar.capsize": 1.8,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "pocin",
}


@dataclass(frozen=True)
class Role:
    """What a mark stands for: its name in a legend, colour, marker and dashes."""

    label: str
    colour: str
    marker: str
    dashes: str
    hatch: str = ""

    @property
    def line(self) -> dict[str, Any]:
        """Arguments of ``Axes.plot`` and ``Axes.errorbar``."""
        return {
            "label": self.label,
            "color": self.colour,
            "marker": self.marker,
            "linestyle": self.dashes,
        }

    @property
    def bar(self) -> dict[str, Any]:
        """Arguments of ``Axes.bar``."""
        return {
            "label": self.label,
            "color": self.colour,
            "hatch": self.hatch,
            "edgecolor": "white",
            "linewidth": 0.4,
        }


ROLES = {
    "random": Role("random", GREY, "s", ":"),
    "public": Role("public part only", GREEN, "^", "-.", "///"),
    "obfuscated": Role("released file", BLUE, "o", "-"),
    "residual": Role("residual", PURPLE, "D", "--", "..."),
    "informed": Role("fully informed", VERMILION, "v", "-", "xxx"),
    "original": Role("original", VERMILION, "v", "-"),
    "released": Role("released", BLUE, "o", "-"),
}
"""The attackers, in the order in which they are always shown, and before and after."""

ATTACKERS = ("random", "public", "obfuscated", "residual", "informed")


@contextmanager
def paper() -> Iterator[None]:
    """Draw in this style, without a screen."""
    import matplotlib as mpl

    settings: Any = {**_RC, "axes.prop_cycle": _cycle()}
    with mpl.rc_context(settings):
        yield


def panel(width: Width = "column", ratio: float = GOLDEN, **subplots: Any) -> tuple[Figure, Any]:
    """Return a figure of a paper's width and its axes; more arguments are those of ``subplots``."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    inches = WIDTHS[width]
    figure = Figure(figsize=(inches, inches * ratio))
    FigureCanvasAgg(figure)
    axes: Axes | Any = figure.subplots(**subplots)
    return figure, axes


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure in the form that its name ends in; the same figure gives the same bytes."""
    target = Path(path)
    target.write_bytes(rendered(figure, target.suffix.lower().removeprefix(".")))


def rendered(figure: Figure, form: str) -> bytes:
    """Return a figure as a file: pdf, svg or png, without a date in it."""
    undated: dict[str, dict[str, Any]] = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}
    if form not in {*undated, "png"}:
        raise ValueError(f"expected a name that ends in .pdf, .svg or .png, not .{form}")
    file = BytesIO()
    with paper():
        figure.savefig(file, format=form, dpi=200, metadata=undated.get(form))
    return file.getvalue()


def _cycle() -> Any:
    """Colours and dashes for series that have no role."""
    from cycler import cycler

    colours = (BLUE, VERMILION, GREEN, PURPLE, GREY)
    return cycler(color=colours) + cycler(linestyle=("-", "--", "-.", ":", (0, (5, 1))))
