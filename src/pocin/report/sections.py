# SPDX-License-Identifier: MIT
"""What every page may say: functions of the released network, its policy and declared figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.report import charts
from pocin.report.html import Html, join, number, percent, plural, table, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pocin.policy import PolicyBook
    from pocin.report.released import Released

ATTACKER = "What an attacker gains"
NO_PROMISE = "Not a private release: its draws repeat from a seed. It promises nothing."


@dataclass(frozen=True)
class Section:
    """A part of a page under a heading; ``secret`` ones compare with the truth."""

    name: str
    title: str
    body: Html
    secret: bool = False


@dataclass(frozen=True)
class Card:
    """One of the three sentences of the first screen, with its figure."""

    title: str
    figure: str
    sentence: str


def protected(released: Released) -> Card:
    """Say what is protected."""
    found, drawing = released.guarantee["coverage"], released.drawing
    covered, elements = int(found["covered"]), int(found["elements"])
    hops = float(released.parameters["alpha_location_hops"])
    what = f"Which {drawing.element_word} stands at which {_place(released)}, and how large it is"
    return Card(
        "What is protected",
        f"{covered:,} of {elements:,}",
        f"{what}: {covered:,} of {elements:,} have another within {plural(int(hops), 'hop')} that "
        "they could be mistaken for.",
    )


def promised(released: Released) -> Card:
    """Say how faithful it is, as far as the release itself tells."""
    cost, beta = released.statement["cost"], float(released.parameters["beta"])
    return Card(
        "How faithful it is",
        f"± {percent(beta)}",
        f"Whoever solves the {released.problem} on this file finds an optimum within "
        f"{percent(beta)} of {number(float(cost['figure']))}, the {cost['source']} cost figure: "
        "checked on the file itself before it was written.",
    )


def bounded(released: Released) -> Card:
    """Say what an attacker gains at most, by the guarantee."""
    place, value = (
        math.exp(float(released.guarantee[f"epsilon_{x}"])) for x in ("location", "value")
    )
    if not released.private:
        return Card(
            ATTACKER,
            "no bound",
            NO_PROMISE + " A private one with these parameters would "
            f"change the odds by a factor of at most {number(place, 3)} for two elements "
            "swapped.",
        )
    alpha, unit = value_alpha(released)
    return Card(
        ATTACKER,
        f"\N{MULTIPLICATION SIGN} {number(place, 3)}",
        "To whoever knows all else, this file changes the odds between two networks by a factor of "
        f"at most {number(place, 3)} where two such elements are swapped, {number(value, 3)} where "
        f"one value differs by {number(alpha)} {unit}, {number(place * value, 3)} for both.",
    )


def cards(rows: Iterable[Card], level: int) -> Html:
    """Return the first screen."""
    made = (
        tag(
            "article",
            tag(f"h{level}", card.title),
            tag("p", card.figure, class_="figure"),
            tag("p", card.sentence),
            class_="card",
        )
        for card in rows
    )
    return tag("div", *made, class_="cards")


def value_alpha(released: Released) -> tuple[float, str]:
    """Return alpha-value and its unit."""
    start = "alpha_value_"
    (name,) = (key for key in released.parameters if key.startswith(start))
    return float(released.parameters[name]), name[len(start) :]


def _place(released: Released) -> str:
    """Return what a site is, in words."""
    drawing = released.drawing
    return drawing.node_word if drawing.on == "node" else drawing.edge_word


def guarantee(released: Released) -> Section:
    """Print the guarantee as it was given, and its numbers."""
    lines = [tag("p", line) for line in str(released.guarantee["statement"]).split("\n")]
    return Section(
        "guarantee",
        "The guarantee",
        join([tag("blockquote", *lines), table(["", "value"], _numbers(released), "Parameters")]),
    )


def _numbers(released: Released) -> list[list[str]]:
    """Return the parameters in words."""
    g, p, cost = released.guarantee, released.parameters, released.statement["cost"]
    alpha, unit = value_alpha(released)
    rows = [
        ["privacy loss of locations (epsilon)", number(float(g["epsilon_location"]))],
        ["privacy loss of values (epsilon)", number(float(g["epsilon_value"]))],
        ["privacy loss of the cost figure (epsilon)", number(float(g["epsilon_cost"]))],
        ["alike up to (alpha, locations)", plural(int(p["alpha_location_hops"]), "hop")],
        ["alike up to (alpha, values)", f"{number(alpha)} {unit}"],
        ["readers' optimum within (beta)", percent(float(p["beta"]))],
        ["cost figure", f"{number(float(cost['figure']))} ({cost['source']})"],
        ["problem of readers", released.problem],
    ]
    rows += [["reading of beta", str(p["reading"])]] if "reading" in p else []
    rows += [[name.replace("_", " "), number(float(v))] for name, v in p["constants"].items()]
    return rows


def policy(released: Released) -> Section:
    """Print what became of every column."""
    p = released.parameters
    return Section("policy", "The policy", columns(released.book, str(p["policy"]), p["columns"]))


def columns(book: PolicyBook, name: str, treatments: Mapping[str, object]) -> Html:
    """Return a policy as a table, with what its words mean."""
    meaning = {column.name: column.meaning for column in book.columns}
    rows = [
        [name, tag("span", str(given), class_=f"chip t-{given}"), meaning.get(name, "")]
        for name, given in treatments.items()
    ]
    words = {
        "secret": "drawn anew",
        "moves": "travels with its element",
        "derived": "made from released values by a public rule",
        "public": "as in the source",
        "dropped": "not written",
    }
    told = tag(
        "ul",
        *(
            tag("li", tag("span", word, class_=f"chip t-{word}"), " ", said)
            for word, said in words.items()
        ),
        class_="legend",
    )
    shown = table(["column", "what becomes of it", "what it is"], rows, f"Policy {name}")
    return join([told, shown])


def values(released: Released) -> Section:
    """Show how released values above nothing are spread."""
    drawing = released.drawing
    above, unit = drawing.values[drawing.values > 0], drawing.unit
    if not len(above):
        body = tag("p", "Nothing of any size stands in this file.")
        return Section("values", "Released values", body)
    without = len(drawing.values) - len(above)
    said = (
        f"{plural(len(above), drawing.element_word)} from {number(float(above.min()))} to "
        f"{number(float(above.max()))} {unit}, the median {number(float(np.median(above)))}, "
        f"{number(float(above.sum()))} in all{f'; {without:,} more of 0' if without else ''}."
    )
    drawn = charts.histogram("Released values", said, above, unit)
    return Section("values", "Released values", drawn)


def made_by(released: Released) -> Section:
    """Say what made it and where the files are."""
    files = ", ".join(str(name) for name in released.statement.get("files", ()))
    said = (
        f"Released by pocin {released.statement.get('pocin', '')} as {files}. This page is one "
        "file; it asks for nothing from any network."
    )
    return Section("about", "About this page", tag("p", said))
