# SPDX-License-Identifier: MIT
"""Roads written as TNTP files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.network import NO_ZONE
from pocin.roads.tables import written
from pocin.roads.tntp import COLUMNS, FLOW, NET, NODE, TRIPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document
    from pocin.roads.network import Roads, Trips

RELEASED = "released"
_WRITTEN = (*COLUMNS, "speed", "toll", "link_type")


def write(roads: Roads, header: tuple[str, ...]) -> Document:
    """Return the files of a release. What the format wants and a release has not is a constant.

    Capacity 1, b 0 and power 1 give the time without traffic; Cost is d + gamma volume. Comments
    say so, for the format has no gaps.
    """
    nodes, links, trips = roads.nodes, roads.links, roads.trips
    assert roads.gamma is not None  # a release states it
    zones = int(np.sum(nodes.zone != NO_ZONE))
    meta = {
        "NUMBER OF ZONES": zones,
        "NUMBER OF NODES": len(nodes),
        "FIRST THRU NODE": int(nodes.no_through.sum()) + 1,
        "NUMBER OF LINKS": len(links),
    }
    kept = (links.capacity, links.length, links.d, links.b, links.power)
    given = [np.where(np.isnan(v), f, v) for v, f in zip(kept, (1, 0, 0, 0, 1), strict=True)]
    zero = np.zeros(len(links), dtype=np.int64)
    lacking = [name for name in ("capacity", "b", "power") if np.isnan(getattr(links, name)).all()]
    said = [f"{', '.join(lacking)} are not released: constants stand for them"] if lacking else []
    comment = [f"~ {line}" for line in (*header, *said)]
    rows = _lines((links.tail, links.head, *given, zero, zero, zero + 1), "\t;")
    net = [*comment, "\t".join(("~", *_WRITTEN, ";")), *("\t" + row for row in rows)]
    cost = links.d + roads.gamma * links.volume
    flow = _lines((links.tail, links.head, links.volume, cost))
    counted = np.isnan(trips.volume)
    volume = np.where(counted, 1.0, trips.volume)
    pairs = ["~ volumes are not released: 1 stands for every pair", ""] if counted.any() else []
    files = {
        NET: _file(meta, net),
        FLOW: ["From\tTo\tVolume\tCost", *flow],
        TRIPS: _file(
            {"NUMBER OF ZONES": zones, "TOTAL OD FLOW": written(float(volume.sum()))},
            [*pairs, *_table(trips, volume)],
        ),
    }
    if np.isfinite(nodes.x).any():
        known = np.isfinite(nodes.x)
        files[NODE] = [
            "Node\tX\tY\t;",
            *_lines((nodes.id[known], nodes.x[known], nodes.y[known]), " ;"),
        ]
    return {RELEASED + name: "\n".join([*lines, ""]).encode() for name, lines in files.items()}


def _file(meta: Mapping[str, object], lines: list[str]) -> list[str]:
    """Put metadata before the lines of a file."""
    return [*(f"<{key}> {value}" for key, value in meta.items()), "<END OF METADATA>", "", *lines]


def _lines(columns: tuple[Floats | Ints, ...], end: str = "") -> list[str]:
    """Write rows with tabs between the numbers."""
    cells = [map(written, column.tolist()) for column in columns]
    return ["\t".join(row) + end for row in zip(*cells, strict=True)]


def _table(trips: Trips, volume: Floats) -> list[str]:
    """Write the trip table, one row an origin."""
    cells = [
        f"{to} : {written(many)};"
        for to, many in zip(trips.destination.tolist(), volume.tolist(), strict=True)
    ]
    origins, start = np.unique(trips.origin, return_index=True)
    ends = [*start[1:].tolist(), len(cells)]
    lines = []
    for origin, begin, end in zip(origins.tolist(), start.tolist(), ends, strict=True):
        lines += [f"Origin {origin}", "  ".join(cells[begin:end]), ""]
    return lines
