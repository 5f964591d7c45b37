# SPDX-License-Identifier: MIT
"""The MATPOWER reader and writer: golden files, exact round trips, and a catalogue of bad files."""

import os
import stat
import time
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matpowercaseframes import CaseFrames

from pocin.errors import InputError
from pocin.power.cases import builtin
from pocin.power.grid import Branches, Buses, Costs, Grid, Units
from pocin.power.matpower import format_matpower, parse_matpower, read_matpower

NESTA = Path(__file__).resolve().parents[3] / "shared" / "data" / "power"
FLATTEN = "open it in MATPOWER or Octave, run savecase('flat.m', mpc) and give flat.m instead"
TABLES = ("buses", "branches", "units", "costs")

SMALL = """function mpc = small
% A comment with ] and ' in it.
mpc.version = '2';
mpc.baseMVA = 100.0;

%% bus data
mpc.bus = [
\t1\t3\t0.0\t0.0\t0\t0\t1\t1\t0\t230\t1\t1.1\t0.9; % the first
\t2 1 50 10 0 0 1 1 0 230 1 1.1 0.9
\t7, 2, 4711.5, 10, 0, 0, 1, 1, 0, ...
\t230, 1, 1.1, 0.9;
];
mpc.gen = [
\t1\t20\t0\t40\t-40\t1\t100\t1\t5150.25\t0;
\t7\t20\t0\t40\t-40\t1\t100\t0\t90\t0;
];
mpc.gencost = [
\t2\t0\t0\t3\t0.01\t20\t0\t0;
\t1\t0\t0\t2\t0\t0\t90\t1800;
];
mpc.branch = [
\t1\t2\t0.01\t0.1\t0\t100\t0\t0\t0\t0\t1\t-30\t30;
\t2\t7\t0.01\t0.1\t0\t100\t0\t0\t0\t0\t1\t-30\t30;
];
"""


def assert_equal(left: Grid, right: Grid) -> None:
    assert left.base_mva == right.base_mva
    for table in TABLES:
        ours, theirs = getattr(left, table), getattr(right, table)
        for column in fields(ours):
            a, b = getattr(ours, column.name), getattr(theirs, column.name)
            assert a.dtype == b.dtype, column.name
            np.testing.assert_array_equal(a, b, err_msg=f"{table}.{column.name}")


def matrix(table: Buses | Branches | Units) -> np.ndarray:
    return np.column_stack([getattr(table, c.name) for c in fields(table)])


def test_reads_what_stands_there() -> None:
    grid = parse_matpower(SMALL, "small.m")
    assert grid.base_mva == 100
    np.testing.assert_array_equal(grid.buses.id, [1, 2, 7])
    np.testing.assert_array_equal(grid.buses.pd, [0, 50, 4711.5])
    np.testing.assert_array_equal(grid.units.pmax, [5150.25, 90])
    np.testing.assert_array_equal(grid.costs.model, [2, 1])
    np.testing.assert_array_equal(grid.costs.coefficients, [[0.01, 20, 0, 0], [0, 0, 90, 1800]])
    np.testing.assert_array_equal(grid.branches.angmax, [30, 30])
    assert grid.notes == ("1 unit out of service is not released",)


@pytest.mark.parametrize(
    "path",
    [*(case.path for case in builtin().values()), *sorted(NESTA.glob("*.m"))],
    ids=lambda path: path.stem,
)
def test_agrees_with_another_reader(path: Path) -> None:
    grid, frames = read_matpower(path), CaseFrames(str(path))
    np.testing.assert_array_equal(matrix(grid.buses), frames.bus.to_numpy()[:, :13])
    np.testing.assert_array_equal(matrix(grid.branches), frames.branch.to_numpy()[:, :13])
    np.testing.assert_array_equal(matrix(grid.units), frames.gen.to_numpy()[:, :10])
    np.testing.assert_array_equal(grid.costs.matrix, frames.gencost.to_numpy())


def test_nesta_files_are_read() -> None:
    if not NESTA.is_dir():
        pytest.skip("the NESTA files are not beside the repository")
    grid = read_matpower(NESTA / "nesta_case14_ieee.m")
    assert grid.notes == ("left out: the 11 columns of the gen table after Pmin",)


@pytest.mark.parametrize("name", builtin())
def test_another_reader_reads_what_is_written(name: str, tmp_path: Path) -> None:
    grid = read_matpower(builtin()[name].path)
    path = tmp_path / "again.m"
    path.write_text(format_matpower(grid, ["a header"], "again"), encoding="utf-8")
    frames = CaseFrames(str(path))
    np.testing.assert_array_equal(matrix(grid.units), frames.gen.to_numpy())
    np.testing.assert_array_equal(matrix(grid.buses), frames.bus.to_numpy())
    np.testing.assert_array_equal(matrix(grid.branches), frames.branch.to_numpy())
    np.testing.assert_array_equal(grid.costs.matrix, frames.gencost.to_numpy())


