# SPDX-License-Identifier: MIT
"""One page, one file: style, script and data inside, and nothing asked for from anywhere.

The content security policy allows this page's own style and script by their digests and nothing
else, so that the promise is kept by the browser too.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from pocin import style
from pocin.report import compare, maps, sections, svg
from pocin.report.html import Html, join, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pocin.report.released import Released
    from pocin.report.sections import Card, Section


@dataclass(frozen=True)
class Mark:
    """For whom a page is: on its screen, at the edge of every printed sheet, in its title."""

    name: str
    title: str
    sentence: str


PUBLIC = Mark(
    "public",
    "Public",
    "Public: made from the released files and their statement alone.",
)
CURATOR = Mark(
    "curator",
    "Curator's copy",
    "Curator's copy: shows the real network. Not for publication.",
)


@dataclass(frozen=True)
class Part:
    """What a page says of one release."""

    name: str
    title: str
    about: str
    warning: str | None
    cards: Sequence[Card]
    sections: Sequence[Section]


def public_page(releases: Sequence[Released], credit: str | None = None) -> str:
    """Return the page that may be published with a release."""
    parts = [public_part(released, i, credit) for i, released in enumerate(releases)]
    first = [compare.side_by_side(releases)] if len(parts) > 1 else []
    return page(PUBLIC, parts, first=first)


def public_part(released: Released, i: int, credit: str | None) -> Part:
    """Return what the public may see of one release."""
    drawn = maps.network_map(maps.Map.of(released.drawing), f"map-{i}", credit)
    return part(
        released,
        i,
        [sections.protected(released), sections.promised(released), sections.bounded(released)],
        [
            sections.Section("network", "The released network", drawn),
            sections.guarantee(released),
            sections.policy(released),
            sections.values(released),
            sections.made_by(released),
        ],
    )


def part(released: Released, i: int, cards: Sequence[Card], shown: Sequence[Section]) -> Part:
    """Put what is said of one release together."""
    d = released.drawing
    about = f"{released.statement['kind']} network: {len(d.nodes):,} nodes, {len(d.ends):,} edges"
    warning = None if released.private else "Not a private release: the draws repeat from a seed."
    return Part(f"r{i}", released.name, about, warning, cards, shown)


def page(
    mark: Mark,
    parts: Sequence[Part],
    *,
    first: Sequence[Section] = (),
    last: Sequence[Section] = (),
) -> str:
    """Return a whole page; ``first`` and ``last`` are of all releases together."""
    level = 2 if first else 1  # a page has one heading of the first level
    return shell(
        mark,
        f"{mark.title}: {', '.join(part.title for part in parts)}",
        [
            *(_section(s, "all", 1) for s in first),
            *(_part(p, last, level) for p in parts),
            *(_section(s, "all", 2) for s in last),
        ],
    )


def shell(mark: Mark, title: str, main: Sequence[Html], more: str | None = None) -> str:
    """Return the file around a page's main part; ``more`` names style and script of its own."""
    css, script = stylesheet(), asset("report.js")
    if more is not None:
        css, script = css + asset(f"{more}.css"), script + asset(f"{more}.js")
    policy = (
        f"default-src 'none'; style-src {_digest(css)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", title),
        Html(f"<style>{css}</style>"),
    )
    body = tag(
        "body",
        tag("a", "To the content", href="#content", class_="skip"),
        _banner(mark),
        tag("div", mark.sentence, class_="edge", aria_hidden="true"),
        tag("svg", svg.PATTERNS, class_="defs", aria_hidden="true"),
        tag("main", *main, id="content"),
        tag("footer", tag("p", mark.sentence)),
        Html(f"<script>{script}</script>"),
        class_=f"m-{mark.name}",
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _banner(mark: Mark) -> Html:
    """Return the band at the top of the screen."""
    switch = tag("button", "Light or dark", type="button", id="theme", aria_pressed="false")
    return tag("header", tag("p", mark.sentence, class_="mark"), switch, class_="banner")


def _part(p: Part, last: Sequence[Section], level: int) -> Html:
    """Return what is said of one release; its links lead to what is said of all, too."""
    named = [*((s, p.name) for s in p.sections), *((s, "all") for s in last)]
    links = (tag("a", s.title, href=f"#{owner}-{s.name}") for s, owner in named)
    return tag(
        "section",
        tag(
            "div",
            tag("p", p.about, class_="kicker"),
            tag(f"h{level}", p.title, class_="t1"),
            class_="title",
        ),
        tag("p", p.warning, class_="warning", role="note") if p.warning else None,
        sections.cards(p.cards, level + 1),
        tag("nav", *links, aria_label=f"Parts of {p.title}"),
        *(_section(s, p.name, level + 1) for s in p.sections),
        class_="release",
        id=p.name,
        aria_label=p.title,
    )


def _section(s: Section, owner: str, level: int) -> Html:
    """Return a section under a heading of some level."""
    name = f"{owner}-{s.name}"
    secret = tag("span", "curator only", class_="chip t-secret") if s.secret else None
    words = s.title, join([" ", secret]) if secret else None
    heading = tag(f"h{level}", *words, class_="t2")
    return tag("section", heading, s.body, id=name, class_="part")


@cache
def asset(name: str) -> str:
    """Return a file that comes with the package."""
    return files("pocin.report").joinpath("assets", name).read_text("utf-8")


@cache
def stylesheet() -> str:
    """Return the style sheet, with the colours that papers have too."""
    steps = [
        (f"--v{i}", light, dark)
        for i, (light, dark) in enumerate(zip(style.RAMP, style.RAMP_DARK, strict=True), start=1)
    ]
    roles = "".join(f"--r-{name}:{role.colour};" for name, role in style.ROLES.items())
    light = "".join(f"{name}:{value};" for name, value, _ in steps)
    dark = "".join(f"{name}:{value};" for name, _, value in steps)
    return (
        asset("report.css")
        .replace("/*roles*/", roles)
        .replace("/*light*/", light)
        .replace("/*dark*/", dark)
    )


def _digest(text: str) -> str:
    """Return a source expression for inline text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
