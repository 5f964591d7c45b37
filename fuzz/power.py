# SPDX-License-Identifier: MIT
"""Readers of power grids: MATPOWER, RAW, PowerModels and pandapower, each with a table of costs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from fuzz.judge import Door, Target
from fuzz.same import hold, same
from pocin import api
from pocin.errors import InputError
from pocin.power.grid import Grid
from pocin.power.kind import POWER
from pocin.power.matpower import format_matpower, parse_matpower

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pocin.kinds import Network

COSTS = "costs.csv"
_SAMPLED = 16
_NUMBERS = ("0", "1", "2", "3", "4", "-1", "0.5", "1e9", "-360", "1e-300", "1e308", "NaN", "Inf")
_MATPOWER = (
    "mpc.bus = [", "mpc.gen = [", "mpc.branch = [", "mpc.gencost = [", "];", "mpc.version = '2';",
    "mpc.baseMVA = 100;", "function mpc = c", "...", "%{", "%}", "%", "mpc.dcline = [", "end",
    "mpc.bus_name = {", "};", "mpc.if.map = [", "'a'",
)  # fmt: skip
_RAW = (
    "0 / END OF BUS DATA", "0", "Q", "'1 '", "@!", "/", "0, 100.0, 35, 0, 0, 60.0", "GENERAL,",
    "0 / END OF TRANSFORMER DATA, BEGIN AREA DATA", ",,", "''",
)  # fmt: skip
_POWERMODELS = (
    '"bus":', '"gen":', '"branch":', '"load":', '"shunt":', '"dcline":', '"storage":', '"cost":',
    '"ncost":', '"model":', '"gen_status":', "null", "true", "[]", "{}", '"1"', "Infinity",
    '"baseMVA":', '"per_unit":', '"switch":',
)  # fmt: skip
_PANDAPOWER = (
    '\\"columns\\"', '\\"data\\"', '\\"index\\"', "in_service", "controllable", "max_p_mw", "null",
    "true", "false", '"_class"', "pandapowerNet", '"dtype"', "float64", "uint32", "[]", "poly_cost",
    "pwl_cost", "switch", "et", "df", "max_loading_percent", "sn_mva",
)  # fmt: skip


def _powermodels(text: str) -> list[float]:
    """Return the capacities of a PowerModels file in MW."""
    case = json.loads(text)
    base = case["baseMVA"] if case["per_unit"] else 1.0
    return [base * row["pmax"] for row in case["gen"].values()]


def _pandapower(text: str) -> list[float]:
    """Return the capacities of a pandapower file."""
    tables, found = json.loads(text)["_object"], list[float]()
    for name in ("gen", "sgen", "ext_grid"):
        held = tables.get(name)
        if isinstance(held, dict) and isinstance(held.get("_object"), str):
            frame = json.loads(held["_object"])
            found += [
                dict(zip(frame["columns"], row, strict=True))["max_p_mw"] for row in frame["data"]
            ]
    return found


_ELSEWHERE = {"powermodels": _powermodels, "pandapower": _pandapower}
_DOOR = Door()
_DOOR.watch(Grid)


def _reader(name_of: str, name: str) -> Callable[[Path, Mapping[str, bytes]], Network]:
    """Return a function that reads the grid of this name, with costs if there is a table.

    The capacities of what it reads are compared with those that stand in the file, found in another
    way: powerio's tables may not be those that were looked through.
    """

    def read(folder: Path, document: Mapping[str, bytes]) -> Network:
        costs = folder / COSTS if COSTS in document else None
        network = api.read(folder / name, costs=costs)
        if held := _ELSEWHERE.get(name_of):
            stands, read_ = sorted(held(document[name].decode("utf-8-sig"))), network.content.units
            alike = len(stands) == len(read_) and np.allclose(stands, np.sort(read_.pmax))
            hold(true=bool(alike), what="capacities are not those that stand in the file")
        return network

    return read


def check(network: Network) -> None:
    """Hold a grid to what reading promises, found anew in plain words."""
    grid: Grid = network.content
    _numbers(grid)
    _names(grid)
    text = format_matpower(grid, ["a header"], "again")
    again = parse_matpower(text, "again")
    hold(true=again.base_mva == grid.base_mva, what="baseMVA is another when read again")
    for table in ("buses", "branches", "units", "costs"):
        same(table, getattr(grid, table), getattr(again, table))
    begins(network, text.encode())


def _numbers(grid: Grid) -> None:
    """All that a power flow reads is finite, and bounds are in order."""
    tables: tuple[Any, ...] = (grid.buses, grid.branches, grid.units, grid.costs)
    cells = [column.ravel() for table in tables for column in vars(table).values()]
    hold(true=bool(np.isfinite(np.concatenate(cells)).all()), what="a number is not finite")
    hold(true=0 < grid.base_mva < np.inf, what="baseMVA is not positive")
    units = grid.units.take(grid.live_units)
    hold(true=len(units) > 0, what="no unit is in service")
    hold(true=bool((units.pmin <= units.pmax).all()), what="Pmin is above Pmax")
    hold(true=bool((units.qmin <= units.qmax).all()), what="Qmin is above Qmax")
    hold(true=len(grid.costs) == len(grid.units), what="a unit has no cost")


def _names(grid: Grid) -> None:
    """Every end and every unit is at a bus, ids differ, one bus is the reference, all connect."""
    ids = grid.buses.id.tolist()
    known = set(ids)
    hold(true=len(known) == len(ids) and min(ids) >= 1, what="bus ids are not distinct from 1 up")
    ends = list(zip(grid.branches.from_bus.tolist(), grid.branches.to_bus.tolist(), strict=True))
    named = {bus for pair in ends for bus in pair} | set(grid.units.bus.tolist())
    hold(true=named <= known, what="a branch or a unit names no bus")
    hold(true=grid.buses.type.tolist().count(3) == 1, what="there is not one reference bus")
    live = {bus for bus, type_ in zip(ids, grid.buses.type.tolist(), strict=True) if type_ != 4}  # noqa: PLR2004
    groups = {bus: {bus} for bus in live}
    for (a, b), on in zip(ends, grid.branches.status.tolist(), strict=True):
        if on > 0 and a in live and b in live:
            groups[a] |= groups[b]
            groups.update(dict.fromkeys(groups[a], groups[a]))
    hold(true=len({id(group) for group in groups.values()}) == 1, what="the grid has islands")


def begins(network: Network, text: bytes) -> None:
    """Cut a network in two and name it, as a release does before any draw; it may be refused.

    One network in sixteen, for this takes as long as reading; ``text``, of it, decides which.
    """
    if crc32(text) % _SAMPLED:
        return
    kind: Any = network.kind
    kind.ledger_key(network.content)
    try:
        kind.split(network.content, kind.book.find(None), None)
    except InputError:
        return


def _says(network: Network) -> tuple[str, ...]:
    """Return the notes."""
    return POWER.notes(network.content)


def _target(name: str, file: str, words: tuple[str, ...], fresh: float, steps: int) -> Target:
    """Return the target of one format."""
    words = (*words, *_NUMBERS, "bus,c2,c1,c0", "bus,unit,c2,c1,c0")
    return Target(name, _reader(name, file), check, _DOOR, words, _says, fresh=fresh, steps=steps)


TARGETS = (
    _target("matpower", "grid.m", _MATPOWER, 0.3, 2),
    _target("raw", "grid.raw", _RAW, 0.1, 6),
    _target("powermodels", "grid.json", _POWERMODELS, 0.2, 3),
    _target("pandapower", "grid.json", _PANDAPOWER, 0.1, 4),
)
