# SPDX-License-Identifier: MIT
"""TNTP files: ``NAME_net``, ``NAME_trips``, ``NAME_flow`` and, where there is one, ``NAME_node``.

Zones are the first nodes; those below the first through node may not be crossed. Links have no
numbers in these files: they get one by their ends and times. The flow file holds the traffic.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.roads.about import about
from pocin.roads.gmns import NO_TIMES
from pocin.roads.network import NO_ZONE, Links, Nodes, Roads, Trips, Units
from pocin.roads.numbering import numbered
from pocin.roads.tables import plain
from pocin.sources import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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
_NODES = ("tail", "head", "id")
_META = re.compile(r"<([^>\n]+)>([^\n]*)")
_END = re.compile(r"<\s*END OF METADATA\s*>[^\n]*", re.IGNORECASE)
_ORIGIN = re.compile(r"\bOrigin\b", re.IGNORECASE)
_PAIRS = re.compile(r"\s*\d{1,9}\s*+(?:\d{1,9}\s*+:\s*+[-+.\deE]++\s*+;?+\s*+)*+")  # linear in time
_TOTAL = re.compile(r"\d{1,15}(\.\d*)?")
_OFF = 1e-3
_MOST_NODES, _DIGITS = 2_000_000, 16
_UNIT = re.compile(r"(length|free flow time|fftt|capacity)\s*\(([^)\n]{1,20})\)", re.IGNORECASE)


def parse(document: Document, place: str) -> Roads:
    """Read the files of a network."""
    texts = _texts(document, place)
    meta, body = _parted(*texts[NET])
    count = _count(meta, "NUMBER OF NODES", texts[NET][1], _MOST_NODES)
    zones = _count(meta, "NUMBER OF ZONES", texts[NET][1], count)
    through = _count(meta, "FIRST THRU NODE", texts[NET][1], count + 1)
    links, units = _links(body, texts[NET][1], count), _stated(texts[NET][0])
    _same_count(meta, len(links["tail"]), texts[NET][1])
    tail, head = links["tail"].astype(np.int64), links["head"].astype(np.int64)
    timed = bool(np.any(links["free_flow_time"] > 0))
    d = links["free_flow_time"] if timed else links["length"]
    volume, cost = _flow(texts, tail, head, count)
    trips = _trips(*texts[TRIPS], count)
    said = about(document, place, units)
    return Roads(
        _nodes(texts, count, zones, through),
        Links(
            numbered(tail, head, d, links["length"]), tail, head, d,
            _given(links["length"]), volume, *_delay(links), cost,
        ),
        trips,
        said.units,
        said.gamma,
        "tntp",
        tuple(_notes(texts, timed=timed, trips=trips)),
        said.reading,
    )  # fmt: skip


def _texts(document: Document, place: str) -> dict[str, tuple[str, str]]:
    """Return the text and the place of each file by its suffix."""
    found = {}
    for name, data in document.items():
        for suffix in SUFFIXES:
            if name.lower().endswith(suffix):
                text = "\n".join(text_of(data, f"{place}/{name}").splitlines())
                found[suffix] = text, f"{place}/{name}"
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


def _count(meta: Mapping[str, str], name: str, place: str, most: int) -> int:
    """Return a whole number of the metadata."""
    word = (meta.get(name, "").split() or [""])[0]
    if not (word.isascii() and word.isdigit() and len(word) < _DIGITS and int(word) <= most):
        raise InputError(f"{place}: <{name}> must be a whole number up to {most}; mend it")
    return int(word)


def _same_count(meta: Mapping[str, str], links: int, place: str) -> None:
    """Refuse a file that was cut."""
    stated = (meta.get("NUMBER OF LINKS", "").split() or [""])[0]
    if stated.isdecimal() and stated != str(links):
        told = stated[:_DIGITS]
        raise InputError(f"{place}: states {told} links and has {links}; is it whole?")


def _rows(text: str, place: str, width: int, nodes: list[int], count: int) -> Floats:
    """Read the rows of numbers of a table, of which these columns are nodes from 1 to a count."""
    cells = [_cells(line) for line in text.split("\n")]
    rows = [row for row in cells if row]

    def good(table: Floats) -> bool:
        named = table[:, nodes]
        whole = (named >= 1) & (named <= count) & (named == np.floor(named))
        return bool(np.isfinite(table).all() and whole.all())

    try:
        table = np.array(rows, dtype=np.float64).reshape(len(rows), width)
        if good(table) and plain(chain.from_iterable(rows)):
            return table
    except ValueError:
        pass
    at = next(n for n, row in enumerate(cells, 1) if row and not _is(row, width, good))
    what = f"{width} numbers, with nodes from 1 to {count}"
    raise InputError(f"{place}: row {at}: expected {what}; mend it")


def _cells(line: str) -> list[str]:
    """Part a row; what follows a tilde is comment."""
    return line.partition("~")[0].replace(";", " ").replace(":", " ").split()


def _is(row: list[str], width: int, good: Callable[[Floats], bool]) -> bool:
    """Whether a row has this many numbers that are good."""
    try:
        return plain(row) and good(np.array(row, dtype=np.float64).reshape(1, width))
    except ValueError:
        return False


def _links(body: str, place: str, count: int) -> dict[str, Floats]:
    """Read the links' columns, which stand in the format's order."""
    first = next((row for row in (_cells(line) for line in body.split("\n")) if row), [])
    table = _rows(body, place, max(len(COLUMNS), len(first)), [0, 1], count)
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
    b, power = (b, power) if np.any(b != 0) else (unknown, unknown)
    return capacity if np.any(capacity != 1) else unknown, b, power


def _headed(text: str, place: str, names: list[str], count: int) -> dict[str, Floats]:
    """Read a table whose first row names its columns; all of these but numbers are nodes."""
    end = _END.search(text)
    body = text if end is None else "\n" * text[: end.end()].count("\n") + text[end.end() :]
    first, _, rest = body.lstrip().partition("\n")
    head = [_NAMES.get(word, word) for word in re.findall(r"[\w]+", first.lower())]
    if not set(names) <= set(head):
        raise InputError(f"{place}: row 1: expected the columns {', '.join(names)}")
    gap = "\n" * body[: len(body) - len(rest)].count("\n")
    nodes = [head.index(name) for name in names if name in _NODES]
    return dict(zip(head, _rows(gap + rest, place, len(head), nodes, count).T, strict=True))


def _flow(
    texts: Mapping[str, tuple[str, str]], tail: Ints, head: Ints, count: int
) -> tuple[Floats, Floats]:
    """Return every link's traffic and its time; parallel links in the order of both files."""
    flow = _headed(*texts[FLOW], ["tail", "head", "volume"], count)
    here, there = np.lexsort((head, tail)), np.lexsort((flow["head"], flow["tail"]))
    ends = np.column_stack([tail, head])[here]
    given = np.column_stack([flow["tail"], flow["head"]]).astype(np.int64)[there]
    if len(ends) != len(given) or np.any(ends != given):
        links, rows = (Counter(map(tuple, pairs.tolist())) for pairs in (ends, given))
        lacking, beyond = links - rows, rows - links
        u, v = min(lacking or beyond)
        said = "is missing; add it" if lacking else "is one too many; remove it"
        raise InputError(
            f"{texts[FLOW][1]}: expected one row a link of the network, and that from {u} to {v} "
            f"{said}, and the like"
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
        node = _headed(*texts[NODE], ["id", "x", "y"], count)
        at = node["id"].astype(np.int64) - 1
        x[at], y[at] = node["x"], node["y"]
    return Nodes(ids, x, y, np.where(ids <= zones, ids, NO_ZONE), ids < through)


def _trips(text: str, place: str, count: int) -> Trips:
    """Read the trip table, origin by origin."""
    _, body = _parted(text, place)
    body = re.sub(r"~[^\n]*", "", body)
    blocks = _ORIGIN.split(body)
    if blocks[0].strip() or len(blocks) == 1:
        raise InputError(f"{place}: expected blocks that begin with Origin; mend it")
    if len(blocks) > count + 1:
        raise InputError(f"{place}: has more blocks of an Origin than there are nodes; mend it")
    origins, tables = [], []
    for block in blocks[1:]:
        found = _pairs(block)
        if found is None:
            row = body[: body.index(block)].count("\n") + 1
            raise InputError(f"{place}: row {row}: no origin with its 'zone : trips;'; mend it")
        origins.append(found[0])
        tables.append(found[1])
    table = np.concatenate(tables)
    origin = np.repeat(np.array(origins, dtype=np.int64), [len(rows) for rows in tables])
    if np.any(~np.isfinite(table) | (table < 0)):
        raise InputError(f"{place}: some numbers of trips are negative or not finite; mend them")
    return Trips(origin, table[:, 0].astype(np.int64), table[:, 1])


def _notes(texts: Mapping[str, tuple[str, str]], *, timed: bool, trips: Trips) -> Iterator[str]:
    """Yield what a curator should know of the files."""
    if not timed:
        yield NO_TIMES
    meta, _ = _parted(*texts[TRIPS])
    stated = (meta.get("TOTAL OD FLOW", "").split() or [""])[0]
    if _TOTAL.fullmatch(stated) and abs(float(stated) - trips.volume.sum()) > _OFF * float(stated):
        yield "the trips do not add up to the <TOTAL OD FLOW> of their file: is it whole?"


def _pairs(block: str) -> tuple[int, Floats] | None:
    """Read an origin, and its destinations with their trips; None where there is something else."""
    if not _PAIRS.fullmatch(block):
        return None
    words = block.replace(":", " ").replace(";", " ").split()
    try:
        return int(words[0]), np.array(words[1:], dtype=np.float64).reshape(-1, 2)
    except ValueError:
        return None


def _stated(text: str) -> Units:
    """Return the units that the header's words in brackets tell."""
    told = {name.lower(): unit.strip() for name, unit in _UNIT.findall(text)}
    time = told.get("free flow time", told.get("fftt", SOURCES))
    return Units(time, told.get("length", SOURCES), told.get("capacity", SOURCES))
