# SPDX-License-Identifier: MIT
"""PSS/E RAW, PowerModels JSON and pandapower JSON, through ``powerio``; cost curves from a CSV.

``powerio`` replaces what it cannot read by defaults and keeps the source's bytes. So a source is
looked through before it is handed over, what a ``Grid`` cannot hold is refused afterwards, and the
grid is built anew from columns. Its messages may quote values: only their words are passed on.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import InputError, UsageError
from pocin.power import pandapower
from pocin.power.grid import (
    ISOLATED,
    PIECEWISE_LINEAR,
    POLYNOMIAL,
    PQ,
    PV,
    REFERENCE,
    Branches,
    Buses,
    Costs,
    Grid,
    Units,
)
from pocin.power.matpower import unit_notes
from pocin.power.mfile import read_text
from pocin.power.raw import check_order, check_raw, check_unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pocin.arrays import Floats, Ints

    Row = Mapping[str, Any]

CONVERT = "save it as a MATPOWER case in its own tool"

_KINDS = {"REF": REFERENCE, "PV": PV, "PQ": PQ, "ISOLATED": ISOLATED}
_UNHELD = {
    "hvdc": "DC lines",
    "storage": "storage",
    "static_var_compensators": "static VAr compensators",
    "switches": "switches",
    "transformers_3w": "three-winding transformers",
}
_POWERMODELS = {
    "bus": ("bus_i", "bus_type", "vmin", "vmax"),
    "gen": ("gen_bus", "pmax", "pmin", "qmax", "qmin"),
    "branch": ("f_bus", "t_bus", "br_r", "br_x"),
    "load": ("load_bus", "pd", "qd"),
    "shunt": ("shunt_bus", "gs", "bs"),
}
_POWERMODELS_OPTIONAL = re.compile(
    "vm|va|base_kv|pg|qg|vg|mbase|gen_status|model|startup|shutdown|ncost|cost|status|br_status"
    "|b_fr|b_to|g_fr|g_to|rate_[abc]|tap|shift|angmin|angmax"
)


def read_foreign(path: Path, *, need_costs: bool = True) -> Grid:
    """Read a PSS/E RAW (.raw), PowerModels or pandapower (.json) file."""
    text, place = read_text(path), str(path)
    raw = path.suffix.lower() == ".raw"
    rows = check_raw(text, place) if raw else Counter[str]()
    network = _parsed(text, "psse" if raw else _check_json(text, place), place)
    _refuse_unheld(network, place)
    if raw:
        check_order(rows, network, place, CONVERT)
    return _grid(network, place, need_costs=need_costs)


def _parsed(text: str, kind: str, place: str) -> Any:
    """Return powerio's network."""
    try:
        import powerio
    except ImportError:
        raise UsageError(f"{place}: this format needs powerio; install pocin[formats]") from None
    try:
        module = powerio.parse(io.StringIO(text), format=kind)
    except (ValueError, TypeError) as error:
        # Whatever could be data is cut out of the reason: quoted text, and words with a digit.
        reason = re.sub(r"\"[^\"]*\"|'[^']*'|\S*\d\S*", "…", str(error).partition(": ")[2])
        raise InputError(f"{place}: cannot be read ({reason}); mend it, or {CONVERT}") from None
    for note in module.diagnostics:
        table = re.search(r"`(\w+)` table ignored", note.message)
        if table and table[1] != "switch" and not table[1].startswith(("res_", "_")):
            raise InputError(f"{place}: its {table[1]} table cannot be released; {CONVERT}")
        check_unread(note.message, place, CONVERT)
    return module.value


def _check_json(text: str, place: str) -> str:
    """Return which JSON format this is, once its numbers are known to be numbers."""
    try:
        data = json.loads(text, object_pairs_hook=partial(_once, place))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError(f"{place}:{line}: this is not JSON, or cut short; {CONVERT}") from None
    if isinstance(data, dict) and data.get("_class") == "pandapowerNet":
        rows, required, kind = pandapower.rows(data, place), pandapower.REQUIRED, "pandapower-json"
    elif isinstance(data, dict) and "baseMVA" in data and isinstance(data.get("bus"), dict):
        rows, required, kind = _powermodels_rows(data, place), _POWERMODELS, "powermodels-json"
    else:
        raise InputError(f"{place}: neither a PowerModels nor a pandapower network; {CONVERT}")
    try:
        for table, label, row, optional in rows:
            _refuse_words(f"{place}: {table} {label}", row, required[table], optional)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{place}: its tables are not laid out as {kind}; {CONVERT}") from None
    return kind


