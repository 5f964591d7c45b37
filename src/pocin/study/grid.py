# SPDX-License-Identifier: MIT
"""The file that describes a study: grids of settings, and what is measured of each release.

    title = "Damage against epsilon"

    [cases]                                   # own names for networks; the first that is here
    nesta118 = ["power/nesta_case118_ieee.m", "ieee118"]

    [[grid]]
    case = ["nesta118", "ieee57"]             # one value, or a list of them
    epsilon = [0.5, 1, 2]
    alpha_location = ["1%", "10%"]
    runs = 50
    budgets = ["10%", "20%"]

Every combination of a grid's values is released ``runs`` times. All faults of a file are told at
once, with their place and their remedy.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError, PocinError
from pocin.kinds import kinds
from pocin.privacy.location import MECHANISMS
from pocin.privacy.settings import Radius, epsilon
from pocin.study.faults import FAULTS
from pocin.study.task import Measures, Settings, Task, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MEASURES = tuple(field.name for field in fields(Measures))
AXES = (*(field.name for field in fields(Settings)), "epsilon")
KEYS = (*AXES, *MEASURES, "name", "runs", "optional")
MOST_RUNS = 100_000


@dataclass(frozen=True)
class Study:
    """What a file asks for: every release once, in the file's order."""

    title: str
    tasks: tuple[Task, ...]
    root: str
    absent: tuple[str, ...] = ()


class _Faults(list[str]):
    """What is wrong with a file, gathered before anything is said."""

    def check(self, place: str, read: Callable[[], object]) -> None:
        """Note what a reader of a value refuses."""
        try:
            read()
        except PocinError as error:
            said = str(error)
            self.append(f"{place}: {said.partition(': ')[2] or said}")


EXAMPLES = Path(__file__).with_name("examples")


def found(name: str) -> Path:
    """Return the file of a study, or of an example that comes with pocin."""
    examples = sorted(path.stem for path in EXAMPLES.glob("*.toml"))
    if Path(name).exists():
        return Path(name)
    if name in examples:
        return EXAMPLES / f"{name}.toml"
    raise InputError(
        f"{name}: there is no such study; name a .toml file, paper, or an example: "
        f"{', '.join(examples)}"
    )


def load(path: str | Path, only: tuple[str, ...] = (), data: Path | None = None) -> Study:
    """Read a study's file; ``data`` is where its networks are looked for, beside the file."""
    table = _toml(Path(path))
    root = Path(path).resolve().parent
    return study(table, str(path), root, only, data)


def study(
    table: Mapping[str, Any],
    path: str,
    root: Path,
    only: tuple[str, ...] = (),
    data: Path | None = None,
) -> Study:
    """Make the tasks of a table, or say all that is wrong with it."""
    faults = _Faults(
        f"unknown key '{key}'{_near(key, ('title', 'cases', 'grid'))}"
        for key in sorted(set(table) - {"title", "cases", "grid"})
    )
    grids, cases = table.get("grid", []), table.get("cases", {})
    if not isinstance(grids, list) or not grids or not all(isinstance(g, dict) for g in grids):
        raise InputError(f"{path}: describes no grid; begin one by a line [[grid]]")
    if not isinstance(cases, dict):
        raise InputError(f"{path}: cases: must be a table of names; write it as [cases]")
    names = [str(grid.get("name", place)) for place, grid in enumerate(grids, 1)]
    faults += [
        f"there is no grid '{name}' to choose{_near(name, names)}"
        for name in only
        if name not in names
    ]
    places = _Places(cases, [folder for folder in (data, root) if folder is not None], root)
    tasks: list[Task] = []
    absent: dict[str, None] = {}
    for name, grid in zip(names, grids, strict=True):
        if only and name not in only:
            continue
        before = len(faults)
        _check(grid, f"grid {name}", places, faults, absent)
        if len(faults) == before:
            tasks += _tasks(grid, places)
    if faults:
        raise InputError(f"{path}: {'; '.join(faults)}")
    return Study(str(table.get("title", path)), merged(tasks), str(root), tuple(absent))


@dataclass(frozen=True)
class _Places:
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


