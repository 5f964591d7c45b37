# SPDX-License-Identifier: MIT
"""What is to be measured, as plain immutable numbers and words, and the seed that follows from it.

A task's *name* is a digest of all that decides its results: what is done already is known by it.
Its *seed* is a digest of what decides the draws, so that settings which differ in what comes after
them (beta, policy, what is measured) are compared on the same draws.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

DRAWN = (
    "case",
    "mechanism",
    "epsilon_location",
    "epsilon_value",
    "alpha_location",
    "alpha_value",
    "fault",
)
"""The settings that decide the draws."""

_SEED_BITS = 62


@dataclass(frozen=True)
class Settings:
    """One release, by the names of its flags; None is the default of the network's kind.

    ``fault`` is a mistake made on purpose, to see what it does: it exists in studies only.
    """

    case: str
    policy: str | None = None
    mechanism: str = "softmax"
    epsilon_location: str = "1"
    epsilon_value: str = "1"
    alpha_location: str | None = None
    alpha_value: str | None = None
    beta: float = 0.1
    cost_figure: str | None = None
    cost_epsilon: str | None = None
    pmin_ratio: float | None = None
    model: str | None = None
    reading: str | None = None
    trip_times: str | None = None
    gamma: str | None = None
    fault: str | None = None


@dataclass(frozen=True)
class Measures:
    """What is measured of a release beside its own fidelity."""

    restore: bool = True
    unrestored: bool = False
    sites: bool = False
    answers: bool = False
    budgets: tuple[str, ...] = ()
    slowdown: float = 10.0

    def __or__(self, other: Measures) -> Measures:
        """Return what either measures."""
        return Measures(
            restore=self.restore or other.restore,
            unrestored=self.unrestored or other.unrestored,
            sites=self.sites or other.sites,
            answers=self.answers or other.answers,
            budgets=tuple(dict.fromkeys((*self.budgets, *other.budgets))),
            slowdown=self.slowdown,
        )


@dataclass(frozen=True)
class Task:
    """A release to make from a seed and to measure. ``source`` is where the case is found."""

    settings: Settings
    number: int
    measures: Measures
    source: str

    @property
    def name(self) -> str:
        """A digest of all that decides the results."""
        return _digest([_given(self.settings), self.number, _given(self.measures)])[:16]

    @property
    def seed(self) -> int:
        """The seed of the draws: the same on every machine."""
        drawn = {name: said for name, said in _given(self.settings).items() if name in DRAWN}
        return int(_digest([drawn, self.number]), 16) >> (256 - _SEED_BITS)

    @property
    def columns(self) -> dict[str, Any]:
        """The settings as they stand in every row."""
        return {"task": self.name, **asdict(self.settings), "run": self.number, "seed": self.seed}


def merged(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """Return every release once, with all that is asked of it."""
    found: dict[tuple[Settings, int], Task] = {}
    for task in tasks:
        key = task.settings, task.number
        if key in found:
            task = replace(task, measures=found[key].measures | task.measures)  # noqa: PLW2901
        found[key] = task
    return tuple(found.values())


def _given(what: Settings | Measures) -> dict[str, Any]:
    """Return what differs from the defaults: a later field leaves earlier digests as they were."""
    said = asdict(what)
    defaults = {field.name: field.default for field in fields(what)}
    return {name: value for name, value in said.items() if value != defaults[name]}


def _digest(data: Any) -> str:
    """Return a digest that is the same on every machine."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
