# SPDX-License-Identifier: MIT
"""RAW and JSON files against the MATPOWER case they were made from, and cost tables."""

import json
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocin.errors import InputError, UsageError
from pocin.power.cases import builtin
from pocin.power.checks import check
from pocin.power.costs import read_costs
from pocin.power.files import read_grid
from pocin.power.grid import Grid
from pocin.power.raw import check_raw

powerio = pytest.importorskip("powerio", reason="powerio is not installed")

FORMATS = {"psse": "grid.raw", "powermodels-json": "grid.json", "pandapower-json": "grid.pp.json"}
COSTS = "bus,c2,c1,c0\n" + "".join(f"{bus},0.01,{20 + bus},5\n" for bus in (1, 2, 3, 6, 8))


def made(kind: str, folder: Path, case: str = "ieee14") -> Path:
    path = folder / FORMATS[kind]
    powerio.emit(powerio.parse(str(builtin()[case].path)), kind, str(path))
    return path


def admittances(grid: Grid) -> np.ndarray:
    """Return the bus admittance matrix, which no order of branches changes."""
    buses, branches = grid.buses, grid.branches
    f, t = (np.searchsorted(buses.id, ends) for ends in (branches.from_bus, branches.to_bus))
    series = 1 / (branches.r + 1j * branches.x)
    tap = np.where(branches.tap == 0, 1, branches.tap) * np.exp(1j * np.deg2rad(branches.shift))
    own = series + 0.5j * branches.b
    matrix = np.diag((buses.gs + 1j * buses.bs) / grid.base_mva).astype(complex)
    np.add.at(matrix, (f, f), own / np.abs(tap) ** 2)
    np.add.at(matrix, (t, t), own)
    np.add.at(matrix, (f, t), -series / tap.conj())
    np.add.at(matrix, (t, f), -series / tap)
    return matrix


@pytest.fixture
def costs(tmp_path: Path) -> Path:
    path = tmp_path / "costs.csv"
    path.write_text(COSTS, "utf-8")
    return path


@pytest.mark.parametrize("kind", FORMATS)
def test_formats_agree_with_matpower(kind: str, tmp_path: Path, costs: Path) -> None:
    expected, _ = read_grid("ieee14", costs)
    grid, published = read_grid(made(kind, tmp_path), costs)
    assert published is None
    assert grid.base_mva == expected.base_mva
    for name in ("id", "type", "pd", "qd", "vmax", "vmin"):
        np.testing.assert_allclose(getattr(grid.buses, name), getattr(expected.buses, name))
    for column in fields(grid.units):
        ours, theirs = getattr(grid.units, column.name), getattr(expected.units, column.name)
        np.testing.assert_allclose(ours, theirs, err_msg=column.name)
    np.testing.assert_array_equal(grid.costs.matrix, expected.costs.matrix)
    np.testing.assert_allclose(admittances(grid), admittances(expected), atol=1e-12)
    assert sorted(grid.branches.rate_a) == pytest.approx(sorted(expected.branches.rate_a))


def test_powermodels_carries_costs_and_angles(tmp_path: Path) -> None:
    expected, _ = read_grid("ieee14")
    grid, _ = read_grid(made("powermodels-json", tmp_path))
    np.testing.assert_allclose(grid.costs.matrix, expected.costs.matrix)
    np.testing.assert_allclose(grid.branches.angmax, expected.branches.angmax)
    np.testing.assert_array_equal(grid.branches.from_bus, expected.branches.from_bus)


def test_magnetising_admittance_becomes_a_shunt(tmp_path: Path, costs: Path) -> None:
    path = made("psse", tmp_path)
    text = path.read_text("utf-8")
    assert "4, 7, 0, '1', 1, 1, 1, 0.0, 0.0" in text
    plain, _ = read_grid(path, costs)
    path.write_text(
        text.replace("4, 7, 0, '1', 1, 1, 1, 0.0, 0.0", "4, 7, 0, '1', 1, 1, 1, 0.01, -0.02"),
        "utf-8",
    )
    grid, _ = read_grid(path, costs)
    assert grid.buses.gs[3] - plain.buses.gs[3] == pytest.approx(1.0)
    assert grid.buses.bs[3] - plain.buses.bs[3] == pytest.approx(-2.0)
    assert "shunts that stand at one end of a branch are written at its bus" in grid.notes


def test_loads_out_of_service_do_not_count(tmp_path: Path, costs: Path) -> None:
    path = made("psse", tmp_path)
    text = path.read_text("utf-8").replace("2, '1', 1, 1, 1, 21.7", "2, '1', 0, 1, 1, 21.7")
    path.write_text(text, "utf-8")
    assert read_grid(path, costs)[0].buses.pd[1] == 0


