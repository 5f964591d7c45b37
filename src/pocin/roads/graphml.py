# SPDX-License-Identifier: MIT
"""A street graph that OSMnx saved as GraphML, with a table of traffic and one of trips beside it.

``traffic.csv`` has u, v, key (0 where there is no such column) and volume, and may have an hour:
then all hours of a day must be there, and are added up. ``trips.csv`` has origin and destination
by node, and may have a volume. d is OSMnx's travel_time where every edge has one, else the length.

GraphML is XML from anywhere: a document type, and with it any entity, is refused unread.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from pocin.errors import InputError
from pocin.roads.about import about
from pocin.roads.gmns import NO_TIMES
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.numbering import numbered
from pocin.roads.tables import Table, counted, read_csv, table
from pocin.sources import text_of

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document

SUFFIX = ".graphml"
TRAFFIC, TRIPS = "traffic.csv", "trips.csv"
TIMED, LONG = Units("s", "m", "veh/day"), Units("m", "m", "veh/day")
HOURS = 24
_NEEDED = {"node": ("x", "y"), "edge": ("length", "travel_time")}
_KEYS = 18  # digits of a parallel edge's number
_MOST = 5_000_000  # nodes and edges
_DEEPEST = 100  # elements within elements
_DIGITS = 1_000  # characters of a number
_PIECE = 2**20  # bytes at a time
_LONGEST = 4 * _PIECE  # bytes of one tag, with all its attributes


@dataclass
class _Reader:
    """What the parser's events add up to: rows of nodes and of edges."""

    directed: bool = True
    keys: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[list[str]]] = field(default_factory=lambda: {"node": [], "edge": []})
    element: str = ""
    row: dict[str, str] = field(default_factory=dict)
    name: str = ""
    text: str = ""
    depth: int = 0
    deepest: int = 0

    @property
    def excess(self) -> str | None:
        """Say what a graph has too much of to be read, if it has."""
        if sum(map(len, self.rows.values())) > _MOST:
            return f"has more than {_MOST:,} nodes and edges; save a part of it"
        return f"nests deeper than {_DEEPEST} elements" if self.deepest > _DEEPEST else None

    def text_added(self, text: str) -> None:
        """Meet some text; of what is longer than any number only that is kept."""
        if self.name:
            self.text = self.text + text if len(self.text + text) <= _DIGITS else _DIGITS * "?"

    def begin(self, tag: str, given: dict[str, str]) -> None:
        """Meet the beginning of an element."""
        tag = tag.rpartition(":")[2]
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        if tag == "graph":
            self.directed &= given.get("edgedefault", "directed") == "directed"
        elif tag == "key":
            self.keys[given.get("id", "")] = given.get("attr.name", "")
        elif tag in self.rows:
            self.element, self.row = tag, dict(given)
        elif tag == "data":
            name = self.keys.get(given.get("key", ""), "")
            self.name, self.text = name if name in _NEEDED.get(self.element, ()) else "", ""

    def end(self, tag: str) -> None:
        """Meet the end of an element."""
        tag = tag.rpartition(":")[2]
        self.depth -= 1
        if tag == "data" and self.name:
            self.row[f"data {self.name}"] = self.text
            self.name = ""
        elif tag in self.rows:
            ids = ("id",) if tag == "node" else ("source", "target", "id")
            names = (*ids, *(f"data {name}" for name in _NEEDED[tag]))
            self.rows[tag].append([self.row.get(name, "") for name in names])
            self.element = ""


def parse(document: Document, place: str) -> Roads:
    """Read the graph and its two tables."""
    name = next(name for name in document if name.lower().endswith(SUFFIX))
    where = f"{place}/{name}" if len(document) > 1 else place
    found = _read(document[name], where)
    if not found.directed:
        raise InputError(f"{where}: is undirected, and traffic is by direction; save it directed")
    node = table(["node_id", "x", "y"], found.rows["node"], f"{where}, nodes")
    edge = table(["u", "v", "key", "length", "travel_time"], found.rows["edge"], f"{where}, edges")
    tables = {kind: _beside(document, kind, place) for kind in (TRAFFIC, TRIPS)}
    links, timed = _links(edge, tables[TRAFFIC])
    said = about(document, place, TIMED if timed else LONG)
    trips = tables[TRIPS]
    trips.need("origin", "destination")
    count = len(node)
    return Roads(
        Nodes(
            node.ints("node_id"), node.floats("x", gaps=True), node.floats("y", gaps=True),
            np.full(count, NO_ZONE), np.zeros(count, dtype=bool),
        ),
        links,
        Trips(trips.ints("origin"), trips.ints("destination"), trips.optional("volume")),
        said.units,
        said.gamma,
        "gmns",
        () if timed else (NO_TIMES,),
    )  # fmt: skip


