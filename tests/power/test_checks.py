# SPDX-License-Identifier: MIT
"""The gate of a grid: each fault by itself, all faults at once, and what is no fault."""

from dataclasses import replace

import numpy as np
import pytest

from pocin.errors import InputError
from pocin.power.cases import builtin
from pocin.power.checks import check
from pocin.power.grid import Costs, Grid
from pocin.power.matpower import read_matpower

GRID = read_matpower(builtin()["ieee14"].path)
SECRET = 4711.25


def changed(table: str, grid: Grid = GRID, **cells: tuple[int, float]) -> Grid:
    """Return a grid with one cell a column changed: ``column=(row, value)``, rows from 0."""
    rows = getattr(grid, table)
    columns = {}
    for column, (row, value) in cells.items():
        columns[column] = getattr(rows, column).copy()
        columns[column][row] = value
    return replace(grid, **{table: replace(rows, **columns)})


def priced(row: int, model: int, n: int, *curve: float) -> Grid:
    """Return a grid with one unit's cost curve replaced."""
    width = max(len(curve), 3)
    coefficients = np.zeros((len(GRID.costs), width))
    coefficients[:, :3] = GRID.costs.coefficients
    coefficients[row] = 0
    coefficients[row, : len(curve)] = curve
    models, counts = GRID.costs.model.copy(), GRID.costs.n.copy()
    models[row], counts[row] = model, n
    costs = Costs(models, GRID.costs.startup, GRID.costs.shutdown, counts, coefficients)
    return replace(GRID, costs=costs)


FAULTS = {
    "no reference": (
        changed("buses", type=(0, 2)),
        "there is no reference bus; give one bus type 3",
    ),
    "two references": (
        changed("buses", type=(3, 3)),
        "there are 2 reference buses (bus rows 1, 4); keep type 3 at one of them",
    ),
    "island": (
        changed("branches", status=(13, 0)),
        (
            "the network falls into 2 islands, the smallest at bus 8; "
            "connect them, or set their buses to type 4"
        ),
    ),
    "base": (replace(GRID, base_mva=0.0), "baseMVA must be positive"),
    "bus twice": (
        changed("buses", id=(2, 2)),
        "bus row 3: the bus id is taken already; branch row 6: from bus",
    ),
    "bus id": (changed("buses", id=(13, 0)), "bus row 14: bus_i must be 1 or more"),
    "bus type": (changed("buses", type=(4, 5)), "bus row 5: type must be 1, 2, 3 or 4"),
    "nan": (
        changed("buses", pd=(1, np.nan)),
        "bus row 2: pd is infinite or not a number; write a finite one",
    ),
    "vmin": (changed("buses", vmin=(1, -0.1)), "bus row 2: Vmin is negative"),
    "vmin above": (changed("buses", vmin=(1, 1.2)), "bus row 2: Vmin is above Vmax"),
    "no from bus": (
        changed("branches", from_bus=(4, 99)),
        "branch row 5: from bus is not in the bus table",
    ),
    "no to bus": (
        changed("branches", to_bus=(4, 99)),
        "branch row 5: to bus is not in the bus table",
    ),
    "loop": (changed("branches", to_bus=(0, 1)), "branch row 1: both ends are the same bus"),
    "impedance": (
        changed("branches", r=(0, 0), x=(0, 0)),
        "branch row 1: r and x are both 0; merge the two buses",
    ),
    "rating": (changed("branches", rate_a=(2, -1)), "branch row 3: rate_a is negative"),
    "tap": (changed("branches", tap=(2, -1)), "branch row 3: tap is negative"),
    "angles": (changed("branches", angmin=(2, 31)), "branch row 3: angmin is above angmax"),
    "no gen bus": (changed("units", bus=(1, 99)), "gen row 2: bus is not in the bus table"),
    "pmin": (changed("units", pmin=(1, SECRET)), "gen row 2 (bus 2): Pmin is above Pmax"),
    "huge": (changed("units", pmax=(1, 1e20)), "gen row 2 (bus 2): Pmax is beyond 1e+09 MW"),
    "qmin": (changed("units", qmin=(1, SECRET)), "gen row 2 (bus 2): Qmin is above Qmax"),
    "infinite": (
        changed("units", qmax=(1, np.inf)),
        "gen row 2: qmax is infinite or not a number; write a finite one",
    ),
    "a bus alone": (
        replace(
            GRID,
            buses=GRID.buses.take(np.arange(1)),
            branches=GRID.branches.take(np.arange(0)),
            units=GRID.units.take(np.arange(1)),
            costs=GRID.costs.take(np.arange(1)),
        ),
        "no branch is in service; a network has buses that branches connect",
    ),
    "no units": (
        replace(GRID, units=replace(GRID.units, status=np.zeros(5, dtype=np.int64))),
        "no unit is in service",
    ),
    "rows": (
        replace(GRID, costs=GRID.costs.take(np.arange(4))),
        "gencost has 4 rows where gen has 5 units",
    ),
    "model": (priced(1, 3, 3, SECRET), "gencost row 2: model must be 1 or 2"),
    "n": (priced(1, 2, 0), "gencost row 2: n is too small for a curve"),
    "one point": (priced(1, 1, 1, 0, 0), "gencost row 2: n is too small for a curve"),
    "short": (priced(1, 1, 3, 0, 0, 1, 1), "gencost row 2: n asks for more numbers"),
    "infinite cost": (
        priced(1, 2, 3, np.inf),
        "gencost row 2: coefficients is infinite or not a number",
    ),
    "quartic": (
        priced(1, 2, 5, SECRET, 0, 0, 1, 0),
        "gencost row 2: polynomials above the third degree are not supported",
    ),
    "unordered": (
        priced(1, 1, 3, 0, 0, 20, 5, 20, SECRET),
        "gencost row 2: the points of a piecewise-linear cost must increase",
    ),
    "bent": (
        priced(1, 1, 3, 0, 0, 10, SECRET, 20, SECRET + 1),
        "gencost row 2: the piecewise-linear cost is not convex; convexify it or use a quadratic",
    ),
}


