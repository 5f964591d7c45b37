# SPDX-License-Identifier: MIT
"""What a pandapower network must say itself before ``powerio`` may read it.

``powerio`` takes a missing capacity for the present output, and reads neither ratings' factors nor
who may be dispatched. Both would change the optimal power flow without a word, and are refused.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

REQUIRED = {
    "bus": ("vn_kv",),
    "load": ("bus", "p_mw", "q_mvar"),
    "shunt": ("bus", "p_mw", "q_mvar"),
    "gen": ("bus", "p_mw", "max_p_mw", "min_p_mw"),
    "sgen": ("bus", "p_mw", "max_p_mw", "min_p_mw"),
    "ext_grid": ("bus", "max_p_mw", "min_p_mw"),
    "line": ("from_bus", "to_bus", "length_km", "r_ohm_per_km", "x_ohm_per_km"),
    "trafo": ("hv_bus", "lv_bus", "sn_mva", "vk_percent", "vkr_percent"),
    "poly_cost": ("element",),
    "pwl_cost": ("element",),
}
"""The columns that must be numbers in every row."""

_DIGITS = 18
_RATING = "multiply the rating by it and set it to "
_PLAIN: dict[tuple[str, str], tuple[object, str]] = {
    ("line", "df"): (1, _RATING + "1"),
    ("line", "max_loading_percent"): (100, _RATING + "100"),
    ("trafo", "df"): (1, _RATING + "1"),
    ("trafo", "max_loading_percent"): (100, _RATING + "100"),
    ("trafo", "tap_phase_shifter"): (False, "save the network with pandapower 3"),
    ("trafo", "tap_dependency_table"): (False, "set it to False"),
    ("load", "controllable"): (False, "make it a gen with negative limits of power"),
    ("gen", "controllable"): (True, "set both limits of its power to its output"),
    ("sgen", "controllable"): (True, "make it a load of negative power"),
}
"""Columns that are not read, the value that they may have, and what helps elsewhere."""


def rows(data: Row, place: str) -> Iterator[tuple[str, str, Row, Sequence[str]]]:
    """Yield each row with its table, its label and the columns that must be numbers if given."""
    for table in (*REQUIRED, "switch"):
        held = data["_object"].get(table)
        if not isinstance(held, dict) or not isinstance(held.get("_object"), str):
            continue
        frame = json.loads(held["_object"])
        if any(len(set(names)) < len(names) for names in (frame["columns"], frame["index"])):
            raise InputError(f"{place}: {table}: a column or an index stands twice; keep one")
        types = held.get("dtype", {})
        numeric = [c for c in frame["columns"] if re.match(r"float|u?int", types.get(c, ""))]
        for k, (index, cells) in enumerate(zip(frame["index"], frame["data"], strict=True)):
            label = named(index, k)
            row = dict(zip(frame["columns"], cells, strict=True))
            if table == "switch":
                _refuse_switch(place, label, row)
            else:
                _refuse_unread(f"{place}: {table} {label}", table, row)
                yield table, label, row, numeric


def named(index: object, k: int) -> str:
    """Name a row by its index where that is a whole number, else by its place from 1."""
    text = str(index)
    return text if text.isdecimal() and len(text) <= _DIGITS else f"row {k + 1}"


def _refuse_switch(place: str, label: str, row: Row) -> None:
    """Raise an error for a switch that powerio would not apply."""
    if not row.get("closed", True) or row.get("et") == "b":
        raise InputError(
            f"{place}: switch {label} opens a line or joins buses, which cannot be read; "
            "merge the buses and drop open elements in pandapower, or save it as a MATPOWER case"
        )


def _refuse_unread(place: str, table: str, row: Row) -> None:
    """Raise an error where a column that is not read would change the network."""
    if row.get("in_service") is False:
        return
    for (of, column), (plain, remedy) in _PLAIN.items():
        missing = None if table != "sgen" else False  # only a sgen is fixed unless it says more
        value = row.get(column)
        value = missing if value is None else value
        if of == table and value is not None and value != plain:
            raise InputError(f"{place}: only {column} = {plain} can be read; {remedy}")