def _beside(document: Document, kind: str, place: str) -> Table:
    """Open a table beside the graph: of this name, or of one that ends so."""
    for name, data in document.items():
        if name.lower().endswith(kind):
            return read_csv(text_of(data, f"{place}/{name}"), f"{place}/{name}")
    columns = {TRAFFIC: "u, v, key and volume", TRIPS: "origin and destination"}[kind]
    raise InputError(f"{place}: needs a table {kind} beside it with {columns}; add it")


def _read(data: bytes, where: str) -> _Reader:
    """Parse the XML, with no document type."""
    reader, parser = _Reader(), expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise InputError(f"{where}: has a document type, which GraphML needs not; remove it")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text_added
    try:
        for at in range(0, len(data), _PIECE):  # so that what is endless is met before it is whole
            parser.Parse(data[at : at + _PIECE], False)  # noqa: FBT003  (expat's own signature)
            waiting = at + _PIECE - parser.CurrentByteIndex > _LONGEST
            found = f"a tag is longer than {_LONGEST:,} bytes" if waiting else reader.excess
            if found:
                raise InputError(f"{where}: row {parser.CurrentLineNumber}: {found}")
        parser.Parse(b"", True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise InputError(f"{where}: row {error.lineno}: is not XML; save the graph anew") from None
    except (LookupError, ValueError):  # of Python's own codecs
        raise InputError(
            f"{where}: row 1: names no encoding that is known; save it as UTF-8"
        ) from None
    return reader


def _links(edge: Table, traffic: Table) -> tuple[Links, bool]:
    """Join edges with their traffic."""
    edge.need("u", "v")
    tail, head = edge.ints("u"), edge.ints("v")
    key = _keys(edge)
    ids = numbered(tail, head, key)
    _, first = np.unique(np.column_stack([tail, head, key]), axis=0, return_index=True)
    if len(first) < len(tail):
        again = np.setdiff1d(np.arange(len(tail)), first)[0]
        edge.fail(
            f"several from {tail[again]} to {head[again]} have the same id; give parallel edges "
            "the ids 0, 1 and so on, as OSMnx does"
        )
    length, seconds = edge.floats("length", gaps=True), edge.floats("travel_time", gaps=True)
    timed = bool(len(seconds)) and not np.isnan(seconds).any()
    if not timed and np.isnan(length).any():
        edge.refuse(np.isnan(length), "length", "is missing; add edge lengths in OSMnx")
    nothing = np.full(len(tail), np.nan)
    volume = _volume(np.column_stack([tail, head, key]), traffic)
    d = seconds if timed else length
    return Links(ids, tail, head, d, length, volume, nothing, nothing, nothing, nothing), timed


def _keys(edge: Table) -> Ints:
    """Return the keys of parallel edges; the first is 0."""
    cells = edge.cells["key"]
    number = [cell.isdecimal() and len(cell) <= _KEYS for cell in cells]
    return np.array([int(c) if n else 0 for c, n in zip(cells, number, strict=True)], np.int64)


def _volume(edges: Ints, traffic: Table) -> Floats:
    """Return every edge's traffic over all hours."""
    traffic.need("u", "v", "volume")
    key = traffic.ints("key") if "key" in traffic else np.zeros(len(traffic), dtype=np.int64)
    given = np.column_stack([traffic.ints("u"), traffic.ints("v"), key])
    both, back = np.unique(np.concatenate([edges, given]), axis=0, return_inverse=True)
    edge, row = back.ravel()[: len(edges)], back.ravel()[len(edges) :]
    known = np.zeros(len(both), dtype=bool)
    known[edge] = True
    traffic.refuse(~known[row], "u", "the graph has no such edge")
    hours = HOURS if "hour" in traffic else 1
    if hours == HOURS:
        _hours(traffic, row)
    count = np.bincount(row, minlength=len(both))[edge]
    if np.any(count != hours):
        u, v, _ = edges[np.flatnonzero(count != hours)[0]].tolist()
        traffic.fail(
            f"expected {counted(hours, 'row')} an edge, and from {u} to {v} there are "
            f"{int(count[count != hours][0])}; mend that and the like"
        )
    return np.bincount(row, traffic.floats("volume"), len(both))[edge].astype(np.float64)


def _hours(traffic: Table, row: Ints) -> None:
    """Refuse an hour that stands twice or is none of a day's."""
    hour = traffic.ints("hour")
    traffic.refuse((hour < 0) | (hour >= HOURS), "hour", f"expected 0 to {HOURS - 1}")
    pair = row * HOURS + hour
    _, first = np.unique(pair, return_index=True)
    twice = np.ones(len(pair), dtype=bool)
    twice[first] = False
    traffic.refuse(twice, "hour", "stands twice for its edge")