@pytest.mark.parametrize(("grid", "fault"), FAULTS.values(), ids=FAULTS)
def test_each_fault_has_its_sentence(grid: Grid, fault: str) -> None:
    with pytest.raises(InputError) as error:
        check(grid, "grid.m")
    assert fault in str(error.value)
    assert str(error.value).startswith("grid.m: ")
    assert "4711" not in str(error.value)
    assert "4712" not in str(error.value)


def test_all_faults_are_gathered() -> None:
    grid = changed("units", changed("buses", vmin=(1, -1), type=(0, 1)), pmin=(0, SECRET))
    with pytest.raises(InputError) as error:
        check(grid, "grid.m")
    assert str(error.value) == (
        "grid.m: bus row 2: Vmin is negative; gen row 1 (bus 1): Pmin is above Pmax; "
        "there is no reference bus; give one bus type 3"
    )


def test_long_lists_are_cut() -> None:
    grid = replace(GRID, buses=replace(GRID.buses, vmin=np.full(14, 2.0)))
    with pytest.raises(InputError, match=r"bus rows 1, 2, 3, 4, 5 and 9 more: Vmin is above Vmax$"):
        check(grid, "grid.m")
    nan = np.full(14, np.nan)
    for column in ("pd", "qd", "gs", "bs", "vm", "va", "base_kv", "vmax", "vmin"):
        grid = replace(grid, buses=replace(grid.buses, **{column: nan}))
    grid = changed("branches", grid, r=(0, np.nan), x=(0, np.nan), b=(0, np.nan))
    with pytest.raises(InputError, match=r"; and 2 more$"):
        check(grid, "grid.m")


FINE = {
    "unit out of service": changed("units", status=(1, 0), pmin=(1, 900)),
    "isolated bus": changed("branches", changed("buses", type=(7, 4)), status=(13, 0)),
    "dispatchable load": changed("units", pmin=(1, -50), pmax=(1, 0)),
    "several units at a bus": changed("units", bus=(1, 1)),
    "phase shifter": changed("branches", shift=(3, -12), tap=(3, 0.97)),
    "branch out of service": changed("branches", status=(2, 0), r=(2, 0), x=(2, 0), rate_a=(2, -1)),
    "no angle limits": changed("branches", angmin=(2, -360), angmax=(2, 360)),
    "cubic": priced(1, 2, 4, 0.001, 0.01, 20, 0),
    "quartic in name only": priced(1, 2, 5, 0, 0, 0.01, 20, 0),
    "convex line": priced(1, 1, 3, 0, 0, 10, 100, 20, 300),
    "straight line in decimals": priced(1, 1, 4, 0, 0, 0.1, 0.3, 0.2, 0.6, 0.3, 0.9),
}


@pytest.mark.parametrize("grid", FINE.values(), ids=FINE)
def test_what_is_no_fault(grid: Grid) -> None:
    check(grid, "grid.m")


@pytest.mark.parametrize("name", builtin())
def test_the_built_in_cases_pass(name: str) -> None:
    check(read_matpower(builtin()[name].path), name)
