# SPDX-License-Identifier: MIT
"""The curator's page: the public one, and beside it the truth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin import style
from pocin.report import before, compare, findings, maps, sections
from pocin.report.curator import Record, overlay, read_attacks, read_audit, read_record
from pocin.report.html import Html, join, number, percent, tag
from pocin.report.page import CURATOR, Part, page, part
from pocin.report.sections import Card, Section

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pocin.arrays import Floats
    from pocin.report.maps import Map
    from pocin.report.released import Released

FEW = 40
"""So many moves are drawn at once; more on request."""


def curator_page(
    releases: Sequence[Released],
    *,
    attack: Path | None = None,
    audit: Path | None = None,
    credit: str | None = None,
) -> str:
    """Return the curator's page of one release or more."""
    attacks = None if attack is None else read_attacks(attack, style.ATTACKERS)
    audited = None if audit is None else read_audit(audit)
    records = [read_record(released) for released in releases]
    parts = [
        _part(released, record, i, findings.gain(attacks, released), credit)
        for i, (released, record) in enumerate(zip(releases, records, strict=True))
    ]
    rows = before.compared(records)
    first = []
    if len(parts) > 1:
        table = compare.side_by_side(releases, rows, secret=True)
        first = [replace(table, body=join([table.body, before.optima(releases, records)]))]
    last = [findings.attacked(attacks), findings.audited(audited)]
    return page(CURATOR, parts, first=first, last=last)


def _part(
    released: Released, record: Record | None, i: int, gain: Card, credit: str | None
) -> Part:
    """Return what the curator sees of one release."""
    made = maps.Map.of(released.drawing)
    faithful = sections.promised(released) if record is None else _faithful(released, record)
    shown = [_network(made, record, f"map-{i}", credit)]
    if record is not None:
        shown += [before.before_after(record), before.cost_and_distance(released, record)]
    shown += [sections.guarantee(released), sections.policy(released)]
    shown += [sections.values(released)] if record is None else [before.truth(released, record)]
    shown += [sections.made_by(released)] if record is None else [before.making(record)]
    cards = [sections.protected(released), faithful, gain]
    return part(released, i, cards, shown)


def _faithful(released: Released, record: Record) -> Card:
    """Say how faithful it turned out."""
    cost, found = released.statement["cost"], record.stated["fidelity"]
    own, gap = record.stated["cost"]["own_optimum"], found["gap"]
    side = "above" if gap > 0 else "below"
    return Card(
        "How faithful it is",
        percent(gap, signed=True),
        f"Whoever solves the {released.problem} on this file finds {number(own)}: "
        f"{percent(abs(gap))} {side} {number(float(cost['figure']))}, the {cost['source']} cost "
        f"figure; {percent(found['beta'])} is allowed.",
    )


def _network(made: Map, record: Record | None, name: str, credit: str | None) -> Section:
    """Draw the network, with what moved where."""
    if record is None:
        hint = tag("p", "No curator's record stands beside this release: moves are not drawn.")
        drawn = join([hint, maps.network_map(made, name, credit)])
        return Section("network", "The released network", drawn)
    more = overlay(record, made)
    shown = len(more["moves"]) <= FEW
    button = tag(
        "button",
        "What moved where",
        type="button",
        data_moves=True,
        aria_pressed=str(shown).lower(),
    )
    over = None if made.large else _moves(made, name, more["moves"], shown=shown)
    hops = record.stated["moves"]
    said = (
        f"{len(record.site) - hops['stayed']:,} of {len(record.site):,} elements moved, by "
        f"{number(hops['mean_hops'], 3)} hops on average. Arrows lead from where an element really "
        "stands to where the release shows it."
    )
    drawn = maps.network_map(made, name, credit, more=more, over=over, controls=button)
    body = join([tag("p", said), drawn])
    return Section("network", "The released network, and what moved", body, secret=True)


def _moves(made: Map, name: str, moves: Sequence[Sequence[float]], *, shown: bool) -> Html:
    """Draw an arrow for every element that moved, bent so that ways back are seen."""
    round_ = made.sizes if made.drawing.on == "node" else 0 * made.sizes
    arrows = [
        _arrow(made.places[int(origin)], made.places[int(now)], float(round_[int(now)]) + 2)
        for now, origin, _ in moves
        if now != origin
    ]
    tip = tag("path", d="M0 0L8 4L0 8z", class_="arrow")
    head = tag(
        "marker",
        tip,
        id=f"arrow-{name}",
        viewbox="0 0 8 8",
        refX="8",
        refY="4",
        markerWidth="6",
        markerHeight="6",
        orient="auto",
    )
    drawn = [
        tag("path", d=arrow, stroke_width=1.25, marker_end=f"url(#arrow-{name})")
        for arrow in arrows
    ]
    return tag("g", tag("defs", head), *drawn, class_="moves", hidden=not shown)


def _arrow(start: Floats, end: Floats, short: float) -> str:
    """Return a bent line that ends a little before its end."""
    along = end - start
    bend = (start + end) / 2 + 0.12 * np.array([-along[1], along[0]])
    last = end - bend
    tip = end - last * min(1.0, short / max(float(np.linalg.norm(last)), 1e-9))
    (a, b), (c, d), (e, f) = start.tolist(), bend.tolist(), tip.tolist()
    return f"M{a:g} {b:g}Q{c:.1f} {d:.1f} {e:.1f} {f:.1f}"