def test_raw_needs_costs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"units have no cost curves; give them by --costs FILE$"):
        read_grid(made("psse", tmp_path))


DC_LINE = """'L1',1,5.0,100.0,400.0,0.0,0.0,0.0,'I',0.0,20,1.0
4,1,20.0,10.0,0.0,1.0,230.0,0.4,1.0,1.5,0.5,0.00625,0,0,0,'1',0.0
5,1,20.0,10.0,0.0,1.0,230.0,0.4,1.0,1.5,0.5,0.00625,0,0,0,'1',0.0
"""
RAW_FAULTS = {
    "word": (
        lambda text: text.replace("100.0, 340.0", "100.0, SECRET"),
        "cannot be read (PSS/E .raw read error: field … … is not a finite number)",
    ),
    "unknown bus": (
        lambda text: text.replace("2, '1', 29.5", "77, '1', 29.5"),
        "generator references unknown bus",
    ),
    "cut in the buses": (lambda text: text[:400], "the file ends within a table; it is cut short"),
    "cut in the branches": (
        lambda text: text[: text.index("9, 14,")],
        "the file ends within a table; it is cut short",
    ),
    "dc line": (
        lambda text: text.replace("TWO-TERMINAL DC DATA\n", "TWO-TERMINAL DC DATA\n" + DC_LINE, 1),
        "DC lines cannot be released",
    ),
    "no capacity": (
        lambda text: text.replace("100.0, 340.0,", "100.0, ,"),
        "{}:33: the generator has no PT; write it, for PSS/E's default is not read",
    ),
    "no capacity, the record ends": (
        lambda text: text.replace("100.0, 340.0,", "100.0 / 340.0,"),
        "{}:33: the generator has no PT",
    ),
    "no reactive limit": (
        lambda text: text.replace("1, '1', 170.0, 5.0, 10.0,", "1, '1', 170.0, 5.0, ,"),
        "{}:33: the generator has no QT",
    ),
    "no bus": (
        lambda text: text.replace("2, '1', 1, 1, 1, 21.7", ", '1', 1, 1, 1, 21.7"),
        "{}:19: the load has no I",
    ),
    "no reactance": (
        lambda text: text.replace("1, 5, '1', 0.05403, 0.22304,", "1, 5, '/', 0.05403, ,"),
        "{}:40: the branch has no X",
    ),
    "facts": (
        lambda text: text.replace("FACTS DEVICE DATA\n", "FACTS DEVICE DATA\n'F1',5,0,1\n", 1),
        "its FACTS DEVICE section cannot be released; take its records out, or",
    ),
    "induction machine": (
        lambda text: text.replace(
            "BEGIN INDUCTION MACHINE DATA\n", "BEGIN INDUCTION MACHINE DATA\n5,'1',1\n"
        ),
        "its INDUCTION MACHINE section cannot be released",
    ),
    "no header": (lambda _: "hello", "missing SBASE in header"),
    "binary": (lambda _: "\0", "is not a text file"),
    "old": (lambda text: text.replace("100, 33,", "100, 29,", 1), "is not a supported revision"),
}


@pytest.mark.parametrize(("edit", "sentence"), RAW_FAULTS.values(), ids=RAW_FAULTS)
def test_bad_raw_files(
    edit: Callable[[str], str], sentence: str, tmp_path: Path, costs: Path
) -> None:
    path = made("psse", tmp_path)
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
    with pytest.raises(InputError) as error:
        read_grid(path, costs)
    assert sentence.format(path) in str(error.value)
    assert str(error.value).startswith(f"{path}:")
    assert "SECRET" not in str(error.value)


def newer(text: str, revision: int, settings: str) -> str:
    """Turn revision 33 into a newer one as far as the reader looks; 35 has NREG before MBASE."""
    text = text.replace("100, 33,", f"100, {revision},", 1)
    head, rest = text.split("\n1, '  ", 1)
    units = "BEGIN GENERATOR DATA\n"
    if revision == 35:
        before, after = rest.split(units)
        table, end = after.split("0 / END OF GEN", 1)
        table = table.replace("1.0, 0, 100.0,", "1.0, 0, 0, 100.0,")
        rest = f"{before}{units}@! I, ID, PG\n{table}0 / END OF GEN{end}"
    return f"{head}\n{settings}1, '  {rest}"


SETTINGS = "GENERAL, THRSHZ=0.0001\n0 / END OF SYSTEM-WIDE DATA, BEGIN BUS DATA\n"


