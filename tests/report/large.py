# SPDX-License-Identifier: MIT
"""A large grid as released, without minutes of phase 3: copies of a case, its units shuffled."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import pocin
from pocin.power.grid import PV, REFERENCE, Branches, Grid, Units

CASE, COPIES = "ieee300", 34


def tiled(case: str = CASE, copies: int = COPIES) -> Grid:
    """Return copies of a case, each joined to the next ones in a square by two lines."""
    grid: Grid = pocin.read(case).content
    step = int(grid.buses.id.max()) + 1
    side = int(np.ceil(np.sqrt(copies)))
    pairs = [(i, i + 1) for i in range(copies - 1) if (i + 1) % side]
    pairs += [(i, i + side) for i in range(copies - side)]
    names = grid.buses.id[[5, 60]], grid.buses.id[[200, 120]]
    ties = grid.branches.take(np.zeros(2 * len(pairs), dtype=np.int64))
    ends = [
        np.concatenate([side_names + step * pair[end] for pair in pairs])
        for end, side_names in enumerate(names)
    ]
    ties = replace(ties, from_bus=ends[0], to_bus=ends[1])
    buses = _copied(grid.buses, copies, step, "id")
    kept = np.where((buses.type == REFERENCE) & (buses.id > step), PV, buses.type)
    return replace(
        grid,
        buses=replace(buses, type=kept),
        branches=_joined(_copied(grid.branches, copies, step, "from_bus", "to_bus"), ties),
        units=_copied(grid.units, copies, step, "bus"),
        costs=type(grid.costs).from_matrix(np.tile(grid.costs.matrix, (copies, 1))),
    )


def _copied(table: Any, copies: int, step: int, *ids: str) -> Any:
    rows = np.tile(np.arange(len(table)), copies)
    shift = np.repeat(np.arange(copies) * step, len(table))
    return replace(table.take(rows), **{name: getattr(table, name)[rows] + shift for name in ids})


def _joined(first: Branches, second: Branches) -> Branches:
    both = {c.name: np.r_[getattr(first, c.name), getattr(second, c.name)] for c in fields(first)}
    return Branches(**both)


def large_release(folder: Path, copies: int = COPIES) -> Path:
    """Write a grid that looks released, its statement, and a record of what moved where."""
    grid = tiled(copies=copies)
    units: Units = grid.units.take(np.argsort(grid.units.bus, kind="stable"))
    sites = np.flatnonzero(units.pmax > 0)
    came_from = np.random.default_rng(1).permutation(len(sites))
    pmax = units.pmax.copy()
    pmax[sites] = np.round(units.pmax[sites][came_from] + 0.25, 2)
    shown = replace(units, pmax=pmax, qmax=np.abs(pmax), qmin=-np.abs(pmax), pmin=0 * pmax)
    released = folder / "large.m"
    kind = pocin.read(CASE).kind
    made = replace(grid, units=shown)
    released.write_bytes(kind.write(made, ("A grid made for a test.",))[""])
    stated = _statement(len(sites))
    released.with_name("large.m.release.json").write_text(json.dumps(stated))
    true = units.pmax[sites][came_from]
    record = {
        **stated,
        "source": "made",
        "cost": stated["cost"] | {"own_optimum": 1.01e6},
        "fidelity": {
            "beta": 0.1,
            "gap": 0.01,
            "within_beta": True,
            "bilevel": "certified",
            "distance": 0.0,
            "bound": None,
        },
        "seconds": {"total": 1.0},
        "moves": {
            "site": units.bus[sites].tolist(),
            "true_site_of_element_at_site": came_from.tolist(),
            "mean_hops": 4.0,
            "stayed": int(np.sum(came_from == np.arange(len(sites)))),
        },
        "values": {
            "true": true.tolist(),
            "noisy": pmax[sites].tolist(),
            "released": pmax[sites].tolist(),
            "noise": 1.0,
            "error": 1.0,
            "error_to_noise": 1.0,
        },
        "files": ["large.m"],
    }
    released.with_name("large.m.curator.json").write_text(json.dumps(record))
    return released


def _statement(elements: int) -> dict[str, Any]:
    return {
        "pocin": "0",
        "kind": "power",
        "parameters": {
            "private": False,
            "policy": "derived",
            "columns": {"gen.Pmax": "secret", "gencost": "moves", "branch": "public"},
            "constants": {"pmin_ratio": 0.0},
            "alpha_location_hops": 2.0,
            "alpha_value_MW": 10.0,
            "beta": 0.1,
        },
        "guarantee": {
            "epsilon_location": 1.0,
            "epsilon_value": 1.0,
            "epsilon_cost": 0.0,
            "coverage": {"covered": elements, "elements": elements},
            "statement": "NOT A PRIVATE RELEASE: a grid made for a test.",
        },
        "cost": {"figure": 1e6, "source": "declared"},
        "files": ["large.m"],
    }
