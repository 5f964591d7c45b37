# SPDX-License-Identifier: MIT
"""What a study's file may hold: every fault is told at once, with its place and its remedy."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pocin.errors import PocinError
from pocin.kinds import kinds
from pocin.privacy.location import MECHANISMS
from pocin.privacy.settings import Radius, epsilon
from pocin.study.faults import FAULTS
from pocin.study.task import Measures, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

MEASURES = tuple(field.name for field in fields(Measures))
AXES = (*(field.name for field in fields(Settings)), "epsilon")
KEYS = (*AXES, *MEASURES, "name", "runs")
TOP = ("title", "cases", "grid")
MOST_RUNS = 100_000


class Faults(list[str]):
    """What is wrong with a file, gathered before anything is said."""

    def check(self, place: str, read: Callable[[], object]) -> None:
        """Note what a reader of a value refuses."""
        try:
            read()
        except PocinError as error:
            said = str(error)
            self.append(f"{place}: {said.partition(': ')[2] or said}")


@dataclass(frozen=True)
class Places:
    """Where the networks of a study are."""

    cases: Mapping[str, Any]
    folders: list[Path]
    root: Path

    def find(self, case: str) -> str | None:
        """Return the source of a case: the first of its candidates that is here."""
        candidates = self.cases.get(case, case)
        for name in [candidates] if isinstance(candidates, str) else candidates:
            for folder in self.folders:
                if (folder / name).exists():
                    return str(folder / name)
            if self._comes_along(str(name)):
                return str(name)
        return None

    @staticmethod
    def _comes_along(name: str) -> bool:
        """Whether a name is that of a built-in case, or of PGLib's."""
        return name in _built_in() or name.startswith("pglib:")


def _built_in() -> list[str]:
    """Name the built-in cases."""
    return [str(case["name"]) for kind in kinds() for case in kind.cases()]


def check_grid(
    grid: Mapping[str, Any], place: str, places: Places, faults: Faults
) -> dict[str, str]:
    """Note what is wrong with a grid; return the cases that are not here, and what was meant."""
    faults += [f"{place}: unknown key '{key}'{near(key, KEYS)}" for key in grid if key not in KEYS]
    if {"epsilon", "epsilon_location", "epsilon_value"} <= set(grid):
        faults.append(f"{place}: epsilon is given beside both of its parts; leave it out")
    if not listed(grid.get("case", [])):
        faults.append(f"{place}: case: names no network; give a case or a list of them")
    for key in AXES:
        for value in listed(grid.get(key, [])):
            _check_value(key, value, f"{place}, {key}", places, faults)
    _check_runs(grid.get("runs", 1), f"{place}, runs", faults)
    _check_measures(grid, place, faults)
    cases = [case for case in listed(grid.get("case", [])) if isinstance(case, str)]
    return {case: near(case, _built_in()) for case in cases if places.find(case) is None}


def _check_value(key: str, value: Any, place: str, places: Places, faults: Faults) -> None:
    """Note what is wrong with one value of an axis."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    text = isinstance(value, str)
    if key in {"epsilon", "epsilon_location", "epsilon_value", "cost_epsilon"}:
        faults.check(place, lambda: epsilon(value))
    elif key == "alpha_location":
        faults.check(place, lambda: Radius.parse(str(value)))
    elif key == "beta" and not (number and 0 < value < 1):
        faults.append(f"{place}: expected numbers between 0 and 1, such as 0.1")
    elif key == "mechanism" and value not in MECHANISMS:
        faults.append(f"{place}: expected one of {', '.join(MECHANISMS)}")
    elif key == "fault" and value not in FAULTS:
        faults.append(f"{place}: expected {' or '.join(FAULTS)}")
    elif key == "policy" and not (text and _is_policy(value, places.root)):
        known = dict.fromkeys(name for kind in kinds() for name in kind.book.policies)
        faults.append(f"{place}: expected {', '.join(known)} or a .toml file that is here")
    elif key in {"case", "model", "reading", "alpha_value", "trip_times"} and not text:
        faults.append(f'{place}: expected text in quotes, such as "{_EXAMPLES[key]}"')
    elif key == "pmin_ratio" and not number:
        faults.append(f"{place}: expected numbers, such as 0.1")


_EXAMPLES = {
    "case": "ieee118",
    "model": "ac",
    "reading": "total",
    "alpha_value": "10MW",
    "trip_times": "computed",
}


def _is_policy(name: str, root: Path) -> bool:
    """Whether a policy is known to some kind of network, or a file of its own."""
    known = any(name in kind.book.policies for kind in kinds())
    return known or (name.endswith(".toml") and (root / name).is_file())


def _check_runs(runs: Any, place: str, faults: Faults) -> None:
    """Note what is wrong with the number of runs."""
    listed = runs if isinstance(runs, list) else [runs]
    whole = all(isinstance(run, int) and not isinstance(run, bool) for run in listed)
    if not whole or not listed or min(listed) < (0 if isinstance(runs, list) else 1):
        faults.append(f"{place}: expected a number of runs, such as 50, or a list of their numbers")
    elif not isinstance(runs, list) and runs > MOST_RUNS:
        faults.append(f"{place}: expected at most {MOST_RUNS}")


def _check_measures(grid: Mapping[str, Any], place: str, faults: Faults) -> None:
    """Note what is wrong with what is measured."""
    for key in ("restore", "unrestored", "sites", "answers"):
        if not isinstance(grid.get(key, True), bool):
            faults.append(f"{place}, {key}: expected true or false")
    for budget in listed(grid.get("budgets", [])):
        if not _is_budget(budget):
            faults.append(f'{place}, budgets: expected shares as "10%" or counts as 20')
            break
    slowdown = grid.get("slowdown", 10)
    if not isinstance(slowdown, int | float) or isinstance(slowdown, bool) or not slowdown >= 1:
        faults.append(f"{place}, slowdown: expected a factor of at least 1, such as 10")
    if grid.get("restore") is False and any(grid.get(key) for key in ("budgets", "answers")):
        faults.append(f"{place}, restore: is needed by budgets and answers; leave restore out")


def _is_budget(budget: Any) -> bool:
    """Whether a budget is a percentage or a count."""
    if isinstance(budget, int) and not isinstance(budget, bool):
        return budget > 0
    share = budget[:-1] if isinstance(budget, str) and budget.endswith("%") else ""
    try:
        return 0 < float(share) <= 100  # noqa: PLR2004
    except ValueError:
        return False


def listed(value: Any) -> list[Any]:
    """Return a list of values as it is, and one value as a list of one."""
    return value if isinstance(value, list) else [value]


def near(word: str, known: Iterable[str]) -> str:
    """Ask whether another word was meant."""
    found = get_close_matches(word, list(known), n=1)
    return f"; did you mean '{found[0]}'?" if found else f" (known: {', '.join(known)})"
