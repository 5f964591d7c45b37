# SPDX-License-Identifier: MIT
"""The page that explores a study: fidelity, damage and privacy of every setting, linked.

It is the curator's: damage is measured on the real network. Python gathers the points and writes
what holds still; explore.js draws, for points that are chosen and filtered are drawn anew. The
charts are SVG by hand, as the report's are: Altair's script alone is ten times this page, and no
keys lead from point to point there. A series is one path, so 10,000 points are ten elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.report.explored import FIDELITY, PRIVACY, columns, dials
from pocin.report.html import Html, data_block, join, plural, tag
from pocin.report.page import CURATOR, shell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from pocin.report.explored import Dial
    from pocin.study.points import Point, Points

ATTACKER = {
    "obfuscated": "guided by the released file",
    "residual": "by what no noise touches (residual)",
    "held": "the best way open to a holder of the release",
}
AMOUNT = {"share": "% of the fully informed attacker's", "amount": "as it was measured"}

CHARTS = ("Damage against fidelity", "Damage against privacy", "Fidelity against privacy")

HINT = (
    "Click a point to choose it, drag a frame to mark several; by keyboard, Tab to a chart and "
    "use the arrows. What is chosen or marked in one chart is so in all of them and in the table."
)
CHOICE = (
    "These figures were measured on the real network. Settings that are chosen by them tell a "
    "little of it, which no epsilon counts: choose by rules that would hold for other networks. "
    "And the best of many means is partly luck: look at its error, and at n."
)


def explorer(found: Points, name: str) -> str:
    """Return the page of a study's points."""
    told = dials(found.points)
    turned = [dial for dial in told if len(dial.values) > 1]
    data = columns(found, turned, name)
    main = [
        _title(found, name, [dial for dial in told if len(dial.values) == 1]),
        tag("noscript", tag("p", "The charts need JavaScript; the results are tables, too.")),
        _choices(found, turned, data["means"]),
        _charts(),
        _chosen(),
        _settings(),
        tag("p", aria_live="polite", class_="live", id="live"),
        data_block("points", data),
    ]
    return shell(CURATOR, f"{CURATOR.title}: explore {name}", main, more="explore")


def _title(found: Points, name: str, same: Sequence[Dial]) -> Html:
    """Say what the page is of."""
    about = f"{plural(len(found.points), 'setting')}, {found.releases:,} seeded releases"
    fixed = ", ".join(f"{d.label} {d.values[0]}" for d in same if d.values[0] not in _SILENT)
    unfinished = found.unfinished and (
        f"This study is not finished: {found.unfinished}. What is shown is what its tables hold."
    )
    return tag(
        "div",
        tag("p", about, class_="kicker"),
        tag("h1", f"Explore {name}", class_="t1"),
        tag("p", f"The same in all: {fixed}.") if fixed else None,
        tag("p", unfinished, class_="warning", role="note") if unfinished else None,
        class_="title",
    )


_SILENT = {"default", "none"}


def _choices(found: Points, turned: Sequence[Dial], means: Mapping[str, Any]) -> Html:
    """Return what is shown and how, as a form."""
    turns = {name: len(set(means[name]["v"])) > 1 for name in PRIVACY if name in means}
    privacy = {name: PRIVACY[name] for name in sorted(turns, key=lambda name: not turns[name])}
    budgets = {str(k): budget for k, budget in enumerate(found.budgets)} or {"0": "none"}
    asks = [
        _select("fidelity", "Fidelity", {k: said for k, said in FIDELITY.items() if k in means}),
        _select("privacy", "Privacy", privacy),
        _select("attacker", "Attacker", ATTACKER),
        _select("as", "Damage", AMOUNT),
        _select("budget", "Budget", budgets, _telling(found)),
        _select("by", "Colours", {dial.name: dial.label for dial in turned}) if turned else None,
    ]
    reset = tag("button", "Begin again", type="reset")
    free = tag("button", "Let the marked go", type="button", id="free", hidden=True)
    return tag(
        "section",
        tag("h2", "What is shown", class_="live"),
        tag(
            "form",
            tag("div", *asks, class_="asks"),
            tag("div", *(_filter(dial) for dial in turned), class_="filters") if turned else None,
            tag("div", tag("output", id="count"), free, reset, class_="state"),
            id="choose",
            autocomplete="off",
            aria_label="What is shown",
        ),
        class_="part",
    )


