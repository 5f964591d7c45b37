# SPDX-License-Identifier: MIT
"""The built-in road networks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """A built-in case; ``published`` is the mean trip time that it declares, in its unit."""

    name: str
    title: str
    path: Path
    published: float
    nodes: int
    links: int
    trips: int


@cache
def builtin() -> dict[str, Case]:
    """Return the built-in cases by name."""
    entries = json.loads((_HERE / "cases.json").read_text(encoding="utf-8"))
    return {entry["name"]: Case(path=_HERE / entry["name"], **entry) for entry in entries}
