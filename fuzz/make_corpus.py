# SPDX-License-Identifier: MIT
"""Write ``fuzz/corpus``: small valid inputs, cut out of the built-in cases and the test grid.

Every capacity, reactive limit, unit cost and traffic is one of the planted numbers 7919.31 to
7919.39, which no error may tell. Grids have 2 to 5 buses, cities 3 to 5 links.
"""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fuzz.documents import pack
from fuzz.targets import CORPUS
from pocin.power.files import read_grid
from pocin.power.matpower import format_matpower
from pocin.roads import gmns, tntp_form
from pocin.roads.files import read_roads
from pocin.roads.network import NO_ZONE, Roads
from pocin.roads.network import Units as RoadUnits

if TYPE_CHECKING:
    from pocin.power.grid import Grid, Units

RICH = Path(__file__).parents[1] / "tests" / "data" / "rich.m"
COSTS = b"bus,c2,c1,c0\n1,0.01,7919.35,0\n2,0.02,7919.36,5\n3,0.02,7919.37,5\n6,0,7919.38,0\n"
PER_UNIT = re.compile(rb"79\.193(\d)\d*")  # a planted number, as PowerModels writes it


def planted(values: np.ndarray) -> np.ndarray:
    """Put planted numbers in the place of all that are not zero, with their signs."""
    marks = 7919.31 + 0.01 * (np.arange(len(values)) % 9)
    return np.round(np.where(values == 0, 0.0, np.copysign(marks, values)), 2)


def cut(grid: Grid, buses: list[int]) -> Grid:
    """Return the part of a grid that these buses hold, with planted numbers."""
    branches = grid.branches
    inside = np.isin(branches.from_bus, buses) & np.isin(branches.to_bus, buses)
    held = np.isin(grid.units.bus, buses)
    units: Units = grid.units.take(held)
    units = replace(
        units, **{name: planted(getattr(units, name)) for name in ("pmax", "qmax", "qmin", "pg")}
    )
    return replace(
        grid,
        buses=grid.buses.take(np.isin(grid.buses.id, buses)),
        branches=branches.take(inside),
        units=units,
        costs=grid.costs.take(held),
        notes=(),
    )


def grids() -> dict[str, Grid]:
    """Return small grids: two plain ones and one with all that a grid may have."""
    plain, rich = read_grid("ieee14")[0], read_grid(RICH)[0]
    return {
        "two": cut(plain, [1, 2]),
        "three": cut(plain, [1, 2, 3]),
        "rich": cut(rich, [1, 2, 3, 4, 15]),
        "condensers": cut(rich, [1, 5, 6, 12, 13]),
    }


def matpower() -> dict[str, bytes]:
    """Return cases as pocin writes them, one as people do, and one with costs in a table."""
    made = {
        name: pack({"grid.m": format_matpower(grid, ["a header"], name).encode()})
        for name, grid in grids().items()
    }
    two = grids()["two"]
    uncosted = format_matpower(replace(two, costs=two.costs.take(np.zeros(0, int))), [], "two")
    costs = b"bus,c2,c1,c0\n1,0.01,7919.35,0\n2,0.02,7919.36,5\n"
    made["table"] = pack({"grid.m": uncosted.encode(), "costs.csv": costs})
    made["hand"] = pack({"grid.m": HAND.encode()})
    return made


HAND = """function mpc = hand
%% a case as people write it
mpc.version = '2'; mpc.baseMVA = 1e2;
%{
mpc.bus = [];
%}
mpc.bus = [
 1, 3, 0, 0, 0, 0, 1, 1.0, 0, 230, 1, 1.1, 0.9; % the first
 2 1 50 10 ...
 0 19 1 1 0 230 1 1.1 .9
];
mpc.gen = [1 20 0 7919.31 -7919.32 1 100 1 7919.33 0 0 0 0 0 0 0 0 0 0 0 0];
mpc.gencost = [
 1 0 0 2 0 0 7919.34 7919.35
 2 0 0 2 0 0 0 0 ];
mpc.branch = [ 1 2 .01 +0.1 0 0 0 0 0.98 -30 1; ];
mpc.bus_name = { 'One %'; "Two ]" };
mpc.dcline = [];
"""