@pytest.mark.parametrize("name", builtin())
def test_written_grid_reads_back_exactly(name: str) -> None:
    grid = read_matpower(builtin()[name].path)
    text = format_matpower(grid, ["one", "two\nlines"], name)
    assert_equal(parse_matpower(text, name), grid)
    assert format_matpower(parse_matpower(text, name), ["one", "two\nlines"], name) == text
    assert text.startswith(f"% one\n% two\n% lines\nfunction mpc = {name}\n")


floats = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float)
ints = st.integers(-(2**52), 2**52)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    def table(kind: type, rows: int) -> object:
        columns = {}
        for column in fields(kind):
            of, dtype = (ints, np.int64) if column.type == "Ints" else (floats, np.float64)
            cells = draw(st.lists(of, min_size=rows, max_size=rows))
            columns[column.name] = np.array(cells, dtype=dtype)
        return kind(**columns)

    rows, units = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    buses = table(Buses, rows)
    buses = replace(buses, id=np.arange(rows))
    width = draw(st.integers(1, 4))
    cells = draw(st.lists(floats, min_size=units * width, max_size=units * width))
    costs = Costs(
        model=np.full(units, 2),
        startup=np.zeros(units),
        shutdown=np.zeros(units),
        n=np.full(units, width),
        coefficients=np.reshape(np.array(cells), (units, width)),
    )
    return Grid(draw(floats), buses, table(Branches, rows), table(Units, units), costs)


@settings(max_examples=60, deadline=None)
@given(grids(), st.text(max_size=8), st.lists(st.text(max_size=12), max_size=2))
def test_any_grid_reads_back_exactly(grid: Grid, name: str, header: list[str]) -> None:
    text = format_matpower(grid, header, name)
    assert_equal(parse_matpower(text, "written.m"), grid)


@pytest.mark.parametrize(
    ("name", "written"),
    [("my grid-2", "my_grid_2"), ("9bus", "case_9bus"), ("", "case"), ("x" * 99, "x" * 63)],
)
def test_names_become_identifiers(name: str, written: str) -> None:
    text = format_matpower(parse_matpower(SMALL, "small.m"), [], name)
    assert text.startswith(f"function mpc = {written}\n")


def test_infinite_limits_survive() -> None:
    grid = parse_matpower(SMALL.replace("5150.25", "Inf").replace("-40", "-inf"), "small.m")
    assert np.isinf(grid.units.pmax[0])
    assert_equal(parse_matpower(format_matpower(grid, [], "inf"), "inf.m"), grid)


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text + "\nend\n",
        lambda text: text.replace("mpc.gen =", "%{\nmpc.gen = [ 1 2 3 ];\n%}\nmpc.gen  ="),
        lambda text: text.replace("\nmpc.gen = [", "\nmpc.gen = ...\n  [").replace("];", "]"),
        lambda text: text.replace("mpc", "case1"),
        lambda text: text.partition("\n")[2],
        lambda text: text.replace("'2';\nmpc.base", "'2'; mpc.base").replace("'2'", '"2"'),
    ],
)
def test_spellings_of_the_same_case(edit: object) -> None:
    assert_equal(parse_matpower(edit(SMALL), "small.m"), parse_matpower(SMALL, "small.m"))


def test_units_that_can_also_consume_are_noted() -> None:
    text = SMALL.replace("\t5150.25\t0;", "\t5150.25\t-40;")
    assert parse_matpower(text, "small.m").notes[1] == (
        "1 unit with Pmin below 0 and Pmax above is able to consume; the policies unit and site "
        "keep that, a derived Pmin does not"
    )


def test_left_out_fields_are_noted() -> None:
    extra = "mpc.bus_name = {\n 'it''s ] % one';\n 'two'\n};\nmpc.dcline = [];\nmpc.areas = [1 1];"
    wide = SMALL.replace("\t0;\n\t7\t20", "\t0 0 0;\n\t7\t20").replace("90\t0;", "90\t0 0 0;")
    grid = parse_matpower(wide + extra, "small.m")
    assert grid.notes == (
        "left out: the 2 columns of the gen table after Pmin",
        "left out: mpc.bus_name, mpc.dcline, mpc.areas",
        "1 unit out of service is not released",
    )


