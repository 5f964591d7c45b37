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

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError, UsageError
from pocin.sources import read_toml
from pocin.study.checks import AXES, MEASURES, TOP, Faults, Places, check_grid, listed, near
from pocin.study.task import Measures, Settings, Task, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

EXAMPLES = Path(__file__).with_name("examples")


@dataclass(frozen=True)
class Study:
    """What a file asks for: every release once, in the file's order.

    ``grids`` names the tasks of each grid, ``sources`` says where each case was found, and
    ``absent`` the cases that are not here.
    """

    title: str
    tasks: tuple[Task, ...]
    root: str
    grids: Mapping[str, frozenset[str]] = field(repr=False)
    sources: Mapping[str, str]
    absent: tuple[str, ...] = ()


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


def load(
    path: str | Path,
    only: tuple[str, ...] = (),
    data: Path | None = None,
    *,
    lenient: bool = False,
) -> Study:
    """Read a study's file; ``data`` is where its networks are looked for, beside the file.

    ``only`` names the grids to do. ``lenient`` leaves out cases that are not here.
    """
    table, root = read_toml(Path(path)), Path(path).resolve().parent
    faults, names = _outline(table, str(path), only)
    folders = [folder for folder in (data, root) if folder is not None]
    places = Places(table.get("cases", {}), folders, root)
    absent: dict[str, None] = {}
    parts: dict[str, list[Task]] = {}
    for name, grid in zip(names, table["grid"], strict=True):
        before, wanted = len(faults), not only or name in only
        missing = check_grid(grid, f"grid {name}", places, faults)
        if wanted and lenient:
            absent |= dict.fromkeys(missing)
        elif wanted:
            faults += [
                f"grid {name}, case: there is no '{case}' here{why}"
                for case, why in missing.items()
            ]
        if len(faults) == before:
            parts[name] = list(_tasks(grid, places))
    if faults:
        raise InputError(f"{path}: {'; '.join(faults)}")
    return _made(str(table.get("title", path)), str(root), parts, only, tuple(absent))


def _outline(
    table: Mapping[str, Any], path: str, only: tuple[str, ...]
) -> tuple[Faults, list[str]]:
    """Return what is wrong with a file at large, and the names of its grids."""
    faults = Faults(f"unknown key '{key}'{near(key, TOP)}" for key in table if key not in TOP)
    grids = table.get("grid", [])
    if not isinstance(grids, list) or not grids or not all(isinstance(g, dict) for g in grids):
        raise InputError(f"{path}: describes no grid; begin one by a line [[grid]]")
    if not isinstance(table.get("cases", {}), dict):
        raise InputError(f"{path}: cases: must be a table of names; write it as [cases]")
    names = [str(grid.get("name", place)) for place, grid in enumerate(grids, 1)]
    if len(set(names)) < len(names):
        faults.append("two grids have one name; name them apart")
    for name in only:
        if name not in names:
            raise UsageError(f"--only {name}: {path} has no such grid{near(name, names)}")
    return faults, names


def _made(
    title: str,
    root: str,
    parts: Mapping[str, list[Task]],
    only: tuple[str, ...],
    absent: tuple[str, ...],
) -> Study:
    """Return the study: what grids share stands once, with all that any of them measures.

    So a task is the same whether its grid is done alone or with the others.
    """
    whole = merged(task for tasks in parts.values() for task in tasks)
    by_key = {(task.settings, task.number): task for task in whole}
    grids = {
        name: frozenset(by_key[task.settings, task.number].name for task in tasks)
        for name, tasks in parts.items()
        if not only or name in only
    }
    wanted = frozenset[str]().union(*grids.values())
    tasks = tuple(task for task in whole if task.name in wanted)
    sources = {task.settings.case: task.source for task in tasks}
    return Study(title, tasks, root, grids, sources, absent)


def _tasks(grid: Mapping[str, Any], places: Places) -> Iterator[Task]:
    """Yield the tasks of a grid, the cases outermost and the runs innermost."""
    runs = grid.get("runs", 1)
    numbers = runs if isinstance(runs, list) else range(runs)
    axes = [key for key in AXES if key in grid]
    given = {key: grid[key] for key in MEASURES if key in grid}
    given["budgets"] = tuple(str(budget) for budget in listed(grid.get("budgets", [])))
    measures = Measures(**given)
    for values in product(*(listed(grid[key]) for key in axes)):
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
