# SPDX-License-Identifier: MIT
"""What becomes of every column of a source: a table that a curator reads, signs and may change.

    secret    hidden by the mechanism: noised, and moved with its element
    moves     travels with the element unchanged; its unplaced list is public
    derived   computed from released values by a public rule
    public    stays as it is where it is
    dropped   not in the release

A kind of network brings its columns, which treatments each one allows, and its named policies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError, UsageError
from pocin.sources import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Treatment(StrEnum):
    """What becomes of a column."""

    SECRET = auto()
    MOVES = auto()
    DERIVED = auto()
    PUBLIC = auto()
    DROPPED = auto()


@dataclass(frozen=True)
class Column:
    """A column of a kind of network: its name, what it holds, and the treatments it allows."""

    name: str
    meaning: str
    allowed: tuple[Treatment, ...]


@dataclass(frozen=True)
class Policy:
    """A treatment for every column, and the public constants of the rules that derive columns."""

    name: str
    treatments: Mapping[str, Treatment]
    constants: Mapping[str, float]

    def __getitem__(self, column: str) -> Treatment:
        """Return the treatment of a column."""
        return self.treatments[column]

    def having(self, treatment: Treatment) -> tuple[str, ...]:
        """Return the columns treated so, in the table's order."""
        return tuple(name for name, given in self.treatments.items() if given is treatment)

    def with_constants(self, **changed: float | None) -> Policy:
        """Return the policy with some constants replaced; None leaves one as it is."""
        given = {name: value for name, value in changed.items() if value is not None}
        return replace(self, constants={**self.constants, **given})


@dataclass(frozen=True)
class PolicyBook:
    """The columns of a kind of network and its named policies."""

    columns: tuple[Column, ...]
    policies: Mapping[str, Policy]
    default: str
    bounds: Mapping[str, tuple[float, float]]

    def find(self, name: str | Path | None) -> Policy:
        """Return a named policy, or read one's own from a TOML file."""
        text = self.default if name is None else str(name)
        if text in self.policies:
            return self.policies[text]
        if not text.endswith(".toml"):
            names = ", ".join(self.policies)
            raise UsageError(f"--policy {text}: no such policy; choose {names} or a .toml file")
        return self.read(text)

    def read(self, path: str | Path) -> Policy:
        """Read a policy file: ``base``, ``[columns]`` and ``[constants]``."""
        table = read_toml(Path(path))
        unknown = set(table) - {"base", "columns", "constants"}
        faults = [f"unknown key '{key}'" for key in sorted(unknown)]
        base_name = table.get("base", self.default)
        base = self.policies.get(base_name) if isinstance(base_name, str) else None
        if base is None:
            faults.append(f"base must be one of {', '.join(self.policies)}")
            base = self.policies[self.default]
        columns, constants = table.get("columns", {}), table.get("constants", {})
        if not isinstance(columns, dict) or not isinstance(constants, dict):
            raise InputError(f"{path}: [columns] and [constants] must be tables; write them so")
        faults += self._column_faults(columns) + self._constant_faults(constants)
        if faults:
            raise InputError(f"{path}: {'; '.join(faults)}")
        given = {name: Treatment(value) for name, value in columns.items()}
        numbers = {name: float(value) for name, value in constants.items()}
        return Policy(
            f"own (from {base.name})",
            {**base.treatments, **given},
            {**base.constants, **numbers},
        )

    def _column_faults(self, columns: Mapping[str, object]) -> list[str]:
        """Say which columns do not exist or do not allow what is asked."""
        known = {column.name: column for column in self.columns}
        faults = []
        for name, value in columns.items():
            if isinstance(value, dict):
                faults.append(f'quote names with a dot: "{name}.{next(iter(value), "x")}"')
            elif name not in known:
                faults.append(f"there is no column '{name}' ({_near(name, known)})")
            elif value not in known[name].allowed:
                allowed = " or ".join(known[name].allowed)
                faults.append(f"column '{name}' can only be {allowed}")
        return faults

    def _constant_faults(self, constants: Mapping[str, object]) -> list[str]:
        """Say which constants do not exist or are out of bounds."""
        faults = []
        for name, value in constants.items():
            if name not in self.bounds:
                faults.append(f"there is no constant '{name}' ({_near(name, self.bounds)})")
            elif not self.allows(name, value):
                low, high = self.bounds[name]
                faults.append(f"constant '{name}' must be a number from {low:g} to {high:g}")
        return faults

    def allows(self, name: str, value: object) -> bool:
        """Return whether a constant may have this value."""
        low, high = self.bounds[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and low <= value <= high  # type: ignore[operator]


def _near(name: str, known: Iterable[str]) -> str:
    """Return the remedy for a name that does not exist."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean '{near[0]}'?" if near else "--dry-run lists what there is"
