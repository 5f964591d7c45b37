# SPDX-License-Identifier: MIT
"""The forms that roads are read in, and those that a release is written in and read back from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.roads import gmns, graphml, tntp, tntp_form

if TYPE_CHECKING:
    from pocin.kinds import Document
    from pocin.roads.network import Roads


def parse(document: Document, place: str) -> Roads:
    """Read the files of a network, whatever their form."""
    names = [name.lower() for name in document]
    if any(name.endswith(graphml.SUFFIX) for name in names):
        return graphml.parse(document, place)
    if any(name.endswith(tntp.NET) for name in names):
        return tntp.parse(document, place)
    return gmns.parse(document, place)


def write(roads: Roads, header: tuple[str, ...]) -> Document:
    """Return the files of a release: TNTP files of TNTP files, else GMNS tables.

    The tables have no comments: what the header says stands in ``release.json`` beside them.
    """
    return tntp_form.write(roads, header) if roads.form == "tntp" else gmns.write(roads)
