# SPDX-License-Identifier: MIT
"""TNTP files: ``NAME_net``, ``NAME_trips``, ``NAME_flow`` and, where there is one, ``NAME_node``.

Zones are the first nodes; those below the first through node may not be crossed. Links have no
numbers in these files: they get one by their ends and times. The flow file holds the traffic.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads.about import about
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.numbering import numbered
from pocin.roads.tables import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document

NET, TRIPS, FLOW, NODE = "_net.tntp", "_trips.tntp", "_flow.tntp", "_node.tntp"
SUFFIXES = (NET, TRIPS, FLOW, NODE)
SOURCES = "as in the source"
UNITS = Units(SOURCES, SOURCES, SOURCES)
COLUMNS = ("init_node", "term_node", "capacity", "length", "free_flow_time", "b", "power")
_NAMES = {
    "from": "tail", "tail": "tail", "init_node": "tail", "to": "head", "head": "head",
    "term_node": "head", "volume": "volume", "flow": "volume", "cost": "cost",
    "node": "id", "x": "x", "y": "y",
}  # fmt: skip
_META = re.compile(r"<([^>\n]+)>([^\n]*)")
_END = re.compile(r"<\s*END OF METADATA\s*>[^\n]*", re.IGNORECASE)
_ORIGIN = re.compile(r"\bOrigin\b", re.IGNORECASE)
_PAIRS = re.compile(r"\s*\d+\s*(?:\d+\s*:\s*[-+.\deE]+\s*;?\s*)*")
_UNIT = re.compile(r"(length|free flow time|fftt|capacity)\s*\(([^)\n]{1,20})\)", re.IGNORECASE)


def parse(document: Document, place: str) -> Roads:
    """Read the files of a network."""
    texts = _texts(document, place)
    meta, body = _parted(*texts[NET])
    links, units = _links(body, texts[NET][1]), _stated(texts[NET][0])
    count = _count(meta, "NUMBER OF NODES", texts[NET][1])
    zones = _count(meta, "NUMBER OF ZONES", texts[NET][1])
    through = _count(meta, "FIRST THRU NODE", texts[NET][1])
    _same_count(meta, len(links["tail"]), texts[NET][1])
    tail, head = links["tail"].astype(np.int64), links["head"].astype(np.int64)
    timed = bool(np.any(links["free_flow_time"] > 0))
    d = links["free_flow_time"] if timed else links["length"]
    volume, cost = _flow(texts, tail, head)
    said = about(document, place, units)
    return Roads(
        _nodes(texts, count, zones, through),
        Links(
            numbered(tail, head, d, links["length"]), tail, head, d,
            _given(links["length"]), volume, *_delay(links), cost,
        ),
        _trips(*texts[TRIPS]),
        said.units,
        said.gamma,
        "tntp",
        () if timed else ("there are no free-flow times: the length stands for them",),
    )  # fmt: skip


def _texts(document: Document, place: str) -> dict[str, tuple[str, str]]:
    """Return the text and the place of each file by its suffix."""
    found = {}
    for name, data in document.items():
        for suffix in SUFFIXES:
            if name.lower().endswith(suffix):
                found[suffix] = text_of(data, f"{place}/{name}"), f"{place}/{name}"
    for suffix in (NET, TRIPS, FLOW):
        if suffix not in found:
            what = {TRIPS: "the trips", FLOW: "the traffic"}.get(suffix, "the links")
            raise InputError(f"{place}: has no file *{suffix} with {what}; add it")
    return found


def _parted(text: str, place: str) -> tuple[Mapping[str, str], str]:
    """Return the metadata, and what follows it."""
    end = _END.search(text)
    if end is None:
        raise InputError(f"{place}: has no <END OF METADATA>; is it a TNTP file?")
    meta = {key.strip().upper(): value.strip() for key, value in _META.findall(text[: end.start()])}
    return meta, "\n" * text[: end.end()].count("\n") + text[end.end() :]


def _count(meta: Mapping[str, str], name: str, place: str) -> int:
    """Return a whole number of the metadata."""
    word = meta.get(name, "").partition(" ")[0].strip()
    if not (word.isascii() and word.isdigit()):
        raise InputError(f"{place}: <{name}> must be a whole number; mend the metadata")
    return int(word)


def _same_count(meta: Mapping[str, str], links: int, place: str) -> None:
    """Refuse a file that was cut."""
    stated = meta.get("NUMBER OF LINKS", "").partition(" ")[0].strip()
    if stated.isdigit() and int(stated) != links:
        raise InputError(f"{place}: states {stated} links and has {links}; is it whole?")


def _rows(text: str, place: str, least: int) -> Floats:
    """Read the rows of numbers of a table; each must have as many, and at least some."""
    lines = [
        line.partition("~")[0].replace(";", " ").replace(":", " ") for line in text.split("\n")
    ]
    cells = [line.split() for line in lines]
    rows = [row for row in cells if row]
    width = max(least, len(rows[0]) if rows else 0)
    try:
        table = np.array(rows, dtype=np.float64).reshape(-1, width)
        bad = len(table) != len(rows) or not np.isfinite(table).all()
    except ValueError:
        bad = True
    if bad:
        at = next(n for n, row in enumerate(cells, 1) if row and not _numbers(row, width))
        raise InputError(f"{place}: row {at}: expected {width} numbers; mend it")
    return table


def _numbers(row: list[str], width: int) -> bool:
    """Whether a row has this many finite numbers."""
    try:
        return len(row) == width and bool(np.isfinite(np.array(row, dtype=np.float64)).all())
    except ValueError:
        return False


def _links(body: str, place: str) -> dict[str, Floats]:
    """Read the links' columns, which stand in the format's order."""
    table = _rows(body, place, len(COLUMNS))
    named = dict(zip(("tail", "head", *COLUMNS[2:]), table.T, strict=False))
    for name in ("length", "free_flow_time"):
        if np.any(named[name] < 0):
            raise InputError(f"{place}: column {name}: is negative at some links; mend it")
    return named


def _given(values: Floats) -> Floats:
    """Return a column, NaN where it is all zeros: then it was not given."""
    return values if np.any(values != 0) else np.full(len(values), np.nan)


def _delay(links: Mapping[str, Floats]) -> tuple[Floats, Floats, Floats]:
    """Return capacity, b and power where they say something."""
    capacity, b, power = (links[name] for name in ("capacity", "b", "power"))
    unknown = np.full(len(b), np.nan)
    return (capacity, b, power) if np.any(b != 0) else (unknown, unknown, unknown)


def _headed(text: str, place: str, *needed: str) -> dict[str, Floats]:
    """Read a table whose first row names its columns."""
    first, _, rest = text.lstrip().partition("\n")
    head = [_NAMES.get(word, word) for word in re.findall(r"[\w]+", first.lower())]
    if not set(needed) <= set(head):
        raise InputError(f"{place}: row 1: expected the columns {', '.join(needed)}")
    gap = "\n" * (text[: len(text) - len(rest)].count("\n"))
    return dict(zip(head, _rows(gap + rest, place, len(head)).T, strict=True))


def _flow(texts: Mapping[str, tuple[str, str]], tail: Ints, head: Ints) -> tuple[Floats, Floats]:
    """Return every link's traffic and its time; parallel links in the order of both files."""
    flow = _headed(*texts[FLOW], "tail", "head", "volume")
    here, there = np.lexsort((head, tail)), np.lexsort((flow["head"], flow["tail"]))
    ends = np.column_stack([tail, head])[here]
    given = np.column_stack([flow["tail"], flow["head"]])[there]
    if len(ends) != len(given) or np.any(ends != given):
        lacking = {tuple(row) for row in ends.tolist()} - {tuple(row) for row in given.tolist()}
        said = "" if not lacking else " (from {} to {} is missing)".format(*min(lacking))
        raise InputError(
            f"{texts[FLOW][1]}: expected one row a link of the network{said}; add what is missing"
        )
    volume, cost = np.empty(len(tail)), np.full(len(tail), np.nan)
    volume[here] = flow["volume"][there]
    if "cost" in flow:
        cost[here] = flow["cost"][there]
    return volume, cost


