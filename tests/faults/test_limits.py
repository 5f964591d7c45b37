# SPDX-License-Identifier: MIT
"""What the limits of ``pocin.sources`` let through at the most: memory and time are bounded by it.

The files are as large as may be and of what costs a reader most: short cells, short rows, many
objects. Each is refused in the end, or not, as it comes; what is claimed is its cost.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.forge import Forge
from tests.faults.hostile import BESIDE, GMNS, MATPOWER, NET, RAW, TRIPS

GB = 2**30
MEMORY, SECONDS = 5 * GB, 240.0
ROWS, CELLS = 9_990_000, 24_900_000


def matrix() -> str:
    """A MATPOWER case whose bus table has as many cells as may be."""
    begin = MATPOWER.index("mpc.bus = [") + len("mpc.bus = [")
    rows = (CELLS // 13) * (12 * "10 " + "10\n")
    return MATPOWER[:begin] + "\n" + rows + MATPOWER[MATPOWER.index("];", begin) :]


def objects() -> str:
    """A PowerModels network of as many buses as may be."""
    row = '"{}":{{"bus_i":{},"bus_type":1,"vmin":1,"vmax":1}}'
    return '{"baseMVA":100,"bus":{' + ",".join(row.format(k, k) for k in range(CELLS // 10)) + "}}"


def nodes() -> str:
    """A street graph of as many nodes as may be."""
    row = '<node id="{}"><data key="x">{}</data></node>'
    many = "".join(row.format(k, k) for k in range(4_900_000))
    return f'<graphml><key id="x" attr.name="x"/><graph>{many}</graph></graphml>'


def city(name: str, table: str) -> dict[str, str]:
    """A folder of GMNS tables with another of this name."""
    return {f"city/{key}": text for key, text in (GMNS | {name: table}).items()}


def streets(rows: int) -> dict[str, str]:
    """A TNTP network whose traffic has so many rows."""
    return {
        "city/x_net.tntp": NET.format(nodes="2", links="2"),
        "city/x_flow.tntp": "From To Volume\n" + rows * "1 2 3\n",
        "city/x_trips.tntp": TRIPS,
    }


HEAD = "link_id,from_node_id,to_node_id,d,volume\n"
WORST: dict[str, tuple[str, Callable[[], dict[str, str]]]] = {
    "matpower cells": ("grid.m", lambda: {"grid.m": matrix()}),
    "raw rows": ("grid.raw", lambda: {"grid.raw": RAW.format(body=ROWS // 2 * "1,'A',1,1\n")}),
    "json objects": ("grid.json", lambda: {"grid.json": objects()}),
    "gmns rows": ("city", lambda: city("node.csv", "node_id\n" + ROWS * "10\n")),
    "gmns cells": ("city", lambda: city("link.csv", HEAD + CELLS // 5 * "10,11,12,13,14\n")),
    "tntp rows": ("city", lambda: streets(ROWS)),
    "graph nodes": ("g.graphml", lambda: {"g.graphml": nodes(), **BESIDE}),
}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", WORST)
def test_the_worst_that_is_read(name: str, forge: Forge, tmp_path: Path) -> None:
    source, make = WORST[name]
    size = 0
    for file, text in make().items():
        place = tmp_path / file
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, "utf-8")
        size += len(text)
    ended = forge.run("solve", source, at=tmp_path, memory=16 * GB, seconds=3000)
    sys.stdout.write(
        f"\n{name}: {size / 1e6:.0f} MB, peak {ended.peak / 1e9:.1f} GB, {ended.seconds:.0f} s, "
        f"exit {ended.code}, {ended.err[:120]}"
    )
    shutil.rmtree(tmp_path)  # these are large
    assert not ended.hung
    assert ended.code in (1, 3)
    assert "internal error" not in ended.err
    assert ended.peak < MEMORY
    assert ended.seconds < SECONDS
