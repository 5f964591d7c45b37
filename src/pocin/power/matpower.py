# SPDX-License-Identifier: MIT
"""MATPOWER case files, version 2: a strict reader, and a writer that the reader inverts exactly.

The reader takes literal data only and says what it left out in ``Grid.notes``. What would change
the optimal power flow without standing in a ``Grid`` (DC lines, user constraints) is refused.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pocin.errors import InputError
from pocin.power.grid import Branches, Buses, Costs, Grid, Units
from pocin.power.mfile import FLATTEN, Literal, numbers, read_text, refuse, scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from pocin.arrays import Columns, Floats

    T = TypeVar("T", bound=Columns)

BUS = (
    "bus_i",
    "type",
    "Pd",
    "Qd",
    "Gs",
    "Bs",
    "area",
    "Vm",
    "Va",
    "baseKV",
    "zone",
    "Vmax",
    "Vmin",
)
GEN = ("bus", "Pg", "Qg", "Qmax", "Qmin", "Vg", "mBase", "status", "Pmax", "Pmin")
GEN_EXTRA = (
    "Pc1",
    "Pc2",
    "Qc1min",
    "Qc1max",
    "Qc2min",
    "Qc2max",
    "ramp_agc",
    "ramp_10",
    "ramp_30",
    "ramp_q",
    "apf",
)
BRANCH = (
    "fbus",
    "tbus",
    "r",
    "x",
    "b",
    "rateA",
    "rateB",
    "rateC",
    "ratio",
    "angle",
    "status",
    "angmin",
    "angmax",
)
GENCOST = ("model", "startup", "shutdown", "n")

_LARGEST_INTEGER = 2**53
_NO_ANGLE_LIMITS = 11  # columns of a branch table that ends before angmin
_CHANGES_OPF = frozenset(
    (
        "A",
        "l",
        "u",
        "N",
        "H",
        "Cw",
        "fparm",
        "z0",
        "zl",
        "zu",
        "reserves",
        "softlims",
        "userfcn",
        "if",
        "storage",
        "switch",
        "load",
        "shunt",
    )
)
_READ = frozenset(("version", "baseMVA", "bus", "gen", "branch", "gencost"))


def read_matpower(path: Path, *, need_costs: bool = True) -> Grid:
    """Read a MATPOWER case file."""
    return parse_matpower(read_text(path), str(path), need_costs=need_costs)


def parse_matpower(text: str, place: str, *, need_costs: bool = True) -> Grid:
    """Read a MATPOWER case from its text; ``place`` names it in messages.

    Without ``need_costs`` a case may lack its gencost table and then has no cost rows.
    """
    data = scan(text, place)
    version = data.get("version")
    if version is None or version.kind != "string" or version.text != "2":
        raise InputError(f"{place}: mpc.version must be '2'; {FLATTEN}")
    if "baseMVA" not in data or data["baseMVA"].kind != "number":
        raise InputError(f"{place}: mpc.baseMVA must be a literal number, such as 100")
    left_out = _left_out(data, place)
    tables = {name: _table(data, name, place) for name in ("bus", "gen", "branch")}
    grid = Grid(
        base_mva=float(data["baseMVA"].text),
        buses=_columns(Buses, BUS, tables["bus"], data["bus"], place),
        branches=_columns(Branches, BRANCH, tables["branch"], data["branch"], place),
        units=_columns(Units, GEN, tables["gen"], data["gen"], place),
        costs=_costs(data, place, len(tables["gen"]), need_costs=need_costs),
    )
    _refuse_repeated_buses(grid, data["bus"], place)
    return replace(grid, notes=(*_notes(tables, left_out), *unit_notes(grid)))


def _left_out(data: dict[str, Literal], place: str) -> list[str]:
    """Return the fields that are not read, once none of them can change the power flow."""
    for name, literal in data.items():
        filled = bool(literal.text.strip())
        if name == "dcline" and filled:
            rows = numbers(literal, place, ("fbus", "tbus", "status"))
            filled = rows.shape[1] < len(("fbus", "tbus", "status")) or bool((rows[:, 2] > 0).any())
        if filled and (name == "dcline" or name.partition(".")[0] in _CHANGES_OPF):
            raise InputError(
                f"{place}:{literal.line}: mpc.{name} changes the optimal power flow and cannot be "
                "released; take it out of the case, or set its rows out of service"
            )
    return [name for name in data if name not in _READ]


def _table(data: dict[str, Literal], name: str, place: str) -> Floats:
    """Return one of the three tables, at least as wide as pocin reads it."""
    if name not in data:
        raise InputError(f"{place}: there is no mpc.{name} table; a case has bus, gen and branch")
    names = {"bus": BUS, "gen": GEN + GEN_EXTRA, "branch": BRANCH}[name]
    rows = numbers(data[name], place, names)
    width = {"bus": len(BUS), "gen": len(GEN), "branch": len(BRANCH)}[name]
    if not len(rows):
        return np.zeros((0, width))
    if name == "branch" and rows.shape[1] == _NO_ANGLE_LIMITS:
        return np.hstack([rows, np.zeros((len(rows), 2))])
    if rows.shape[1] < width:
        raise InputError(
            f"{place}:{data[name].line}: {name} has {rows.shape[1]} columns where MATPOWER's "
            f"version 2 has {width}; the last one that stands there is {names[rows.shape[1] - 1]}"
        )
    return rows


def _columns(kind: type[T], names: Sequence[str], rows: Floats, literal: Literal, place: str) -> T:
    """Cut a table into the columns of ``kind``, whole numbers where the column asks for them."""
    cut: list[NDArray[np.generic]] = []
    for k, column in enumerate(fields(kind)):  # type: ignore[arg-type]
        values = rows[:, k]
        if column.type == "Ints":
            fits = (values == np.floor(values)) & (np.abs(values) < _LARGEST_INTEGER)
            if not fits.all():
                why = "expected a whole number"
                refuse(literal, place, int(np.argmin(fits)), names[k], why)
            values = values.astype(np.int64)
        cut.append(values)
    return kind(*cut)


def _costs(data: dict[str, Literal], place: str, units: int, *, need_costs: bool) -> Costs:
    """Return the cost curves of active power."""
    literal = data.get("gencost")
    rows = np.zeros((0, 0)) if literal is None else numbers(literal, place, GENCOST)
    if literal is None or not len(rows):
        if need_costs:
            raise InputError(
                f"{place}: the case has no cost curves (mpc.gencost); give them by --costs FILE"
            )
        return Costs.from_matrix(np.zeros((0, 5)))
    if rows.shape[1] <= len(GENCOST):
        raise InputError(f"{place}:{literal.line}: gencost has no columns for the curves")
    head = rows[:, [0, 3]]
    fits = (head == np.floor(head)) & (np.abs(head) < _LARGEST_INTEGER)
    if not fits.all():
        row, column = (int(k) for k in np.argwhere(~fits)[0])
        refuse(literal, place, row, ("model", "n")[column], "expected a whole number")
    if len(rows) == 2 * units and units:
        if rows[units:, 4:].any():
            raise InputError(
                f"{place}:{literal.line}: gencost has costs of reactive power (its rows from "
                f"{units + 1} on), which pocin does not read; take these rows out"
            )
        rows = rows[:units]
    model, n = head[: len(rows)].astype(np.int64).T
    return Costs(model, rows[:, 1], rows[:, 2], n, rows[:, 4:])


def _refuse_repeated_buses(grid: Grid, literal: Literal, place: str) -> None:
    """Raise an error where two rows name the same bus."""
    _, first, back = np.unique(grid.buses.id, return_index=True, return_inverse=True)
    repeated = first[back] != np.arange(len(grid.buses))
    if repeated.any():
        row = int(np.argmax(repeated))
        refuse(literal, place, row, "bus_i", f"row {first[back][row] + 1} has the same bus")


def _notes(tables: dict[str, Floats], left_out: Sequence[str]) -> Iterator[str]:
    """Say which columns and fields the case has that a grid does not keep."""
    extra = tables["gen"].shape[1] - len(GEN)
    if extra > 0:
        yield f"left out: the {extra} columns of the gen table after Pmin"
    for name, width in (("bus", len(BUS)), ("branch", len(BRANCH))):
        if tables[name].shape[1] > width:
            yield f"left out: the result columns that a solver added to the {name} table"
    if left_out:
        yield "left out: " + ", ".join(f"mpc.{name}" for name in left_out)


def unit_notes(grid: Grid) -> Iterator[str]:
    """Say how many units take no part, and how many lose something by the default policy."""
    idle = int((~grid.live_units).sum())
    if idle:
        yield _counted(idle, "out of service", "not released")
    units = grid.units.take(grid.live_units)
    both = int(((units.pmin < 0) & (units.pmax > 0)).sum())
    if both:
        able = _counted(both, "with Pmin below 0 and Pmax above", "able to consume")
        yield f"{able}; the policies unit and site keep that, a derived Pmin does not"
    free = int(((units.pmin < 0) & (units.pmax == 0) & (units.qmin < units.qmax)).sum())
    if free:
        loads = f"{free} dispatchable load{'s' * (free > 1)} with a range of reactive power"
        yield (
            f"{loads}: pocin and PowerModels let it vary, MATPOWER and PYPOWER hold the power "
            "factor, and their optima differ by that"
        )


def _counted(number: int, which: str, what: str) -> str:
    """Say what some units are."""
    return f"{number} unit{'s' * (number > 1)} {which} {'are' if number > 1 else 'is'} {what}"


def format_matpower(grid: Grid, header: Sequence[str], name: str) -> str:
    """Write a grid as a MATPOWER case; reading it back gives every column exactly.

    ``header`` becomes comment lines at the top. Rows keep the grid's order, and nothing but the
    grid's columns is written.
    """
    lines = [f"% {line}".rstrip() for entry in header for line in entry.splitlines() or [""]]
    lines += [f"function mpc = {_identifier(name)}", "mpc.version = '2';"]
    lines += [f"mpc.baseMVA = {_number(grid.base_mva)};"]
    lines += _matrix("bus", BUS, grid.buses)
    lines += _matrix("gen", GEN, grid.units)
    if len(grid.costs):
        lines += _gencost(grid.costs)
    lines += _matrix("branch", BRANCH, grid.branches)
    return "\n".join(lines) + "\n"


def _matrix(name: str, names: Sequence[str], table: Columns) -> list[str]:
    """Return the lines of one table."""
    columns = [getattr(table, c.name).tolist() for c in fields(table)]  # type: ignore[arg-type]
    return _lines(name, names, zip(*columns, strict=True))


def _gencost(costs: Costs) -> list[str]:
    """Return the lines of the cost table."""
    names = (*GENCOST, "c(n-1)", "...", "c0")
    return _lines("gencost", names, costs.matrix.tolist())


def _lines(name: str, names: Sequence[str], rows: Iterable[Sequence[float]]) -> list[str]:
    """Return a matrix literal, a line each row, under a comment with the columns' names."""
    body = ["\t" + "\t".join(map(_number, row)) + ";" for row in rows]
    return ["", "%\t" + "\t".join(names), f"mpc.{name} = [", *body, "];"]


def _number(value: float) -> str:
    """Return the shortest decimal number that reads back as the same value."""
    text = repr(value)
    return {"inf": "Inf", "-inf": "-Inf", "nan": "NaN"}.get(text, text.removesuffix(".0"))


def _identifier(name: str) -> str:
    """Return a name as MATLAB takes it: ASCII letters, digits and underscores, a letter first."""
    clean = re.sub(r"\W", "_", name, flags=re.ASCII)
    return (clean if re.match(r"[A-Za-z]", clean) else f"case_{clean}".rstrip("_"))[:63]
