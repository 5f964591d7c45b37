# SPDX-License-Identifier: MIT
"""Several releases side by side: what they promise and how they are built, as the public has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.report.html import number, percent, plural, table
from pocin.report.sections import Section, value_alpha

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pocin.report.html import Child
    from pocin.report.released import Released

TITLE = "Side by side"


def side_by_side(
    releases: Sequence[Released], more: Sequence[Sequence[Child]] = (), *, secret: bool = False
) -> Section:
    """Return a column a release; ``more`` are rows of the curator's page."""
    columns = [_column(released) for released in releases]
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    head = ["", *(released.name for released in releases)]
    title = plural(len(releases), "release")
    shown = table(head, [*rows, *more], title, class_="compare")
    return Section("compare", TITLE, shown, secret)


def _column(released: Released) -> dict[str, str]:
    """Return what is compared of a release."""
    g, p, d = released.guarantee, released.parameters, released.drawing
    cost, (alpha, unit) = released.statement["cost"], value_alpha(released)
    coverage = g["coverage"]
    return {
        "kind": str(released.statement["kind"]),
        "private": "yes" if released.private else "no: the draws repeat from a seed",
        "nodes and edges": f"{len(d.nodes):,} and {len(d.ends):,}",
        "policy": str(p["policy"]),
        "epsilon of locations": number(float(g["epsilon_location"])),
        "epsilon of values": number(float(g["epsilon_value"])),
        "epsilon of the cost figure": number(float(g["epsilon_cost"])),
        "alike within": f"{plural(int(p['alpha_location_hops']), 'hop')}, {number(alpha)} {unit}",
        "elements with a partner": f"{coverage['covered']:,} of {coverage['elements']:,}",
        "cost figure": f"{number(float(cost['figure']))} ({cost['source']})",
        "readers' optimum within": percent(float(p["beta"])),
        "released in all": f"{number(float(np.sum(d.values)))} {d.unit}",
        "largest released": f"{number(float(np.max(d.values, initial=0.0)))} {d.unit}",
    }