def _telling(found: Points) -> str | None:
    """Return the budget that does damage to most points, the largest of several."""
    count = {
        str(k): sum(_harmed(point, budget) for point in found.points)
        for k, budget in enumerate(found.budgets)
    }
    return max(count, key=lambda k: (count[k], int(k)), default=None)


def _harmed(point: Point, budget: str) -> bool:
    """Whether who knows all does damage with a budget."""
    hit = point.hits.get((budget, "informed"))
    return hit is not None and hit.damage.value > 0


def _select(name: str, label: str, options: Mapping[str, str], first: str | None = None) -> Html:
    """Return one choice out of several; ``first`` is chosen at first."""
    shown = (
        tag("option", said, value=value, selected=value == first) for value, said in options.items()
    )
    return tag("label", label, tag("select", *shown, name=name))


def _filter(dial: Dial) -> Html:
    """Return the values of a dial, to be ticked; none ticked is all."""
    boxes = [
        tag(
            "label",
            tag("input", type="checkbox", name=f"f-{dial.name}", value=str(k)),
            said,
            class_="tick-box",
        )
        for k, said in enumerate(dial.values)
    ]
    return tag("fieldset", tag("legend", dial.label), *boxes)


def _charts() -> Html:
    """Return the places of the charts."""
    chart = tag(
        "svg",
        viewbox="0 0 440 330",
        role="application",
        aria_roledescription="chart",
        tabindex="0",
        aria_describedby="how",
    )
    figures = [
        tag("figure", tag("figcaption", said), chart, tag("p", class_="none"), class_="linked")
        for said in CHARTS
    ]
    return tag(
        "section",
        tag("h2", "Fidelity, damage, privacy", class_="t2"),
        tag("p", HINT, class_="how", id="how"),
        tag("ul", class_="legend", id="legend", aria_label="Colours and shapes"),
        tag("div", *figures, class_="three"),
        class_="part",
        id="charts",
    )


def _chosen() -> Html:
    """Return the place of the chosen point: its figures, attackers and commands."""
    head = tag("tr", tag("td"), *(tag("th", said, scope="col") for said in _HEAD))
    table = tag(
        "table",
        tag("caption", "Means over releases; one standard error"),
        tag("thead", head),
        tag("tbody", id="figures"),
        class_="figures",
    )
    figures = tag("div", table, class_="scroll", tabindex="0", role="group", aria_label="Figures")
    bars = tag(
        "figure",
        tag("figcaption", "Damage by attacker; whiskers are one standard error"),
        tag("svg", id="bars", role="img", class_="chart"),
        class_="plot",
    )
    told = [
        tag("p", id="done"),
        tag("p", id="reason", class_="how"),
        _copied("draw", Html("Draw one private release with these settings")),
        _copied("repeat", join(["Repeat ", tag("span", id="repeated"), " of the study: research"])),
        tag("ul", id="notes"),
        tag("p", CHOICE, class_="how"),
    ]
    return tag(
        "section",
        tag("h2", "The chosen setting", class_="t2"),
        tag("p", tag("strong", id="name")),
        tag("div", tag("div", *told, bars), figures, class_="halves"),
        class_="part",
        id="chosen",
    )


_HEAD = ("mean", "standard error", "n")


def _copied(name: str, said: Html) -> Html:
    """Return a command with a button that copies it."""
    button = tag("button", "Copy", type="button", data_copy=name)
    head = tag("div", tag("p", said), button, class_="told")
    return join([head, tag("code", id=name, class_="command")])


def _settings() -> Html:
    """Return the place of the table."""
    table = tag(
        "table",
        tag("caption", "What is marked, or all that is shown; ± one standard error"),
        tag("thead", tag("tr", id="head")),
        tag("tbody", id="rows"),
    )
    more = tag("button", "Show all", type="button", id="more", hidden=True)
    scroll = tag("div", table, class_="scroll", tabindex="0", role="group", aria_label="Settings")
    heading = tag("h2", "Settings", class_="t2")
    return tag("section", heading, scroll, more, class_="part", id="settings")