def test_narrow_and_solved_tables() -> None:
    narrow = SMALL.replace("\t-30\t30;", ";")
    assert not parse_matpower(narrow, "small.m").branches.angmax.any()
    solved = parse_matpower(SMALL.replace("\t-30\t30;", "\t-30\t30 1 2 3 4;"), "small.m")
    assert solved.notes[0] == "left out: the result columns that a solver added to the branch table"


def test_reactive_costs_of_zero_are_dropped() -> None:
    zero = "\t2 0 0 3 0 0 0 0;\n" * 2
    grid = parse_matpower(SMALL.replace("90\t1800;\n", "90\t1800;\n" + zero), "small.m")
    assert_equal(grid, parse_matpower(SMALL, "small.m"))


def test_costs_may_come_from_elsewhere() -> None:
    head, rest = SMALL.split("mpc.gencost = [")
    bare = head + rest.partition("];\n")[2]
    assert len(parse_matpower(bare, "small.m", need_costs=False).costs) == 0
    with pytest.raises(InputError, match="give them by --costs FILE"):
        parse_matpower(bare, "small.m")


def edited(old: str, new: str) -> str:
    assert old in SMALL
    return SMALL.replace(old, new, 1)


BAD = {
    "word": (
        edited("5150.25", "SECRET"),
        "small.m:14: gen row 1, column Pmax: expected a number; write a literal value",
    ),
    "word after a continuation": (
        edited("4711.5", "SECRET"),
        "small.m:10: bus row 3, column Pd: expected a number; write a literal value",
    ),
    "nan": (
        edited("5150.25", "NaN"),
        "small.m:14: gen row 1, column Pmax: expected a number; write a literal value",
    ),
    "underscore": (
        edited("5150.25", "5_150"),
        "small.m:14: gen row 1, column Pmax: expected a number; write a literal value",
    ),
    "empty cell": (
        edited("7, 2, 4711.5", "7, , 4711.5"),
        "small.m:10: bus row 3, column type: expected a number; write a literal value",
    ),
    "fraction": (
        edited("5150.25", "5150/3"),
        f"small.m:14: gen row 1, column Pmax: it is computed; {FLATTEN}",
    ),
    "difference": (
        edited("5150.25", "5150 - 3"),
        f"small.m:14: gen row 1, column Pmin: it is computed; {FLATTEN}",
    ),
    "scaled table": (
        edited("0.9;\n];", "0.9;\n] * 2;"),
        f"small.m:7: bus is computed; {FLATTEN}",
    ),
    "column assignment": (
        SMALL + "mpc.gen(:,9) = 2 * mpc.gen(:,9);\n",
        f"small.m:25: this line computes or is not a case's data; {FLATTEN}",
    ),
    "call": (
        edited("mpc.version", "define_constants;\nmpc.version"),
        f"small.m:3: this line computes or is not a case's data; {FLATTEN}",
    ),
    "loop": (
        SMALL + "for k = 1:3\nend\n",
        f"small.m:25: this line computes or is not a case's data; {FLATTEN}",
    ),
    "computed base": (
        edited("100.0", "10 * 10"),
        f"small.m:4: baseMVA is computed; {FLATTEN}",
    ),
    "version 1": (
        edited("mpc.version = '2';\n", ""),
        f"small.m: mpc.version must be '2'; {FLATTEN}",
    ),
    "no base": (
        edited("mpc.baseMVA = 100.0;", ""),
        "small.m: mpc.baseMVA must be a literal number, such as 100",
    ),
    "no gen": (
        edited("mpc.gen =", "mpc.other ="),
        "small.m: there is no mpc.gen table; a case has bus, gen and branch",
    ),
    "cut short": (
        SMALL[:-30],
        (
            "small.m:21: branch is not closed by ] before the next table or the file's end; "
            "the file is cut short or a bracket is missing"
        ),
    ),
    "no bracket": (
        edited("0.9;\n];", "0.9;\n"),
        (
            "small.m:7: bus is not closed by ] before the next table or the file's end; "
            "the file is cut short or a bracket is missing"
        ),
    ),
    "ragged": (
        edited("230 1 1.1 0.9", "230 1 1.1"),
        "small.m:9: bus row 2 has 12 columns where row 1 has 13",
    ),
    "narrow": (
        SMALL.replace("\t5150.25\t0;", ";").replace("\t90\t0;", ";"),
        (
            "small.m:13: gen has 8 columns where MATPOWER's version 2 has 10; "
            "the last one that stands there is status"
        ),
    ),
    "same bus": (
        edited("\t7, 2", "\t2, 2"),
        "small.m:10: bus row 3, column bus_i: row 2 has the same bus",
    ),
    "part of a bus": (
        edited("\t7, 2", "\t7.5, 2"),
        "small.m:10: bus row 3, column bus_i: expected a whole number",
    ),
    "huge bus": (
        edited("\t7, 2", "\t1e300, 2"),
        "small.m:10: bus row 3, column bus_i: expected a whole number",
    ),
    "part of a cost model": (
        edited("\t1\t0\t0\t2\t0\t0\t90", "\t1.5\t0\t0\t2\t0\t0\t90"),
        "small.m:19: gencost row 2, column model: expected a whole number",
    ),
    "set twice": (
        SMALL + "mpc.gen = [];",
        "small.m:25: mpc.gen is set a second time; keep one of the two",
    ),
    "not a matrix": (
        edited("mpc.gen = [", "mpc.gen = 5;\nmpc.other = ["),
        "small.m:13: gen must be a matrix in brackets [ ]",
    ),
    "dc line": (
        SMALL + "mpc.dcline = [1 2 1 10 0];",
        (
            "small.m:25: mpc.dcline changes the optimal power flow and cannot be released; "
            "take it out of the case, or set its rows out of service"
        ),
    ),
    "user constraints": (
        SMALL + "mpc.A = [1 2 1];",
        (
            "small.m:25: mpc.A changes the optimal power flow and cannot be released; "
            "take it out of the case, or set its rows out of service"
        ),
    ),
    "nested field": (
        SMALL + "mpc.reserves.zones = [1 1];",
        (
            "small.m:25: mpc.reserves.zones changes the optimal power flow and cannot be released; "
            "take it out of the case, or set its rows out of service"
        ),
    ),
    "reactive costs": (
        edited("90\t1800;\n", "90\t1800;\n" + "\t2 0 0 3 0 5 0 0;\n" * 2),
        (
            "small.m:17: gencost has costs of reactive power (its rows from 3 on), "
            "which pocin does not read; take these rows out"
        ),
    ),
    "binary": (
        "\x7f\x80\x90 \xff",
        f"small.m:1: this line computes or is not a case's data; {FLATTEN}",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD)
def test_bad_files_are_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        parse_matpower(text, "small.m")
    assert str(error.value) == sentence
    assert not any(value in str(error.value) for value in ("SECRET", "5150", "4711"))


@pytest.mark.parametrize("cut", range(0, len(SMALL) - 5, 7))
def test_a_file_cut_anywhere_is_refused(cut: int) -> None:
    with pytest.raises(InputError):
        parse_matpower(SMALL[:cut], "small.m")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "grid.m"
    for content, sentence in (
        (None, "there is no such file; check the path"),
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\x00\x01\x02", "is not a text file; save it as plain text"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InputError, match=f"grid.m: {sentence}$"):
            read_matpower(path)
    with pytest.raises(InputError, match=r"this is a folder; name a file in it$"):
        read_matpower(tmp_path)


def test_permission_denied(tmp_path: Path) -> None:
    path = tmp_path / "grid.m"
    path.write_text(SMALL, encoding="utf-8")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    with pytest.raises(InputError, match=r"no permission to read this file; ask its owner$"):
        read_matpower(path)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)


def test_latin_1_comments_are_read(tmp_path: Path) -> None:
    path = tmp_path / "grid.m"
    path.write_bytes(SMALL.replace("the first", "Zürich").encode("latin-1"))
    assert len(read_matpower(path).buses) == 3


@pytest.mark.parametrize(
    "text",
    [
        "%" * 2_000_000,
        "mpc.bus = [" + "1 " * 500_000,
        "mpc.bus_name = {" + "'a';" * 300_000,
        "mpc.note = '" + "''" * 500_000,
        " ;," * 500_000 + "x",
        "mpc.version='2';mpc.baseMVA=1;mpc.bus=[" + "1 2,3;" * 300_000 + "1];",
        "mpc.version='2';mpc.baseMVA=1;mpc.bus=[" + "1 ...\n" * 300_000 + "x];",
    ],
    ids=["comment", "open matrix", "open cell", "open string", "gaps", "one line", "one row"],
)
def test_time_is_linear_in_the_length(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(InputError):
        parse_matpower(text, "long.m")
    assert time.perf_counter() - start < 10


def test_a_large_case_is_read_quickly() -> None:
    row = "\t{}\t1\t1.5\t0.25\t0\t0\t1\t1.02\t-3.125\t230\t1\t1.1\t0.9;\n"
    rows = "".join(row.format(k) for k in range(8, 30_008))
    text = SMALL.replace("mpc.bus = [\n", "mpc.bus = [\n" + rows)
    start = time.perf_counter()
    assert len(parse_matpower(text, "large.m").buses) == 30_003
    assert time.perf_counter() - start < 5
