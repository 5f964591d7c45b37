# SPDX-License-Identifier: MIT
"""HTML by elements: every text is escaped but what an element made.

tag("p", "a < b", class_="note")  ->  <p class="note">a &lt; b</p>
"""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_EMPTY = frozenset({"meta", "br", "hr", "path", "circle", "rect", "line", "use", "input"})
_THOUSAND, _MANY = 1000, 1e7

NONE = "\N{EN DASH}"
"""What stands where there is no number."""


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child: TypeAlias = "str | Html | None"
Value: TypeAlias = "str | float | bool | None"


def tag(name: str, /, *children: Child, **attributes: Value) -> Html:
    """Return an element; ``class_`` is class, ``aria_label`` is aria-label; None leaves out."""
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = join(children)
    if name in _EMPTY and not inside:
        return Html(f"<{name}{given}/>")
    return Html(f"<{name}{given}>{inside}</{name}>")


def join(children: Iterable[Child]) -> Html:
    """Put children after each other."""
    return Html("".join(_safe(child) for child in children if child is not None))


def _safe(child: str | Html) -> str:
    """Escape what is not HTML."""
    return child if isinstance(child, Html) else escape(child, quote=False)


def _attribute(key: str, value: Value) -> str:
    """Write an attribute."""
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    name = {"viewbox": "viewBox"}.get(name, name)
    if value is True:
        return f" {name}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{escape(text)}"'


def data_block(name: str, data: Any) -> Html:
    """Return data for the script, in a block that no text can break out of."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    text = text.replace("<", "\\u003c").replace("&", "\\u0026")
    return Html(f'<script type="application/json" id="{escape(name)}">{text}</script>')


def table(
    head: Sequence[str], rows: Iterable[Sequence[Child]], caption: str, **more: Value
) -> Html:
    """Return a table whose first column names its rows; it scrolls by itself where it is wide."""
    first = tag("tr", *(tag("th", name, scope="col") if name else tag("td") for name in head))
    body = (
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:]))
        for row in rows
    )
    inside = tag("table", tag("caption", caption), tag("thead", first), tag("tbody", *body), **more)
    return tag("div", inside, class_="scroll", tabindex="0", role="group", aria_label=caption)


def details(summary: str, *children: Child, open_: bool = False) -> Html:
    """Return what is shown on demand."""
    return tag("details", tag("summary", summary), *children, open=open_)


def number(value: float | None, digits: int = 4) -> str:
    """Write a number for people: four figures that count, thousands set apart."""
    if value is None or not math.isfinite(value):
        return NONE
    if value == 0:
        return "0"
    if abs(value) >= _MANY:
        return f"{value:.{digits - 1}e}"
    if abs(value) >= _THOUSAND:
        return f"{value:,.0f}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float | None, digits: int = 3, *, signed: bool = False) -> str:
    """Write a share as percent."""
    if share is None or not math.isfinite(share):
        return NONE
    sign = "+" if signed and share > 0 else "\N{MINUS SIGN}" if share < 0 else ""
    return f"{sign}{number(abs(100 * share), digits)} %"


def plural(count: int, word: str) -> str:
    """Count things: 1 bus, 2 buses, 3 branches."""
    if count == 1:
        return f"1 {word}"
    end = "es" if word.endswith(("s", "ch", "x")) else "s"
    return f"{count:,} {word}{end}"
