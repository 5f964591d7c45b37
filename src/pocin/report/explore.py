# SPDX-License-Identifier: MIT
"""The page that explores a study: fidelity, damage and privacy of every setting, linked.

It is the curator's: damage is measured on the real network. Python gathers the points and writes
what holds still; explore.js draws, for points that are chosen and filtered are drawn anew. The
charts are SVG by hand, as the report's are: a chart library is ten times the page, and its marks
are not for keyboards and screen readers. A series is one path, so 10,000 points are ten elements.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pocin.kinds import kinds
from pocin.privacy.settings import epsilon
from pocin.report.html import Html, data_block, join, plural, tag
from pocin.report.page import CURATOR, shell
from pocin.report.svg import PATTERNED
from pocin.study.command import command
from pocin.study.points import Mean, order
from pocin.style import ATTACKERS, ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pocin.study.points import Point, Points

DIALS = {
    "case": "network",
    "policy": "policy",
    "mechanism": "mechanism",
    "epsilon": "epsilon",
    "epsilon_location": "epsilon of locations",
    "epsilon_value": "epsilon of values",
    "alpha_location": "alpha of locations",
    "alpha_value": "alpha of values",
    "beta": "beta",
    "reading": "reading",
    "model": "model",
    "cost_figure": "cost figure",
    "cost_epsilon": "epsilon of the cost figure",
    "pmin_ratio": "ratio of Pmin",
    "trip_times": "trip times",
    "gamma": "gamma",
    "fault": "fault",
}
"""Settings by the words for them; where both epsilons are the same everywhere, they are one."""

FIDELITY = {
    "gap_size": "optimum off the cost figure, mean size, %",
    "gap": "optimum off the cost figure, mean, %",
    "within": "releases within beta, %",
    "distance": "distance from the noisy values, mean",
    "error_to_noise": "error of released values / noise, mean",
}
PRIVACY = {
    "epsilon": "epsilon, of locations and of values",
    "epsilon_location": "epsilon of locations",
    "epsilon_value": "epsilon of values",
    "alpha_hops": "alpha of locations, hops",
    "alpha_amount": "alpha of values",
    "mean_hops": "hops that elements moved, mean",
}
MEASURES = FIDELITY | {name: PRIVACY[name] for name in ("alpha_hops", "mean_hops")}
"""What the chosen point tells of itself."""

ATTACKER = {
    "obfuscated": "guided by the released file",
    "residual": "by what no noise touches (residual)",
    "held": "the best way open to a holder of the release",
}
AMOUNT = {"share": "% of the fully informed attacker's", "amount": "as it was measured"}

NO_FIGURE = (
    "This network has no published cost figure that pocin knows of. The study computed it; a "
    "private release asks for --cost-figure VALUE or --cost-epsilon E too."
)
FILES = (
    "The command names networks and files as the study's file does: give their paths from where "
    "you run it."
)
COMPUTED = "What is computed from the real network is an exact disclosure beyond epsilon."
_ROUNDING = 1e-9
NOTES = (NO_FIGURE, FILES, COMPUTED)

CHARTS = ("Damage against fidelity", "Damage against privacy", "Fidelity against privacy")

HINT = (
    "Click a point to choose it, drag a frame to mark several; by keyboard, Tab to a chart and "
    "use the arrows. What is chosen or marked in one chart is so in all of them and in the table."
)
CHOICE = (
    "These figures were measured on the real network. Settings that are chosen by them tell a "
    "little of it, which no epsilon counts: choose by rules that would hold for other networks too."
)


@dataclass(frozen=True)
class Dial:
    """A setting that differs between points: its values in order, and each point's place there."""

    name: str
    label: str
    values: tuple[str, ...]
    at: tuple[int, ...]

    @classmethod
    def of(cls, name: str, told: Sequence[str]) -> Dial:
        """Return a setting from what it is at each point."""
        values = sorted(set(told), key=order)
        place = {value: k for k, value in enumerate(values)}
        return cls(name, DIALS[name], tuple(values), tuple(place[value] for value in told))


