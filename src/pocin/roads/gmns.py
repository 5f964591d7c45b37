# SPDX-License-Identifier: MIT
"""GMNS tables: ``node.csv``, ``link.csv`` and ``demand.csv`` in a folder.

Of the General Modeling Network Specification's columns pocin reads those that it needs, and these
beside them: ``d`` (the public part of the travel time), ``free_flow_time``, ``volume``, ``b``,
``power`` and ``cost`` of links, ``no_through`` of nodes. ``capacity`` is the whole link's, in the
unit of its volume. What an optional ``network.json`` or a release's ``release.json`` says of units
and of gamma is read too, and the unit of lengths in ``config.csv``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads import about
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units, positions
from pocin.roads.numbering import numbered
from pocin.roads.tables import read_csv, write_csv, written
from pocin.sources import text_of

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.kinds import Document
    from pocin.roads.tables import Table

NODE, LINK, DEMAND = "node.csv", "link.csv", "demand.csv"
FILES = (NODE, LINK, DEMAND)
CONFIG = "config.csv"
UNITS = Units("min", "m", "veh/day")
NO_TIMES = "there are no free-flow times: the length stands for them"
_ZONES = (("o_zone_id", "d_zone_id"), ("o_node_id", "d_node_id"), ("origin", "destination"))
LINK_COLUMNS = {
    "link_id", "from_node_id", "to_node_id", "directed", "d", "free_flow_time", "length",
    "volume", "capacity", "b", "power", "cost",
}  # fmt: skip
NODE_COLUMNS = {"node_id", "x_coord", "y_coord", "zone_id", "no_through"}
_MOST_ZONES = 2**53
_COLUMN, _WORDS = re.compile(r"[^\W\d][\w -]*"), re.compile(r"[^\W\d][^\d]*")
KNOWN = LINK_COLUMNS | NODE_COLUMNS | {name for pair in _ZONES for name in pair}


def parse(document: Document, place: str) -> Roads:
    """Read the tables of a folder; ``place`` names it."""
    files = {name.lower(): data for name, data in document.items()}

    def opened(name: str) -> Table:
        where = f"{place}/{name}"
        if name not in files:
            raise InputError(f"{where}: is missing; a GMNS folder has {', '.join(FILES)}")
        return read_csv(text_of(files[name], where), where)

    nodes = _nodes(opened(NODE))
    links, timed, notes = _links(opened(LINK))
    demand = opened(DEMAND)
    origin, destination = ends(demand, nodes)
    trips = Trips(origin, destination, demand.optional("volume"))
    assumed = _units(opened(CONFIG) if CONFIG in files else None, timed=timed)
    said = about.about(document, place, assumed)
    if not any(name in document for name in about.FILES):
        taken = f"{assumed.time} for times, {assumed.length} for lengths, {assumed.volume}"
        notes += (f"units are not stated, and taken to be {taken}; network.json may state them",)
    return Roads(nodes, links, trips, said.units, said.gamma, "gmns", notes, said.reading)


def _units(config: Table | None, *, timed: bool) -> Units:
    """Return the units of tables that do not state theirs; lengths may stand for times."""
    named = config.cells.get("long_length", ()) if config is not None else ()
    word = about.short(named[0]) if named else ""
    units = replace(UNITS, length=word) if _WORDS.fullmatch(word) else UNITS
    return units if timed else replace(units, time=units.length)


def _nodes(table: Table) -> Nodes:
    """Read the nodes."""
    table.need("node_id")
    zone = np.full(len(table), NO_ZONE, dtype=np.int64)
    if "zone_id" in table:
        given = table.floats("zone_id", gaps=True)
        bad = (given < 0) | (given != np.floor(given)) & ~np.isnan(given) | (given > _MOST_ZONES)
        table.refuse(bad, "zone_id", "expected a whole number of at least 0; number the zones")
        zone = np.where(np.isnan(given), NO_ZONE, np.nan_to_num(given)).astype(np.int64)
    closed = table.flags("no_through") if "no_through" in table else np.zeros(len(table), bool)
    x, y = table.optional("x_coord"), table.optional("y_coord")
    return Nodes(table.ints("node_id"), x, y, zone, closed)


def _links(table: Table) -> tuple[Links, bool, tuple[str, ...]]:
    """Read the links, one row a direction; also whether they have free-flow times, and notes."""
    table.need("from_node_id", "to_node_id")
    if "volume" not in table:
        hint = ", and one number a link: add up the hours" if _hourly(table) else ""
        table.fail(f"has no column volume; add it with the traffic of every link{hint}")
    if "directed" in table:
        both = ~table.flags("directed")
        table.refuse(both, "directed", "traffic is by direction; write one row a direction")
    tail, head = table.ints("from_node_id"), table.ints("to_node_id")
    d, timed = _public_time(table)
    length = table.optional("length")
    ids = table.ints("link_id") if "link_id" in table else numbered(tail, head, d, length)
    others = {name: table.optional(name) for name in ("capacity", "b", "power", "cost")}
    links = Links(ids, tail, head, d, length, table.floats("volume"), **others)
    left = sorted(set(table.cells) - LINK_COLUMNS)
    notes = [] if timed else [NO_TIMES]
    named = [name for name in left if _COLUMN.fullmatch(name)] or ["those with no name"]
    notes += [f"link columns left out: {', '.join(named)}"] if left else []
    return links, timed, tuple(notes)


def _hourly(table: Table) -> bool:
    """Whether columns look like traffic by the hour."""
    return any(name.startswith("volume") for name in table.cells)


def _public_time(table: Table) -> tuple[Floats, bool]:
    """Read d: the column of that name, else the free-flow time, else, with False, the length."""
    for name in ("d", "free_flow_time", "length"):
        if name in table:
            d = table.floats(name)
            table.refuse(d < 0, name, "is negative; expected at least 0")
            return d, name != "length"
    return table.fail("has none of the columns d, free_flow_time, length; add one")


def ends(demand: Table, nodes: Nodes) -> tuple[Ints, Ints]:
    """Read the nodes where trips of a table begin and end; it names zones where nodes have some."""
    names = next((pair for pair in _ZONES if pair[0] in demand or pair[1] in demand), _ZONES[0])
    demand.need(*names)
    zoned = names[0] == "o_zone_id" and bool(np.any(nodes.zone != NO_ZONE))
    origin, destination = (
        _zone_nodes(demand, name, nodes) if zoned else demand.ints(name) for name in names
    )
    for name, ids in zip(names, (origin, destination), strict=True):
        what = "no node has this id" if not zoned else "no node has this zone"
        demand.refuse(positions(nodes.id, ids) < 0, name, what)
    return origin, destination


def _zone_nodes(demand: Table, name: str, nodes: Nodes) -> Ints:
    """Return the node of each zone named; a zone needs exactly one."""
    zone = demand.ints(name)
    having = np.flatnonzero(nodes.zone != NO_ZONE)
    found, count = np.unique(nodes.zone[having], return_counts=True)
    many = np.isin(zone, found[count > 1])
    demand.refuse(many, name, "several nodes have this zone; give it one node, its centroid")
    at = positions(nodes.zone[having], zone)
    demand.refuse(at < 0, name, "no node has this zone")
    return nodes.id[having[at]]


def write(roads: Roads) -> Document:
    """Return the tables: only columns that hold something."""
    nodes, links, trips = roads.nodes, roads.links, roads.trips
    node: dict[str, Floats | Ints | Mask] = {"node_id": nodes.id}
    places = {"x_coord": nodes.x, "y_coord": nodes.y}
    node |= {name: values for name, values in places.items() if np.isfinite(values).any()}
    if np.any(nodes.zone != NO_ZONE):
        node["zone_id"] = np.where(nodes.zone == NO_ZONE, np.nan, nodes.zone)
    if nodes.no_through.any():
        node["no_through"] = nodes.no_through
    link: dict[str, Floats | Ints | Mask] = {
        "link_id": links.id,
        "from_node_id": links.tail,
        "to_node_id": links.head,
        "directed": np.ones(len(links), dtype=bool),
    }
    for name in ("length", "d", "volume", "capacity", "b", "power"):
        values = getattr(links, name)
        if np.isfinite(values).any():
            link[name] = values
    demand = _named_ends(roads)
    if np.isfinite(trips.volume).any():
        demand["volume"] = trips.volume
    tables = {NODE: node, LINK: link, DEMAND: demand}
    return {name: write_csv(columns, written) for name, columns in tables.items()}


def _named_ends(roads: Roads) -> dict[str, Floats | Ints | Mask]:
    """Name where trips begin and end: by zones where nodes have some, each its own, else nodes."""
    nodes, trips = roads.nodes, roads.trips
    zones, count = np.unique(nodes.zone[nodes.zone != NO_ZONE], return_counts=True)
    if not len(zones):
        return dict(zip(_ZONES[0], (trips.origin, trips.destination), strict=True))
    at = [nodes.zone[places] for places in (roads.origins, roads.destinations)]
    if np.isin(at, zones[count == 1]).all():
        return dict(zip(_ZONES[0], at, strict=True))
    return dict(zip(_ZONES[1], (trips.origin, trips.destination), strict=True))
