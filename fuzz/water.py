# SPDX-License-Identifier: MIT
"""The reader of small kinds of network, as the tutorial builds one."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.judge import SHELF, Door, Target
from fuzz.power import begins
from fuzz.same import hold
from pocin.kinds import Network
from pocin.simple.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

_TUTORIAL = Path(__file__).parents[1] / "docs" / "tutorial" / "water.py"
_FILE = "town.water"
_WORDS = (
    '"junctions":', '"pipes":', '"wells":', "[]", "[[]]", "null", "true", "NaN", "Infinity", "{}",
    "1e308", "1e400", "-1", "0", "1", "2", "3", "0.5", '"1"', "9007199254740993",
)  # fmt: skip
_DOOR = Door()
_DOOR.watch(Tables)


def _kind() -> Any:
    """Load the tutorial's kind."""
    spec = spec_from_file_location("water", _TUTORIAL)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WATER


_WATER = _kind()


def _read(folder: Path, document: Mapping[str, bytes]) -> Network:
    """Read the network."""
    path = folder / _FILE
    if SHELF.files is None or _FILE not in document:
        return Network(_WATER, _WATER.read(path, None)[0], str(path))
    tables = _WATER.parse({"": document[_FILE]}, str(path))
    tables.check(str(path))
    return Network(_WATER, tables, str(path))


def check(network: Network) -> None:
    """Tables are finite, ids are whole and differ, and all names are known."""
    tables: Tables = network.content
    rows = (tables.nodes, tables.edges, tables.elements)
    hold(true=all(np.isfinite(table).all() for table in rows), what="a number is not finite")
    ids = tables.nodes[:, 0].tolist()
    named = {*tables.edges[:, :2].ravel().tolist(), *tables.elements[:, 0].tolist()}
    hold(true=len(set(ids)) == len(ids) and named <= set(ids), what="a node is unknown or twice")
    hold(true=all(name == int(name) for name in ids), what="an id is not whole")
    hold(true=bool((tables.elements[:, 1] >= 0).all()), what="a value is negative")
    written = _WATER.write(tables, ("a header",))
    again = _WATER.parse(written, "again")
    pairs = zip(rows, (again.nodes, again.edges, again.elements), strict=True)
    hold(true=all(np.array_equal(a, b) for a, b in pairs), what="another when read again")
    begins(network, written[""])


TARGETS = (Target("water", _read, check, _DOOR, _WORDS),)
