# SPDX-License-Identifier: MIT
"""The forms that a released network is written in and read back from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocin.roads import gmns

if TYPE_CHECKING:
    from pocin.kinds import Document
    from pocin.roads.network import Roads


def parse(document: Document, place: str) -> Roads:
    """Read the files of a folder."""
    return gmns.parse(document, place)


def write(roads: Roads, header: tuple[str, ...]) -> Document:
    """Return the files of a network, in its own form."""
    del header  # it stands in release.json: comma-separated tables have no comments
    return gmns.write(roads)