@pytest.mark.parametrize(
    ("revision", "settings"),
    [(33, ""), (34, SETTINGS), (34, SETTINGS.partition("\n")[2]), (35, SETTINGS)],
)
def test_newer_raw_files_are_looked_through(revision: int, settings: str, tmp_path: Path) -> None:
    text = newer(made("psse", tmp_path).read_text("utf-8"), revision, settings)
    check_raw(text, "grid.raw")
    with pytest.raises(InputError, match=r"grid.raw:\d+: the generator has no PT"):
        check_raw(text.replace("100.0, 340.0,", "100.0, ,"), "grid.raw")
    with pytest.raises(InputError, match=r"grid.raw:\d+: the branch has no X"):
        check_raw(text.replace("0.05403, 0.22304", "0.05403, "), "grid.raw")


def test_sections_that_group_what_stands_elsewhere_are_left_out(
    tmp_path: Path, costs: Path
) -> None:
    path = made("psse", tmp_path)
    text, begin = path.read_text("utf-8"), "BEGIN MULTI-SECTION LINE DATA\n"
    path.write_text(text.replace(begin, begin + "1,5,'&1',1,2\n"), "utf-8")
    assert len(read_grid(path, costs)[0].branches) == 20


def secret_capacity(case: dict[str, Any]) -> None:
    case["gen"]["1"]["pmax"] = "SECRET"


def secret_cost(case: dict[str, Any]) -> None:
    case["gen"]["1"]["cost"] = ["SECRET", 1]


def no_capacity(case: dict[str, Any]) -> None:
    case["gen"]["1"]["pmax"] = None


def short_cost(case: dict[str, Any]) -> None:
    case["gen"]["1"]["ncost"] = 4


def long_cost(case: dict[str, Any]) -> None:
    case["gen"]["1"]["ncost"] = 1


def no_costs(case: dict[str, Any]) -> None:
    for unit in case["gen"].values():
        del unit["cost"]


def storage(case: dict[str, Any]) -> None:
    case["storage"] = {"1": {"index": 1, "storage_bus": 1, "status": 1, "energy": 1}}


def list_of_units(case: dict[str, Any]) -> None:
    case["gen"] = [1]


def load_nowhere(case: dict[str, Any]) -> None:
    case["load"]["1"]["load_bus"] = 99


JSON_FAULTS = {
    secret_capacity: "gen 1, column pmax: expected a number",
    secret_cost: "gen 1, column cost: expected a number",
    no_capacity: "gen 1, column pmax: expected a number",
    short_cost: "gen 1: ncost does not fit the numbers in cost",
    long_cost: "gen 1: ncost does not fit the numbers in cost",
    no_costs: "units have no cost curves; give them by --costs FILE",
    storage: "storage cannot be released",
    list_of_units: "its tables are not laid out as powermodels-json",
    load_nowhere: "load references unknown bus",
}


