# SPDX-License-Identifier: MIT
"""The one door for roads: a built-in case's name, a folder, or its main file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError
from pocin.roads import gmns
from pocin.roads.cases import builtin
from pocin.roads.checks import check
from pocin.roads.forms import parse
from pocin.roads.tables import bytes_of

if TYPE_CHECKING:
    from pocin.kinds import Document
    from pocin.roads.network import Roads


def is_roads_source(source: str | Path) -> bool:
    """Tell whether a source names a road network."""
    path = Path(source)
    return str(source) in builtin() or _main(path) is not None


def read_roads(source: str | Path) -> tuple[Roads, float | None]:
    """Return the checked roads, and the published mean trip time if they are a known case."""
    case = builtin().get(str(source))
    roads = check(parse(source_document(source), str(source)), str(source))
    return roads, None if case is None else case.published


def source_document(source: str | Path) -> Document:
    """Return the files of a source that pocin reads."""
    case = builtin().get(str(source))
    return _document(Path(source) if case is None else case.path)


def _main(path: Path) -> Path | None:
    """Return the folder of GMNS tables that a source names."""
    folder = path if path.is_dir() else path.parent
    named = path.is_dir() or path.name in gmns.FILES
    return folder if named and (folder / gmns.LINK).is_file() else None


def _document(path: Path) -> Document:
    """Read the files of a network."""
    folder = _main(path)
    if folder is None:
        raise InputError(f"{path}: holds no road network; it needs {', '.join(gmns.FILES)}")
    names = (*gmns.FILES, *gmns.ABOUT)
    return {name: bytes_of(folder / name) for name in names if (folder / name).is_file()}