def explorer(found: Points, name: str) -> str:
    """Return the page of a study's points."""
    dials = [Dial.of(dial, told) for dial, told in _told(found.points).items()]
    turned = [dial for dial in dials if len(dial.values) > 1]
    data = _data(found, turned, name)
    main = [
        _title(found, name, [dial for dial in dials if len(dial.values) == 1]),
        tag("noscript", tag("p", "The charts need JavaScript; the results are tables, too.")),
        _choices(found, turned, data["means"]),
        _charts(),
        _chosen(),
        _settings(),
        tag("p", aria_live="polite", class_="live", id="live"),
        data_block("points", data),
    ]
    return shell(CURATOR, f"{CURATOR.title}: explore {name}", main, more="explore")


def _told(points: Sequence[Point]) -> dict[str, list[str]]:
    """Return what every setting is at each point, in words."""
    found = {name: [_word(name, point) for point in points] for name in DIALS if name != "epsilon"}
    if found["epsilon_location"] == found["epsilon_value"]:
        found["epsilon"] = found.pop("epsilon_location")
        del found["epsilon_value"]
    return {name: found[name] for name in DIALS if name in found}


def _word(name: str, point: Point) -> str:
    """Return a setting of a point in words."""
    value = getattr(point.settings, name)
    if name == "policy":
        value = value or point.about["policy_used"]
    if value is None:
        return "none" if name == "fault" else "default"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _data(found: Points, dials: Sequence[Dial], name: str) -> dict[str, Any]:
    """Return what the script needs, in columns."""
    points = found.points
    units = sorted({hit.unit for point in points for hit in point.hits.values()})
    by_kind = {kind.name: kind for kind in kinds()}
    value_units = {name: kind.default_alpha_value.lstrip("0.123456789") for name, kind in
                   by_kind.items()}  # fmt: skip
    own = [value_units.get(point.about["kind"], "") for point in points]
    known = sorted(set(own))
    reasons = sorted({point.reason for point in points if point.reason is not None})
    place = {reason: k for k, reason in enumerate(reasons)}
    figured = {str(case["name"]) for kind in by_kind.values() for case in kind.cases()}
    return {
        "title": name,
        "dials": [
            {"name": d.name, "label": d.label, "values": d.values, "at": d.at} for d in dials
        ],
        "budgets": found.budgets,
        "roles": [
            {"name": role, "label": ROLES[role].label, "pattern": role in PATTERNED}
            for role in ATTACKERS
        ],
        "measures": [{"name": key, "label": said} for key, said in MEASURES.items()],
        "means": _means(points),
        "hits": [
            {role: _column(_damage(point, budget, role) for point in points) for role in ATTACKERS}
            for budget in found.budgets
        ],
        "units": units or [""],
        "unit": [units.index(next(iter(p.hits.values())).unit) if p.hits else 0 for p in points],
        "value_units": known,
        "value_unit": [known.index(unit) for unit in own],
        **{name: [getattr(p, name) for p in points]
           for name in ("run", "runs", "faithful", "refused")},
        **{name: [p.about[name] for p in points] for name in ("covered", "elements")},
        "reasons": reasons,
        "reason": [None if p.reason is None else place[p.reason] for p in points],
        "notes": NOTES,
        "note": [_notes(point, figured) for point in points],
        **_commands(points, by_kind),
    }  # fmt: skip


def _means(points: Sequence[Point]) -> dict[str, Any]:
    """Return the columns of fidelity and privacy that are known anywhere, shares as percents."""

    def dial(read: Callable[[Point], float | None]) -> list[Mean | None]:
        told = [read(point) for point in points]
        return [
            None if value is None else Mean(float(value), None, point.runs)
            for value, point in zip(told, points, strict=True)
        ]

    same = all(p.settings.epsilon_location == p.settings.epsilon_value for p in points)
    epsilons = ["epsilon_value"] if same else ["epsilon_location", "epsilon_value"]
    found = {
        name: _column(
            (point.within if name == "within" else point.means.get(name) for point in points),
            100 if name in {"gap", "gap_size", "within"} else 1,
        )
        for name in (*FIDELITY, "mean_hops")
    }
    for name in epsilons:
        said = "epsilon" if same else name
        found[said] = _column(dial(lambda p, name=name: float(epsilon(getattr(p.settings, name)))))
    for name in ("alpha_hops", "alpha_amount"):
        found[name] = _column(dial(lambda p, name=name: p.about[name]))
    return {name: column for name, column in found.items() if any(column["n"])}