@pytest.mark.parametrize(("edit", "sentence"), JSON_FAULTS.items())
def test_bad_powermodels_files(
    edit: Callable[[dict[str, Any]], None], sentence: str, tmp_path: Path
) -> None:
    path = made("powermodels-json", tmp_path)
    case = json.loads(path.read_text("utf-8"))
    edit(case)
    path.write_text(json.dumps(case), "utf-8")
    with pytest.raises(InputError) as error:
        read_grid(path)
    assert sentence in str(error.value)
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1]", "neither a PowerModels nor a pandapower network"),
        ('{"baseMVA": 100,\n', "grid.json:2: this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ('{"_class": "pandapowerNet"}', "its tables are not laid out as pandapower-json"),
    ],
)
def test_bad_json_files(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "grid.json"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        read_grid(path)
    assert sentence in str(error.value)


def test_bad_pandapower_files(tmp_path: Path) -> None:
    path = made("pandapower-json", tmp_path)
    text = path.read_text("utf-8")
    assert "340.0" in text
    path.write_text(text.replace("340.0", '\\"SECRET\\"'), "utf-8")
    with pytest.raises(InputError, match=r"gen \d, column max_p_mw: expected a number$"):
        read_grid(path)
    net = json.loads(text)
    frame = {"columns": ["bus", "et", "closed"], "index": [4], "data": [[0, "l", False]]}
    net["_object"]["switch"] = {"_object": json.dumps(frame), "dtype": {}}
    path.write_text(json.dumps(net), "utf-8")
    with pytest.raises(InputError, match="switch 4 opens a line or joins buses"):
        read_grid(path)


def with_cell(path: Path, table: str, column: str, value: object) -> None:
    """Set a column in the first row of a pandapower table, which is made if need be."""
    net = json.loads(path.read_text("utf-8"))
    if table not in net["_object"]:  # static generators have the columns of generators
        net["_object"][table] = dict(net["_object"]["gen"])
    held = net["_object"][table]
    frame = json.loads(held["_object"])
    if column not in frame["columns"]:
        frame["columns"].append(column)
        for row in frame["data"]:
            row.append(None)
    frame["data"][0][frame["columns"].index(column)] = value
    held["_object"] = json.dumps(frame)
    path.write_text(json.dumps(net), "utf-8")


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (("gen", "max_p_mw", None), "gen 0, column max_p_mw: expected a number"),
        (("gen", "min_p_mw", None), "gen 0, column min_p_mw: expected a number"),
        (("gen", "controllable", False), "gen 0: only controllable = True can be read"),
        (("sgen", "controllable", False), "sgen 0: only controllable = True can be read"),
        (("sgen", "controllable", None), "sgen 0: only controllable = True can be read"),
        (("load", "controllable", True), "load 0: only controllable = False can be read"),
        (("line", "df", 0.5), "line 0: only df = 1 can be read; multiply the rating by it"),
        (("line", "max_loading_percent", 50.0), "line 0: only max_loading_percent = 100 can"),
        (("trafo", "tap_phase_shifter", True), "trafo 0: only tap_phase_shifter = False can"),
    ],
)
def test_what_powerio_would_not_tell(
    cell: tuple[str, str, object], sentence: str, tmp_path: Path, costs: Path
) -> None:
    path = made("pandapower-json", tmp_path)
    read_grid(path, costs)
    with_cell(path, *cell)
    with pytest.raises(InputError, match=sentence):
        read_grid(path, costs)


def test_a_line_out_of_service_may_say_what_it_likes(tmp_path: Path, costs: Path) -> None:
    path = made("pandapower-json", tmp_path)
    with_cell(path, "line", "df", 0.5)
    with_cell(path, "line", "in_service", value=False)
    assert not read_grid(path, costs)[0].branches.status.all()


def test_powerio_is_an_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = made("powermodels-json", tmp_path)
    monkeypatch.setitem(sys.modules, "powerio", None)
    with pytest.raises(UsageError, match=r"install pocin\[formats\]$"):
        read_grid(path)


def test_costs_by_unit(tmp_path: Path) -> None:
    grid, _ = read_grid("ieee14")
    grid = replace(grid, units=replace(grid.units, bus=np.array([1, 2, 2, 6, 8])))
    path = tmp_path / "costs.csv"
    path.write_text("bus,unit,c2,c1,c0\n2,2,3,2,1\n2,1,6,5,4\n1,1,0,1,0\n6,1,0,1,0\n8,1,0,1,0\n")
    priced = replace(grid, costs=read_costs(path, grid))
    np.testing.assert_array_equal(priced.costs.coefficients[1:3], [[6, 5, 4], [3, 2, 1]])
    check(priced, "grid")


COST_FAULTS = {
    "header": ("bus,price\n1,2\n", "{}:1: the header must be bus,c2,c1,c0 or bus,unit,c2,c1,c0"),
    "word": (COSTS.replace("22", "SECRET"), "{}:3: column c1: expected a number"),
    "nan": (COSTS.replace("22", "nan"), "{}:3: column c1: expected a number"),
    "bus": (COSTS.replace("\n2,", "\n2.5,"), "{}:3: column bus: expected a whole number from 1"),
    "huge": (
        COSTS.replace("\n2,", "\n" + "9" * 5000 + ","),
        "{}:3: column bus: expected a whole number from 1",
    ),
    "twice": (COSTS + "2,1,1,1\n", "{}:7: this unit has a row already; keep one"),
    "wide": (COSTS.replace("22", "22,4711"), "{}:3: expected 4 columns"),
    "missing": (
        COSTS.partition("2,0")[0] + "3,0,1,0\n",
        "{}: no row for unit 1 at bus 2 and 2 more; every unit in service needs one",
    ),
    "unknown": (COSTS + "99,0,1,0\n", "{}: the grid has no unit at bus 99; take that row out"),
    "empty": ("", "{}: the file is empty"),
}


@pytest.mark.parametrize(("text", "sentence"), COST_FAULTS.values(), ids=COST_FAULTS)
def test_bad_cost_tables(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        read_grid("ieee14", path)
    assert str(error.value) == sentence.format(path)
    assert "SECRET" not in str(error.value)
    assert "4711" not in str(error.value)
