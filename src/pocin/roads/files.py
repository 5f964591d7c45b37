# SPDX-License-Identifier: MIT
"""The one door for roads: a built-in case's name, a folder, or the main file in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pocin.errors import InputError
from pocin.roads import about, gmns, graphml, tntp
from pocin.roads.cases import builtin
from pocin.roads.checks import check
from pocin.roads.forms import parse
from pocin.sources import GRAPHS, TABLES, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pocin.kinds import Document
    from pocin.roads.network import Roads
    from pocin.sources import Limits


def is_roads_source(source: str | Path) -> bool:
    """Tell whether a source names a road network, by names alone."""
    return str(source) in builtin() or bool(_main(Path(source)))


def read_roads(source: str | Path) -> tuple[Roads, float | None]:
    """Return the checked roads, and the published mean trip time if they are a known case."""
    case = builtin().get(str(source))
    roads = check(parse(source_document(source), str(source)), str(source))
    return roads, None if case is None else case.published


def source_document(source: str | Path) -> Document:
    """Return the files of a source that pocin reads, by their names."""
    case = builtin().get(str(source))
    path = Path(source) if case is None else case.path
    found = _main(path)
    if not found:
        raise InputError(
            f"{source}: is no road network; name a folder of GMNS tables, a *_net.tntp file or a "
            ".graphml file"
        )
    if len(found) > 1:
        names = ", ".join(file.name for file in found)
        raise InputError(f"{source}: holds several networks ({names}); name one of these files")
    files = [*_together(found[0]), *(found[0].with_name(name) for name in about.FILES)]
    return {file.name: read_bytes(file, _limits(file)) for file in files if file.exists()}


def _limits(file: Path) -> Limits:
    """Return how much of a file is read."""
    return GRAPHS if file.name.lower().endswith(graphml.SUFFIX) else TABLES


def _main(path: Path) -> list[Path]:
    """Return the main files of the networks that a source names."""
    if path.is_dir():
        files = _listed(path)
        tables = any(file.name.lower() == gmns.NODE for file in files)
        return [file for file in files if _is_main(file)] or [path / gmns.LINK] * tables
    if path.name.lower() in gmns.FILES:
        return _like(path, path.name, [gmns.LINK])
    for suffix in tntp.SUFFIXES:
        if path.name.lower().endswith(suffix):
            return _like(path, suffix, [tntp.NET])
    return [path] if path.is_file() and _is_main(path) else []


def _is_main(file: Path) -> bool:
    """Whether a file is the one that names its network."""
    name = file.name.lower()
    return name == gmns.LINK or name.endswith((tntp.NET, graphml.SUFFIX))


def _together(main: Path) -> list[Path]:
    """Return the files that make up a network with its main file."""
    name = main.name.lower()
    if name == gmns.LINK:
        return _like(main, main.name, (*gmns.FILES, gmns.CONFIG))
    if name.endswith(tntp.NET):
        return _like(main, tntp.NET, tntp.SUFFIXES)
    stem = main.name[: -len(graphml.SUFFIX)]
    tables = (graphml.TRAFFIC, graphml.TRIPS)
    own = [main.with_name(f"{stem}_{table}") for table in tables]
    plain = [main.with_name(table) for table in tables]
    return [main, *(a if a.is_file() else b for a, b in zip(own, plain, strict=True))]


def _like(path: Path, suffix: str, others: Iterable[str]) -> list[Path]:
    """Return the files beside one that have its name up to the suffix, in any case of letters."""
    stem = path.name[: -len(suffix)].lower()
    wanted = {stem + other for other in others}
    folder = path.parent
    files = _listed(folder) if folder.is_dir() else []
    return [file for file in files if file.name.lower() in wanted]


def _listed(folder: Path) -> list[Path]:
    """Return what stands in a folder, or say why not."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); check the path") from None