def _damage(point: Point, budget: str, role: str) -> Mean | None:
    """Return the damage of an attacker."""
    hit = point.hits.get((budget, role))
    return None if hit is None else hit.damage


def _column(means: Iterable[Mean | None], factor: float = 1) -> dict[str, list[Any]]:
    """Return means as columns, None where there is none."""
    told = list(means)
    return {
        "v": [None if m is None else _short(m.value * factor) for m in told],
        "se": [None if m is None or m.error is None else _short(_error(m) * factor) for m in told],
        "n": [0 if m is None else m.n for m in told],
    }


def _error(mean: Mean) -> float:
    """Return a standard error; what rounding alone makes of equal values is none."""
    error = mean.error or 0.0
    return 0.0 if error < _ROUNDING * abs(mean.value) else error


def _short(value: float) -> float:
    """Return a number with as many digits as a chart can show."""
    return float(f"{value:.5g}")


def _commands(points: Sequence[Point], by_kind: Mapping[str, Any]) -> dict[str, Any]:
    """Return the command line of every point, and what makes it a release of the study."""
    draw, repeat = [], []
    for point in points:
        kind = by_kind.get(point.about["kind"])
        output = "released" if kind is None or kind.folder else f"released{kind.suffix}"
        private, seeded = (command(point.settings, output, seed) for seed in (None, point.seed))
        draw.append(private and shlex.join(private))
        repeat.append(private and seeded and shlex.join(seeded[len(private) :]))
    return {"draw": draw, "repeat": repeat}


def _notes(point: Point, figured: set[str]) -> list[int]:
    """Return what is to be known before the command of a point is run."""
    s = point.settings
    built_in = s.case in figured
    brings = s.cost_figure is not None or s.cost_epsilon is not None or s.reading == "per-trip"
    files = not built_in or (s.policy or "").endswith(".toml")
    files = files or s.trip_times not in {None, "computed"}
    computed = "computed" in {s.cost_figure, s.trip_times, s.gamma}
    told = ((not brings and not (built_in and s.model != "dc"), NO_FIGURE), (files, FILES),
            (computed, COMPUTED))  # fmt: skip
    return [NOTES.index(note) for holds, note in told if holds]


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


def _choices(found: Points, dials: Sequence[Dial], means: Mapping[str, Any]) -> Html:
    """Return what is shown and how, as a form."""
    budgets = dict(reversed([(str(k), b) for k, b in enumerate(found.budgets)])) or {"0": "none"}
    asks = [
        _select("fidelity", "Fidelity", {k: said for k, said in FIDELITY.items() if k in means}),
        _select("privacy", "Privacy", {k: said for k, said in PRIVACY.items() if k in means}),
        _select("attacker", "Attacker", ATTACKER),
        _select("as", "Damage", AMOUNT),
        _select("budget", "Budget", budgets),
        _select("by", "Colours", {dial.name: dial.label for dial in dials}) if dials else None,
    ]
    reset = tag("button", "Begin again", type="reset")
    free = tag("button", "Let the marked go", type="button", id="free", hidden=True)
    return tag(
        "section",
        tag("h2", "What is shown", class_="live"),
        tag(
            "form",
            tag("div", *asks, class_="asks"),
            tag("div", *(_filter(dial) for dial in dials), class_="filters") if dials else None,
            tag("div", tag("output", id="count"), free, reset, class_="state"),
            id="choose",
            autocomplete="off",
            aria_label="What is shown",
        ),
        class_="part",
    )


def _select(name: str, label: str, options: Mapping[str, str]) -> Html:
    """Return one choice out of several."""
    shown = (tag("option", said, value=value) for value, said in options.items())
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