def _nodes(texts: Mapping[str, tuple[str, str]], count: int, zones: int, through: int) -> Nodes:
    """Return the nodes: numbered from 1, the zones first."""
    ids = np.arange(1, count + 1)
    x, y = np.full(count, np.nan), np.full(count, np.nan)
    if NODE in texts:
        node = _headed(*texts[NODE], "id", "x", "y")
        at = node["id"].astype(np.int64) - 1
        if np.any((at < 0) | (at >= count)):
            raise InputError(f"{texts[NODE][1]}: names a node beyond the network's; mend it")
        x[at], y[at] = node["x"], node["y"]
    return Nodes(ids, x, y, np.where(ids <= zones, ids, NO_ZONE), ids < through)


def _trips(text: str, place: str) -> Trips:
    """Read the trip table, origin by origin."""
    _, body = _parted(text, place)
    body = re.sub(r"~[^\n]*", "", body)
    blocks = _ORIGIN.split(body)
    if blocks[0].strip() or len(blocks) == 1:
        raise InputError(f"{place}: expected blocks that begin with Origin; mend it")
    origins, tables = [], []
    for block in blocks[1:]:
        if not _PAIRS.fullmatch(block):
            row = body[: body.index(block)].count("\n") + 1
            raise InputError(f"{place}: the block of row {row} is no list of 'zone : trips;'")
        words = block.replace(":", " ").replace(";", " ").split()
        origins.append(int(words[0]))
        tables.append(np.array(words[1:], dtype=np.float64).reshape(-1, 2))
    table = np.concatenate(tables)
    origin = np.repeat(np.array(origins, dtype=np.int64), [len(rows) for rows in tables])
    if np.any(~np.isfinite(table) | (table < 0)):
        raise InputError(f"{place}: some numbers of trips are negative or not finite; mend them")
    return Trips(origin, table[:, 0].astype(np.int64), table[:, 1])


def _stated(text: str) -> Units:
    """Return the units that the header's words in brackets tell."""
    told = {name.lower(): unit.strip() for name, unit in _UNIT.findall(text)}
    time = told.get("free flow time", told.get("fftt", SOURCES))
    return Units(time, told.get("length", SOURCES), told.get("capacity", SOURCES))
