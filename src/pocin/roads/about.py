# SPDX-License-Identifier: MIT
"""What a folder of roads says of itself: gamma and units, in ``network.json`` or a release's own.

Tables of numbers do not tell what they are in, nor how travel time grows with traffic.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError
from pocin.roads.network import PER_TRIP, TOTAL, Units
from pocin.sources import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.kinds import Document

FILES = ("release.json", "network.json")
_LONGEST = 40
_LARGEST = 1e300


@dataclass(frozen=True)
class About:
    """What is stated, and what holds where nothing is."""

    gamma: float | None
    units: Units
    reading: str | None = None


def about(document: Document, place: str, units: Units) -> About:
    """Read gamma and units; ``units`` are those of the form."""
    for name in FILES:
        if name in document:
            where = f"{place}/{name}"
            stated = _object(text_of(document[name], where), where)
            inside = stated.get("parameters", stated)
            inside = inside if isinstance(inside, dict) else {}
            reading = inside.get("reading")
            reading = next((known for known in (TOTAL, PER_TRIP) if known == reading), None)
            return About(_gamma(inside, where), _units(inside, units), reading)
    return About(None, units)


def _object(text: str, where: str) -> Mapping[str, Any]:
    """Read a JSON object."""
    try:
        stated = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{where}: is not JSON; mend it") from None
    if not isinstance(stated, dict):
        raise InputError(f"{where}: expected an object with gamma and units")
    return stated


def _gamma(stated: Mapping[str, Any], where: str) -> float | None:
    """Read gamma where it is stated."""
    gamma = stated.get("gamma")
    number = isinstance(gamma, int | float) and not isinstance(gamma, bool)
    if gamma is not None and not (number and 0 < gamma < _LARGEST):
        raise InputError(f"{where}: gamma must be a positive number; mend it")
    return None if gamma is None else float(gamma)


def _units(stated: Mapping[str, Any], units: Units) -> Units:
    """Read units where they are stated, in a few words each."""
    given = stated.get("units")
    given = given if isinstance(given, dict) else {}
    words = {name: given[name] for name in vars(units) if isinstance(given.get(name), str)}
    return replace(units, **{name: short(word) for name, word in words.items()})


def short(unit: str) -> str:
    """Return a unit in one line of a few words."""
    return " ".join(unit.split())[:_LONGEST]