def _check(
    grid: Mapping[str, Any],
    place: str,
    places: _Places,
    faults: _Faults,
    absent: dict[str, None],
) -> None:
    """Note what is wrong with a grid."""
    faults += [f"{place}: unknown key '{key}'{_near(key, KEYS)}" for key in grid if key not in KEYS]
    if "epsilon" in grid and {"epsilon_location", "epsilon_value"} <= set(grid):
        faults.append(f"{place}: epsilon is given beside both of its parts; leave it out")
    if not _listed(grid.get("case", [])):
        faults.append(f"{place}: case: names no network; give a case or a list of them")
    for key in AXES:
        for value in _listed(grid.get(key, [])):
            _check_value(key, value, f"{place}, {key}", places, faults)
    for case in _listed(grid.get("case", [])):
        if isinstance(case, str) and places.find(case) is None:
            if grid.get("optional") is True:
                absent[case] = None
            else:
                faults.append(f"{place}, case: there is no '{case}' here{_near(case, _built_in())}")
    _check_runs(grid.get("runs", 1), f"{place}, runs", faults)
    _check_measures(grid, place, faults)


def _check_value(key: str, value: Any, place: str, places: _Places, faults: _Faults) -> None:
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


def _check_runs(runs: Any, place: str, faults: _Faults) -> None:
    """Note what is wrong with the number of runs."""
    listed = runs if isinstance(runs, list) else [runs]
    whole = all(isinstance(run, int) and not isinstance(run, bool) for run in listed)
    if not whole or not listed or min(listed) < (0 if isinstance(runs, list) else 1):
        faults.append(f"{place}: expected a number of runs, such as 50, or a list of their numbers")
    elif not isinstance(runs, list) and runs > MOST_RUNS:
        faults.append(f"{place}: expected at most {MOST_RUNS}")


def _check_measures(grid: Mapping[str, Any], place: str, faults: _Faults) -> None:
    """Note what is wrong with what is measured."""
    for key in ("restore", "unrestored", "sites", "answers", "optional"):
        if not isinstance(grid.get(key, True), bool):
            faults.append(f"{place}, {key}: expected true or false")
    for budget in _listed(grid.get("budgets", [])):
        if not _is_budget(budget):
            faults.append(f'{place}, budgets: expected shares as "10%" or counts as 20')
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


def _tasks(grid: Mapping[str, Any], places: _Places) -> Iterator[Task]:
    """Yield the tasks of a grid, the cases outermost and the runs innermost."""
    runs = grid.get("runs", 1)
    numbers = runs if isinstance(runs, list) else range(runs)
    axes = [key for key in AXES if key in grid]
    given = {key: grid[key] for key in MEASURES if key in grid}
    given["budgets"] = tuple(str(budget) for budget in _listed(grid.get("budgets", [])))
    measures = Measures(**given)
    for values in product(*(_listed(grid[key]) for key in axes)):
        settings = _settings(dict(zip(axes, values, strict=True)))
        source = places.find(settings.case)
        if source is not None:
            yield from (Task(settings, number, measures, source) for number in numbers)


def _settings(values: dict[str, Any]) -> Settings:
    """Return one combination, its exact numbers as text."""
    shared = values.pop("epsilon", None)
    if shared is not None:
        values = {"epsilon_location": shared, "epsilon_value": shared} | values
    exact: dict[str, Any] = {
        key: float(value) if key in {"beta", "pmin_ratio"} else str(value)
        for key, value in values.items()
    }
    return Settings(**exact)


def _listed(value: Any) -> list[Any]:
    """Return a list of values as it is, and one value as a list of one."""
    return value if isinstance(value, list) else [value]


def _near(word: str, known: tuple[str, ...] | list[str]) -> str:
    """Ask whether another word was meant."""
    near = get_close_matches(word, known, n=1)
    return f"; did you mean '{near[0]}'?" if near else f" (known: {', '.join(known)})"


def _toml(path: Path) -> dict[str, Any]:
    """Read TOML, or say what is wrong in one sentence."""
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such study; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    except ValueError as error:
        raise InputError(f"{path}: is not TOML ({error}); mend the file") from None