def _once(place: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON whose names differ: of two alike each reader takes another one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError(f"{place}: a name stands twice in one table; keep one")
    return found


def _refuse_words(place: str, row: Row, required: Sequence[str], optional: Sequence[str]) -> None:
    """Raise an error where a number is missing or something else stands in its stead."""
    for column in (*required, *optional):
        value = row.get(column)
        if value is None and column not in required:
            continue
        cells = value if isinstance(value, list) and column == "cost" else [value]
        if not all(isinstance(cell, int | float) for cell in cells):
            raise InputError(f"{place}, column {column}: expected a number")


def _powermodels_rows(data: Row, place: str) -> Iterator[tuple[str, str, Row, Sequence[str]]]:
    """Yield each row like ``pandapower.rows``."""
    if not isinstance(data.get("per_unit"), bool):
        raise InputError(f"{place}: per_unit must be true or false; state it")
    for table in _POWERMODELS:
        for k, (key, row) in enumerate(data.get(table, {}).items()):
            label = pandapower.named(key, k)
            yield table, label, row, [c for c in row if _POWERMODELS_OPTIONAL.fullmatch(c)]
            if table == "gen" and row.get("cost") and not _curve_fits(row):
                raise InputError(f"{place}: gen {label}: ncost does not fit the numbers in cost")


def _curve_fits(row: Row) -> bool:
    """Return whether ``cost`` holds what ``ncost`` asks for, and nothing but zeros behind it."""
    asked = row.get("ncost", 0) * (2 if row.get("model") == PIECEWISE_LINEAR else 1)
    return len(row["cost"]) >= asked and not any(row["cost"][asked:])


def _refuse_unheld(network: Any, place: str) -> None:
    """Raise an error for equipment in service that a grid does not hold."""
    for attribute, words in _UNHELD.items():
        if any(row.get("in_service", True) for row in getattr(network, attribute)):
            raise InputError(
                f"{place}: {words} cannot be released; replace them by buses, branches, loads or "
                f"units, or {CONVERT}"
            )


def _grid(network: Any, place: str, *, need_costs: bool) -> Grid:
    """Build the grid from powerio's rows."""
    units = _units(network.generators)
    base = float(network.base_mva)
    try:
        with np.errstate(all="ignore"):  # what overflows is infinite, and refused with its column
            buses, uneven = _buses(network, base)
            branches = _branches(network.branches)
    except KeyError:
        raise InputError(
            f"{place}: a load, shunt or branch names a bus that is not there"
        ) from None
    costs = _costs(network.generators)
    grid = Grid(base, buses, branches, units, costs)
    notes = list(unit_notes(grid))
    if uneven:
        notes.append("shunts that stand at one end of a branch are written at its bus")
    if network.source_format == "pandapower-json":
        notes.append("bus ids are pandapower's indices plus 1")
    priced = np.array([bool((row["cost"] or {}).get("coeffs")) for row in network.generators], bool)
    if need_costs and (grid.live_units & ~priced).any():
        raise InputError(f"{place}: units have no cost curves; give them by --costs FILE")
    return replace(grid, notes=tuple(notes))


def _buses(network: Any, base: float) -> tuple[Buses, bool]:
    """Return the buses with their loads and shunts, and whether branches added to the latter.

    A branch has the same charging at both ends in a grid. What the from end has more (a
    transformer's magnetising admittance) and conductances become shunts at the buses.
    """
    rows = network.buses
    at = {row["id"]: k for k, row in enumerate(rows)}
    pd, qd, gs, bs = (np.zeros(len(rows)) for _ in range(4))
    for load in (row for row in network.loads if row["in_service"]):
        pd[at[load["bus"]]] += load["p"]
        qd[at[load["bus"]]] += load["q"]
    for shunt in (row for row in network.shunts if row["in_service"]):
        gs[at[shunt["bus"]]] += shunt["g"]
        bs[at[shunt["bus"]]] += shunt["b"]
    uneven = False
    for row in (row for row in network.branches if row["in_service"]):
        more = row["b_fr"] - row["b_to"]
        if row["g_fr"] or row["g_to"] or more:
            uneven = True
            seen = base / np.float64(row["tap"] or 1.0) ** 2
            gs[at[row["from_id"]]] += row["g_fr"] * seen
            bs[at[row["from_id"]]] += more * seen
            gs[at[row["to_id"]]] += row["g_to"] * base
    names = ("vm", "va", "base_kv", "vmax", "vmin")
    buses = Buses(
        id=_whole(rows, "id"),
        type=np.array([_KINDS.get(row["kind"], 0) for row in rows], dtype=np.int64),
        pd=pd,
        qd=qd,
        gs=gs,
        bs=bs,
        area=_whole(rows, "area"),
        zone=_whole(rows, "zone"),
        **{name: _column(rows, name) for name in names},
    )
    return buses, uneven


def _branches(rows: Sequence[Row]) -> Branches:
    """Return the branch table."""
    names = ("r", "x", "rate_a", "rate_b", "rate_c", "tap", "shift", "angmin", "angmax")
    return Branches(
        from_bus=_whole(rows, "from_id"),
        to_bus=_whole(rows, "to_id"),
        b=2 * _column(rows, "b_to"),
        status=_whole(rows, "in_service"),
        **{name: _column(rows, name) for name in names},
    )


def _units(rows: Sequence[Row]) -> Units:
    """Return the units."""
    names = ("pg", "qg", "qmax", "qmin", "vg", "mbase", "pmax", "pmin")
    return Units(
        bus=_whole(rows, "bus"),
        status=_whole(rows, "in_service"),
        **{name: _column(rows, name) for name in names},
    )


def _costs(rows: Sequence[Row]) -> Costs:
    """Return the cost curves; a unit without one costs nothing."""
    curves = [row["cost"] or {} for row in rows]
    width = max((len(curve.get("coeffs", ())) for curve in curves), default=1)
    coefficients = np.zeros((len(rows), max(width, 1)))
    for k, curve in enumerate(curves):
        given = curve.get("coeffs", ())
        coefficients[k, : len(given)] = given
    return Costs(
        model=np.array([curve.get("model", POLYNOMIAL) for curve in curves], dtype=np.int64),
        startup=np.array([curve.get("startup", 0) for curve in curves], dtype=np.float64),
        shutdown=np.array([curve.get("shutdown", 0) for curve in curves], dtype=np.float64),
        n=np.array([curve.get("ncost", 1) for curve in curves], dtype=np.int64),
        coefficients=coefficients,
    )


def _column(rows: Sequence[Row], name: str) -> Floats:
    """Return one field of all rows."""
    return np.array([row[name] for row in rows], dtype=np.float64)


def _whole(rows: Sequence[Row], name: str) -> Ints:
    """Return one field of all rows as whole numbers."""
    return np.array([row[name] for row in rows], dtype=np.int64)
