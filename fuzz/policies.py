# SPDX-License-Identifier: MIT
"""The reader of policy files, of both kinds of network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fuzz.judge import Door, Target
from fuzz.same import hold
from pocin.policy import Policy, PolicyBook
from pocin.power.columns import BOOK as GRIDS
from pocin.roads.columns import BOOK as CITIES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILES = {"power.toml": GRIDS, "roads.toml": CITIES}
_WORDS = (
    "base = ", "[columns]", "[constants]", "'derived'", "'site'", "'unit'", "'pairs'", "'demand'",
    "'secret'", "'moves'", "'public'", "'dropped'", "true", "nan", "inf", "1e999", "0x10", "1_0",
    '"""', "'''", "[[columns]]", "{}", "1979-05-27", "\\u001b",
    *(f"'{column.name}'" for book in (GRIDS, CITIES) for column in book.columns),
    *(name for book in (GRIDS, CITIES) for name in book.bounds),
)  # fmt: skip
_DOOR = Door()
_DOOR.watch(Policy)


def _read(folder: Path, document: Mapping[str, bytes]) -> tuple[PolicyBook, Policy]:
    """Read the policy of one kind or the other."""
    name = next((name for name in _FILES if name in document), "power.toml")
    return _FILES[name], _FILES[name].find(folder / name)


def check(found: tuple[PolicyBook, Policy]) -> None:
    """Every column has a treatment that it allows, every constant is a number in its bounds."""
    book, policy = found
    allowed = {column.name: column.allowed for column in book.columns}
    hold(true=set(policy.treatments) == set(allowed), what="a column is missing or unknown")
    for name, given in policy.treatments.items():
        hold(true=given in allowed[name], what=f"{name} cannot be {given}")
    hold(true=set(policy.constants) == set(book.bounds), what="a constant is missing or unknown")
    for name, value in policy.constants.items():
        low, high = book.bounds[name]
        hold(true=type(value) is float and low <= value <= high, what=f"{name} is out of bounds")


TARGETS = (Target("policy", _read, check, _DOOR, _WORDS, fresh=0.5),)
