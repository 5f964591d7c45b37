# SPDX-License-Identifier: MIT
"""What the studio shows: the public part, the promise, and trials on surrogates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import kinds
from pocin.privacy.spending import exact
from pocin.report import charts
from pocin.report.html import Html, details, join, number, percent, plural, tag
from pocin.report.sections import Card, cards, columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pocin.studio.opened import Known, Opened, Released, Trial

EPSILONS = ("0.1", "0.2", "0.5", "0.75", "1", "1.5", "2", "3", "5", "10")
HOPS = ("", "1", "2", "3", "4", "5", "6", "8", "10")
BETAS = ("0.001", "0.005", "0.01", "0.02", "0.05", "0.1", "0.15", "0.2", "0.3")
VALUES = ("1", "2", "5", "10", "20", "50", "100", "200")
LASTS = {500: "some seconds in all", 3000: "some seconds to a minute each"}

ORIGINS = {
    "published": "the published one",
    "declared": "a number known without the secret",
    "private": "drawn privately (spends epsilon)",
    "computed": "computed (discloses it exactly)",
}


def page() -> str:
    """Return the page."""
    head = (
        '<head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
        '<meta name="color-scheme" content="light dark"/><title>pocin studio</title>'
        '<link rel="icon" href="data:,"/><link rel="stylesheet" href="studio.css"/>'
        '<script src="studio.js" defer></script></head>'
    )
    main = tag("main", _choose(), _parameters(), _expect(), _draw(), id="content")
    band = tag("p", "Everything here stays on this machine. Previews use made-up values.")
    body = tag("body", tag("header", tag("strong", "pocin studio"), band, class_="band"), main)
    return f'<!doctype html>\n<html lang="en">{head}{body}</html>\n'


def _step(number_: int, title: str, name: str, *children: Html, hidden: bool = False) -> Html:
    """Return one of the four steps."""
    heading = tag("h2", tag("span", str(number_), class_="nth"), title, class_="t2")
    return tag("section", heading, *children, id=name, class_="step", hidden=hidden)


def _choose() -> Html:
    """Return the choice of the network."""
    cases = [case for kind in kinds() for case in kind.cases()]
    rows = [tag("option", f"{case['name']}: {case['title']}", value=case["name"]) for case in cases]
    chosen = tag("select", tag("option", "a file or folder of mine", value=""), *rows, id="case")
    path = tag(
        "input",
        type="text",
        id="path",
        placeholder="/path/to/network.m",
        spellcheck="false",
        autocomplete="off",
    )
    return _step(
        1,
        "Choose a network",
        "choose",
        tag("p", tag("label", "Network ", chosen), class_="row"),
        tag("p", tag("label", "File or folder on this machine ", path), class_="row", id="own"),
        tag("p", tag("button", "Open", type="button", id="open", class_="main")),
        _says("open-says"),
    )


def _parameters() -> Html:
    """Return the place of the controls and of what they promise."""
    both = tag("div", id="controls"), tag("div", id="plan", aria_live="polite")
    return _step(
        2,
        "What a release would promise",
        "parameters",
        tag("div", *both, class_="beside"),
        _says("plan-says"),
        hidden=True,
    )


def _expect() -> Html:
    """Return the place of the preview."""
    return _step(
        3,
        "What to expect",
        "expect",
        tag(
            "p",
            "Tried on surrogates: the public part of your network with made-up values. A preview "
            "on the real one would make your choice of parameters tell of it.",
        ),
        tag("p", tag("button", "Preview", type="button", id="try")),
        tag("div", id="preview", aria_live="polite"),
        hidden=True,
    )


def _draw() -> Html:
    """Return the place of the release."""
    sure = tag("input", type="checkbox", id="sure")
    return _step(
        4,
        "Draw the release",
        "draw",
        tag("div", id="spend"),
        tag("p", tag("label", sure, " I know that this privacy is spent for good."), class_="sure"),
        tag(
            "p",
            tag("button", "Draw the release", type="button", id="go", class_="main", disabled=True),
        ),
        tag("p", id="progress", role="status"),
        tag("div", id="outcome", aria_live="polite"),
        hidden=True,
    )


def _says(name: str) -> Html:
    """Return the place of a sentence that says what is wrong."""
    return tag("p", id=name, class_="says", role="alert", hidden=True)


def controls(known: Known) -> Html:
    """Return the controls of a network."""
    start = known.alpha_value.removesuffix(known.unit)
    figure = ["published"] if known.published is not None else []
    origins = [*figure, "declared", "private", "computed"]
    values = [f"{value}{known.unit}" for value in VALUES]
    rows = [
        _range("epsilon", "Epsilon: privacy loss of locations and of values, each", EPSILONS, "1"),
        _range("hops", "Alpha of locations: alike up to so many hops", HOPS, ""),
        _range("alpha_value", "Alpha of values: alike up to", values, f"{start}{known.unit}"),
        _range("beta", "Beta: readers' optimum within", BETAS, "0.1"),
        _select("policy", "Policy", {name: name for name in known.policies}),
        _select("figure", "Cost figure", {name: ORIGINS[name] for name in origins}),
        _field("cost_figure", "The number", "declared"),
        _field("cost_epsilon", "Epsilon of the figure", "private"),
    ]
    if "gamma" in known.choices:
        rows.append(_field("gamma", "Gamma: time that a vehicle adds (empty: the source's)"))
    return tag("form", *rows, id="form", autocomplete="off")


def _range(name: str, label: str, steps: Sequence[str], start: str) -> Html:
    """Return a slider over some values."""
    at = steps.index(start)
    slider = tag(
        "input",
        type="range",
        name=name,
        min="0",
        max=str(len(steps) - 1),
        value=str(at),
        data_steps=" ".join(step or "automatic" for step in steps),
    )
    shown = tag("output", steps[at] or "automatic")
    return tag("label", tag("span", label, " ", shown), slider, class_="field")


def _select(name: str, label: str, options: dict[str, str]) -> Html:
    """Return a choice."""
    rows = (tag("option", said, value=value) for value, said in options.items())
    return tag("label", tag("span", label), tag("select", *rows, name=name), class_="field")


def _field(name: str, label: str, only: str | None = None) -> Html:
    """Return a field for a number, which is shown for one origin of the figure only."""
    field = tag("input", type="text", name=name, inputmode="decimal")
    return tag("label", tag("span", label), field, class_="field", data_for=only, hidden=bool(only))


def plan(opened: Opened) -> Html:
    """Return what a release would promise."""
    promise, policy = opened.promise, opened.public.policy
    place = promise.location
    told = [
        Card(
            "Covered",
            f"{place.covered:,} of {place.elements:,}",
            f"elements have another within {plural(int(place.alpha), 'hop')} that they could be "
            "mistaken for.",
        ),
        Card(
            "Would spend",
            f"epsilon {exact(promise.total)}",
            f"locations {exact(place.epsilon)}, values {exact(promise.value.epsilon)}, "
            f"cost figure {exact(promise.figure.epsilon)}.",
        ),
        Card("Readers' optimum", f"± {percent(opened.request.beta)}", _figure(opened)),
    ]
    lines = (tag("p", line) for line in promise.statement.split("\n"))
    return join(
        [
            cards(told, 3),
            details("The guarantee", tag("blockquote", *lines), open_=True),
            details("The policy", columns(opened.kind.book, policy.name, policy.treatments)),
        ]
    )


def _figure(opened: Opened) -> str:
    """Say where the cost figure comes from."""
    source = opened.promise.figure.source
    if opened.figure is not None:
        return f"of {number(opened.figure)}, the {source} cost figure."
    if opened.width is not None:
        return (
            "of a cost figure that is drawn with the release; its noise stays within "
            f"{number(opened.width)}, 19 times in 20."
        )
    return "of the real network's own optimum, which would be disclosed exactly."


def spend(opened: Opened) -> Html:
    """Return what the ledger says before a release."""
    asked = exact(opened.promise.total)
    refused = [] if opened.refusal is None else [tag("p", opened.refusal, class_="says")]
    said = f"This release would spend epsilon {asked}, whether or not it can be made faithful."
    return tag(
        "div",
        tag("p", opened.spent),
        tag("p", said),
        *refused,
        data_spend=asked,
        data_refused=opened.refusal is not None,
    )


def preview(
    opened: Opened | None, trials: Sequence[Trial], of: int, note: str, *, running: bool
) -> Html:
    """Return what the trials foretell, a function of the trials alone."""
    if opened is None:
        return Html()
    parts: list[Html | None] = [tag("p", _begun(opened, len(trials), of, running=running))]
    if note:
        parts.append(tag("p", f"Not all could be tried: {note}.", class_="says"))
    good = [trial for trial in trials if trial.gap is not None]
    if trials:
        parts.append(cards(_foretold(trials, good), 3))
    if good:
        parts.append(tag("div", _bands(opened, trials), _scatter(opened, good[0]), class_="pair"))
    reasons = [f"Trial {k}: {t.reason}." for k, t in enumerate(trials, start=1) if t.reason]
    parts += [tag("p", reason, class_="says") for reason in reasons]
    return join(parts)


def _begun(opened: Opened, done: int, of: int, *, running: bool) -> str:
    """Say what is tried, and how long it lasts."""
    nodes = opened.public.node_count
    lasts = next((said for most, said in LASTS.items() if nodes <= most), "some minutes")
    size = f"{plural(nodes, 'node')}: {plural(of, 'trial')}, {lasts}"
    if running:
        return f"{size}. Trying: {done} of {of} done."
    return f"{size}. {f'{done} of {of} done.' if done else 'Press Preview to begin.'}"


def _foretold(trials: Sequence[Trial], good: Sequence[Trial]) -> list[Card]:
    """Return the figures of the trials."""
    made = Card(
        "Faithful",
        f"{len(good)} of {len(trials)}",
        "trials reached the band of beta around the surrogate's own optimum.",
    )
    if not good:
        return [made]
    mean = {name: float(np.mean([t.figures[name] for t in good])) for name in good[0].figures}
    return [
        made,
        Card(
            "Values change by",
            percent(mean["change"], 2),
            f"of the mean value, on average; at {percent(mean['moved'], 2)} of the sites another "
            "element stands.",
        ),
        Card(
            "An attacker finds",
            percent(mean["found"], 2),
            "of what one finds who knows all, by hitting the fifth of the sites that the release "
            f"shows as largest; guessing finds {percent(mean['guessed'], 2)}.",
        ),
    ]


def _bands(opened: Opened, trials: Sequence[Trial]) -> Html:
    """Return where the optima of the trials lie."""
    beta = opened.request.beta
    rows = [
        charts.Off(f"trial {k}", trial.gap, beta)
        for k, trial in enumerate(trials, start=1)
        if trial.gap is not None
    ]
    said = "What readers would find, beside the surrogate's own optimum; the band is beta."
    return charts.bands("Optimum of the trials", said, rows)


def _scatter(opened: Opened, trial: Trial) -> Html:
    """Return the values of a surrogate before and after."""
    assert trial.before is not None
    assert trial.after is not None
    unit = opened.promise.value.unit
    words = f"made up ({unit})", f"released ({unit})"
    said = "Each site of one surrogate: its made-up value and the released one."
    return charts.scatter("Values of a trial", said, trial.before, trial.after, words)


def outcome(released: Released | None, failed: str) -> Html:
    """Return what became of the release."""
    if failed:
        return tag("p", f"{failed[:1].upper()}{failed[1:]}.", class_="says")
    if released is None:
        return Html()
    name = Path(released.path).name
    links = [
        tag("a", f"Download {name}", href="download/release", download=True, class_="get"),
        tag("a", "Download its statement", href="download/statement", download=True, class_="get"),
        tag("a", "Download its public page", href="download/page", download=True, class_="get"),
    ]
    needs = f" A reader's solver needs {released.needs}." if released.needs else ""
    lines = (tag("p", line) for line in released.statement.split("\n"))
    return join(
        [
            tag("h3", "Released"),
            tag("p", f"{released.path} is written, and faithful as promised.{needs}"),
            tag("p", *links, class_="row"),
            tag("p", released.spent, id="after"),
            tag("p", f"The curator's record is {released.record}: keep it to yourself."),
            details("What it promises", tag("blockquote", *lines)),
        ]
    )