def foreign() -> dict[str, dict[str, bytes]]:
    """Return RAW, PowerModels and pandapower files of the small grids, as powerio writes them."""
    import powerio

    made: dict[str, dict[str, bytes]] = {"raw": {}, "powermodels": {}, "pandapower": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, grid in grids().items():
            case = Path(folder, "case.m")
            case.write_text(format_matpower(grid, [], name), "utf-8")
            costs = COSTS if name != "rich" else COSTS + b"4,0,7919.31,0\n"
            held = {line.split(b",")[0] for line in costs.splitlines()[1:]}
            here = {str(bus).encode() for bus in grid.units.bus}
            lines = [line for line in costs.splitlines() if line.split(b",")[0] in here | {b"bus"}]
            lines += [b"%s,0.01,7919.39,1" % bus for bus in sorted(here - held)]
            table = b"\n".join(lines) + b"\n"
            for kind, target, file, beside in (
                ("psse", "raw", "grid.raw", True),
                ("powermodels-json", "powermodels", "grid.json", False),
                ("pandapower-json", "pandapower", "grid.json", name != "two"),
            ):
                path = Path(folder, file)
                if kind == "pandapower-json" and name == "rich":
                    continue  # its curves of lines come out with a column type that is none
                path.unlink(missing_ok=True)
                powerio.emit(powerio.parse(str(case)), kind, str(path))
                text = path.read_bytes()
                if kind.endswith("json"):
                    text = PER_UNIT.sub(rb"7919.3\1", short(text))
                made[target][name] = pack({file: text} | ({"costs.csv": table} if beside else {}))
    return made


def short(text: bytes) -> bytes:
    """Write JSON without tables that have no row, a row a line."""
    data = json.loads(text)
    tables = data.get("_object", {})
    for name, held in list(tables.items()):
        if isinstance(held, dict) and '"data":[]' in str(held.get("_object")):
            del tables[name]
    return json.dumps(data, separators=(",", ":")).replace("},", "},\n").encode()


def small_city() -> Roads:
    """Return four nodes of Sioux Falls with the links between them, traffic planted."""
    city = read_roads("siouxfalls")[0]
    ids = [1, 2, 3, 6]
    links = city.links
    inside = np.flatnonzero(np.isin(links.tail, ids) & np.isin(links.head, ids))[:6]
    kept = links.take(inside)
    trips = city.trips
    pairs = np.flatnonzero(np.isin(trips.origin, ids) & np.isin(trips.destination, ids))[:3]
    some = trips.take(pairs)
    return replace(
        city,
        nodes=city.nodes.take(np.isin(city.nodes.id, ids)),
        links=replace(kept, volume=planted(kept.volume)),
        trips=replace(some, volume=planted(np.ones(len(some)))),
        notes=(),
    )


def roads() -> dict[str, dict[str, bytes]]:
    """Return GMNS folders and TNTP files."""
    city = small_city()
    bare = replace(
        city,
        nodes=replace(city.nodes, zone=np.full(len(city.nodes), NO_ZONE)),
        trips=replace(city.trips, volume=np.full(len(city.trips), np.nan)),
    )
    stated = b'{"gamma": 0.01, "units": {"time": "min", "length": "km", "volume": "veh/h"}}\n'
    said = b'{"parameters": {"gamma": 2, "reading": "per-trip"}}\n'
    long = {**gmns.write(city), "config.csv": b"id,long_length\n1,mile\n"}
    lean = gmns.write(bare)
    lean["link.csv"] = LEAN
    numbered = replace(
        city, nodes=replace(city.nodes, id=np.arange(1, 5), zone=np.array([1, 2, -1, -1]))
    )
    numbered = replace(
        numbered,
        nodes=replace(numbered.nodes, no_through=np.array([True, False, False, False])),
        links=replace(
            city.links,
            tail=np.searchsorted(city.nodes.id, city.links.tail) + 1,
            head=np.searchsorted(city.nodes.id, city.links.head) + 1,
        ),
        trips=replace(
            city.trips.take(np.arange(1)), origin=np.array([1]), destination=np.array([2])
        ),
        units=RoadUnits("min", "m", "veh"),
        gamma=0.5,
        form="tntp",
    )
    files = {
        name.replace("released", "net"): text
        for name, text in tntp_form.write(numbered, ("a header",)).items()
    }
    untimed = files | {
        "net_net.tntp": files["net_net.tntp"].replace(b"~ a header", b"~ length (km)")
    }
    untimed.pop("net_node.tntp", None)
    return {
        "gmns": {
            "stated": pack({**gmns.write(city), "network.json": stated}),
            "released": pack({**gmns.write(bare), "release.json": said}),
            "long": pack(long),
            "lean": pack(lean),
        },
        "tntp": {"whole": pack(files), "stated": pack({**untimed, "network.json": stated})},
        "graphml": {
            "timed": pack(
                {"city.graphml": _graph(timed=True), "traffic.csv": TRAFFIC, "trips.csv": PAIRS}
            ),
            "long": pack(
                {"city.graphml": _graph(timed=False), "traffic.csv": KEYED, "trips.csv": WEIGHED}
            ),
            "hours": pack(
                {"city.graphml": _graph(timed=True), "traffic.csv": _hours(), "trips.csv": PAIRS}
            ),
        },
    }


LEAN = b"""from_node_id,to_node_id,directed,length,volume,name
1,2,true,6,7919.31,first
2,6,1,5,7919.32,"a, b"
6,2,t,5.5,7919.33,
2,1,yes,6,7919.34,
1,3,true,4,7919.35,x
3,1,true,4,7919.36,x
"""
TRAFFIC = b"u,v,volume\n11,-7,7919.31\n-7,4,7919.32\n4,11,7919.33\n"
KEYED = b"u,v,key,volume\n11,-7,0,7919.31\n-7,4,0,7919.32\n4,11,0,7919.33\n"
PAIRS = b"origin,destination\n11,4\n-7,11\n"
WEIGHED = b"origin,destination,volume\n11,4,7919.34\n-7,11,7919.35\n"


def _hours() -> bytes:
    """Return traffic by the hour."""
    ends = ("11,-7", "-7,4", "4,11")
    rows = [f"{pair},{hour},7919.3{1 + hour % 9}" for pair in ends for hour in range(24)]
    return "\n".join(["u,v,hour,volume", *rows, ""]).encode()


def _graph(*, timed: bool) -> bytes:
    """Return a graph of three edges."""
    time = '<data key="t">9.25</data>' if timed else ""
    edges = "".join(
        f'<edge source="{u}" target="{v}" id="0"><data key="l">{length}</data>{time}</edge>\n'
        for u, v, length in ((11, -7, 120.5), (-7, 4, 80), (4, 11, 10.0))
    )
    nodes = (
        "".join(
            f'<node id="{node}"><data key="x">-83.7{node}</data><data key="y">42.25</data></node>\n'
            for node in (11, -7, 4)
        )
        .replace("--", "-")
        .replace(".7-", ".7")
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="t" for="edge" attr.name="travel_time" attr.type="string"/>\n'
        '<key id="l" for="edge" attr.name="length" attr.type="string"/>\n'
        '<key id="x" for="node" attr.name="x" attr.type="string"/>\n'
        '<key id="y" for="node" attr.name="y" attr.type="string"/>\n'
        f'<graph edgedefault="directed">\n{nodes}{edges}</graph>\n</graphml>\n'
    ).encode()


def policies() -> dict[str, bytes]:
    """Return policy files of both kinds."""
    power = (
        b"base = 'derived'\n\n[columns]\n\"gen.Pmin\" = 'moves'\n\n[constants]\npmin_ratio = 0.1\n"
        b"qmax_slope = 0.5\nqmax_offset = 10\nsurcharge = 40\n"
    )
    return {
        "power": pack({"power.toml": power}),
        "unit": pack({"power.toml": b"base = 'unit'\n"}),
        "roads": pack({"roads.toml": b"base = 'demand'\n[constants]\ncap = 1_000.0\n"}),
    }


def water() -> dict[str, bytes]:
    """Return two towns."""
    town = b"""{"junctions": [[1, 0], [2, 40.5], [3, 60]],
 "pipes": [[1, 2, 100, 80], [2, 3, 50, 80]],
 "wells": [[1, 7919.31, 2], [3, 7919.32, 5]]}
"""
    ring = b"""{"junctions": [[1, 0], [2, 40]], "about": ["a"],
 "pipes": [[1, 2, 100, 80], [2, 1, 1.5, 1e2]],
 "wells": [[1, 7919.33, 2], [1, 7919.34, 0.5], [2, 0, 1]]}
"""
    return {"town": pack({"town.water": town}), "ring": pack({"town.water": ring})}


def commands() -> dict[str, bytes]:
    """Return command lines that come as far as their work, each beside the same small files."""
    files = {
        "grid.m": HAND.encode(),
        "costs.csv": b"bus,c2,c1,c0\n1,0.01,7919.35,0\n",
        "own.toml": b"base = 'unit'\n",
        "only.txt": b"1\n",
        "times.csv": b"o_zone_id,d_zone_id,time\n1,2,7919.36\n",
    }
    lines = {
        "release": "release grid.m -o out.m --cost-figure 2690.8 --ledger l.sqlite --quiet",
        "dry": "release grid.m --dry-run --cost-figure 2690.8 --policy own.toml --json",
        "research": "release grid.m -o out.m --research --seed 3 --cost-figure 9 --only only.txt",
        "costs": "release grid.m --dry-run --costs costs.csv --cost-figure 10 --alpha-value 0.1pu",
        "open": "ledger open grid.m --budget 3 --ledger l.sqlite",
        "cases": "cases --json",
        "solve": "solve grid.m --model dc",
        "attack": "attack grid.m grid.m --budget 10%",
        "audit": "audit grid.m --epsilon 2",
    }
    return {
        name: pack({**files, "words": line.replace(" ", "\n").encode()})
        for name, line in lines.items()
    }


def main() -> None:
    """Write everything."""
    for target, cases in (
        {"matpower": matpower(), "policy": policies(), "water": water(), "commands": commands()}
        | foreign()
        | roads()
    ).items():
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for name, data in cases.items():
            (CORPUS / target / f"{name}.case").write_bytes(data)


if __name__ == "__main__":
    main()
