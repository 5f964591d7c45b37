# SPDX-License-Identifier: MIT
"""What of a road network is left in released files and should not be, whoever wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.policy import Treatment
from pocin.roads.columns import CAPACITY, DELAY, DEMAND
from pocin.roads.files import source_document
from pocin.roads.gmns import KNOWN
from pocin.roads.network import positions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Mask
    from pocin.kinds import Document
    from pocin.policy import Policy
    from pocin.roads.network import Roads

_HALF = 0.5


def leaks(
    source: str, original: Roads, released: Roads, document: Document, policy: Policy
) -> tuple[str, ...]:
    """Return what is left, in sentences that echo nothing of the source."""
    return (
        *_extra(source, document),
        *_unreleased(original, released, policy),
        *_order(original, released),
        *_repeated(released),
    )


def _extra(source: str, document: Document) -> Iterator[str]:
    """Yield the source's further columns that stand in the release."""
    left = sorted((columns(source_document(source)) & columns(document)) - KNOWN)
    if left:
        yield f"it has the source's further columns {', '.join(left)}"


def _unreleased(original: Roads, released: Roads, policy: Policy) -> Iterator[str]:
    """Yield the columns that the policy takes away and that stand as they were."""
    at = positions(released.links.id, original.links.id)
    for column, names in ((CAPACITY, ("capacity",)), (DELAY, ("b", "power")), ("", ("cost",))):
        for name in names:
            before, after = getattr(original.links, name), getattr(released.links, name)[at]
            gone = not column or policy[column] is not Treatment.PUBLIC
            if gone and _mostly(before == after, np.isfinite(after) & (at >= 0)):
                yield f"link.{name} stands unchanged at most links, though the policy drops it"
    if policy[DEMAND] is not Treatment.PUBLIC and _tells(released.trips.volume):
        yield "its trips have volumes, from which an assignment recomputes the traffic"


def _order(original: Roads, released: Roads) -> Iterator[str]:
    """Yield whether rows stand in an order that no public id explains."""
    same = np.array_equal(original.links.id, released.links.id)
    if same and np.any(np.diff(released.links.id) < 0):
        yield "its links stand in the source's order, which no public id explains"


def _repeated(released: Roads) -> Iterator[str]:
    """Yield whether pairs stand as often as they are travelled."""
    pairs = np.column_stack([released.trips.origin, released.trips.destination])
    if len(np.unique(pairs, axis=0)) < len(pairs):
        yield "its pairs stand several times, which tells their volumes"


def _tells(values: Floats) -> bool:
    """Whether values are given and differ."""
    known = values[np.isfinite(values)]
    return bool(len(known)) and bool(np.ptp(known) > 0)


def _mostly(same: Mask, where: Mask) -> bool:
    """Whether more than half of the entries in question are the same."""
    return bool(np.any(where)) and float(np.mean(same[where])) > _HALF


def columns(document: Document) -> set[str]:
    """Return the names of all columns in some tables of text."""
    found: set[str] = set()
    for name, data in document.items():
        if name.endswith(".csv"):
            head = data.split(b"\n", 1)[0].decode("utf-8", "replace")
            found |= {word.strip().lower() for word in head.split(",")}
    return found
