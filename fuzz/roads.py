# SPDX-License-Identifier: MIT
"""Readers of roads: GMNS tables, TNTP files, and OSMnx graphs with their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fuzz.judge import SHELF, Door, Target
from fuzz.power import begins
from fuzz.same import hold, same
from pocin import api
from pocin.kinds import Network, chosen
from pocin.roads import forms
from pocin.roads.checks import check as checked
from pocin.roads.kind import ROADS
from pocin.roads.network import Roads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pocin.kinds import Kind


_NUMBERS = ("0", "1", "2", "3", "-1", "0.5", "1e9", "1e13", "1e308", "nan", "inf", "", "12.0")
_GMNS = (
    "node_id", "link_id", "from_node_id", "to_node_id", "o_zone_id", "d_zone_id", "volume",
    "length", "free_flow_time", "d", "zone_id", "directed", "true", "false", "capacity",
    "no_through", '"',
    '{"gamma": 1}', '"units":', "release.json", "parameters", "o_node_id", "d_node_id",
    "long_length",
)  # fmt: skip
_TNTP = (
    "<END OF METADATA>", "<NUMBER OF NODES>", "<NUMBER OF ZONES>", "<FIRST THRU NODE>", "Origin",
    "<NUMBER OF LINKS>", ";", ":", "~", "From\tTo\tVolume\tCost", "Node\tX\tY", "<TOTAL OD FLOW>",
)  # fmt: skip
_GRAPHML = (
    "<node id=", "<edge source=", "</edge>", "</node>", "<data key=", "</data>", "<graph",
    "</graph>", 'edgedefault="directed"', "<key", "attr.name=",
    "travel_time", "<!DOCTYPE", "<!ENTITY", "&amp;",
    "<![CDATA[", "]]>", "<?xml", "u,v,key,volume", "origin,destination", "hour", "&#49;",
    "xmlns:a=",
)  # fmt: skip

GAMMA = (("gamma", "0.01"),)
_DOOR = Door()
_DOOR.watch(Roads)


def _read(folder: Path, document: Mapping[str, bytes]) -> Network:
    """Read the network of a folder, or of files in memory as its files are read."""
    if SHELF.files is not None:
        place, kind = str(folder), cast("Kind", ROADS)
        return Network(kind, checked(forms.parse(dict(document), place), place), place)
    return api.read(folder)


def check(network: Network) -> None:
    """Hold roads to what reading promises, found anew in plain words."""
    roads: Roads = network.content
    nodes, links, trips = roads.nodes, roads.links, roads.trips
    known = set(nodes.id.tolist())
    hold(true=len(known) == len(nodes), what="two nodes have one id")
    hold(true=len(set(links.id.tolist())) == len(links) > 1, what="two links have one id")
    named = [*links.tail.tolist(), *links.head.tolist(), *trips.origin, *trips.destination]
    hold(true=set(map(int, named)) <= known, what="a link or a trip names no node")
    numbers = np.concatenate([links.d, links.volume])
    fine = bool((np.isfinite(numbers) & (numbers >= 0)).all())
    hold(true=fine, what="a time or traffic is not finite, or negative")
    pairs = set(zip(trips.origin.tolist(), trips.destination.tolist(), strict=True))
    hold(true=len(pairs) == len(trips) > 0, what="a pair of trips stands twice, or none")
    hold(true=roads.gamma is None or 0 < roads.gamma < np.inf, what="gamma is not positive")
    text = _again(roads)
    begins(chosen(network, GAMMA), text)


def _again(roads: Roads) -> bytes:
    """Write roads, read them again, and hold them to be equal in all that the form has room for.

    Returns the files as written.
    """
    if roads.form == "tntp" and roads.gamma is None:
        roads = replace(roads, gamma=1.0)
    written = forms.write(roads, ("a header",))
    again = forms.parse(written, "again")
    same("nodes", roads.nodes, again.nodes)
    if roads.form == "tntp":
        unsaid = ("id", "length", "capacity", "b", "power", "cost")
        same("links", roads.links, again.links, but=unsaid)
        same("trips", roads.trips, again.trips, but=("volume",))
    else:
        same("links", roads.links, again.links, but=("cost",))
        same("trips", roads.trips, again.trips)
    return b"".join(written.values())


def _says(network: Network) -> tuple[str, ...]:
    """Return the notes."""
    return ROADS.notes(network.content)


def _target(name: str, words: tuple[str, ...], fresh: float) -> Target:
    """Return the target of one form."""
    return Target(name, _read, check, _DOOR, (*words, *_NUMBERS), _says, fresh=fresh)


TARGETS = (
    _target("gmns", _GMNS, 0.4),
    _target("tntp", _TNTP, 0.35),
    _target("graphml", _GRAPHML, 0.6),
)
