# SPDX-License-Identifier: MIT
"""Files that were made to harm whoever reads them, for every reader; and what must be said of them.

Each entry makes files in a folder and names what is read; the words are part of the error, which is
one sentence with the place. ``None`` for words means that the file is good and must read.
"""

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tests.conftest import RICH

TOWN = (Path(__file__).parents[2] / "docs" / "tutorial" / "town.water").read_text("utf-8")
MATPOWER = RICH.read_text("utf-8")
NET = (
    "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> {nodes}\n<FIRST THRU NODE> 1\n"
    "<NUMBER OF LINKS> {links}\n<END OF METADATA>\n"
    "1 2 1 1 1 0 0 0 0 0;\n2 1 1 1 1 0 0 0 0 0;\n"
)
FLOW = "From To Volume\n1 2 3\n2 1 3\n"
TRIPS = "<END OF METADATA>\nOrigin 1\n2 : 5;\n"
GMNS = {
    "node.csv": "node_id\n1\n2\n",
    "link.csv": "link_id,from_node_id,to_node_id,d,volume\n1,1,2,3,4\n2,2,1,3,4\n",
    "demand.csv": "o_zone_id,d_zone_id\n1,2\n",
    "network.json": '{"gamma": 0.01}',
}
RAW = "0, 100.0, 33, 0, 0, 60.0\n\n\n{body}\n" + 6 * "0 /\n" + "Q\n"
GRAPH = (
    '<?xml version="1.0"?>{head}<graphml><key id="l" attr.name="length"/><graph>{nodes}'
    '<node id="1"/><node id="2"/><edge source="1" target="2" id="{key}"><data key="l">1</data>'
    '</edge><edge source="2" target="1"><data key="l">{length}</data></edge></graph></graphml>'
)
BESIDE = {
    "g_traffic.csv": "u,v,volume\n1,2,3\n2,1,3\n",
    "g_trips.csv": "origin,destination\n1,2\n",
    "network.json": '{"gamma": 0.01}',
}
LAUGHS = "".join(f'<!ENTITY a{k} "{10 * f"&a{k - 1};"}">' for k in range(1, 20))
Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Hostile:
    """Files, the words of a command that reads them, and what it must say."""

    words: tuple[str, ...]
    said: str | None
    files: Callable[[], Files]
    make: Callable[[Path], object] | None = None

    def put(self, folder: Path) -> None:
        """Make the files."""
        folder.mkdir(exist_ok=True)
        for name, data in self.files().items():
            place = folder / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(data.encode() if isinstance(data, str) else data)
        if self.make:
            self.make(folder)


def grid(said: str | None, text: str | bytes | Callable[[], str], suffix: str = ".m") -> Hostile:
    """A file of a power grid."""
    name = f"grid{suffix}"
    return Hostile(("solve", name), said, lambda: {name: text() if callable(text) else text})


def city(said: str | None, **tables: str | bytes | Callable[[], str]) -> Hostile:
    """A folder of GMNS tables, one of them changed."""

    def files() -> Files:
        changed = {name.replace("_", "."): data for name, data in tables.items()}
        made = {k: d() if callable(d) else d for k, d in (GMNS | changed).items()}
        return {f"city/{name}": data for name, data in made.items()}

    return Hostile(("solve", "city"), said, files)


def tntp(
    said: str | None,
    nodes: str = "2",
    links: str = "2",
    flow: str | Callable[[], str] = FLOW,
    trips: str | Callable[[], str] = TRIPS,
) -> Hostile:
    """A folder of TNTP files."""

    def files() -> Files:
        return {
            "city/x_net.tntp": NET.format(nodes=nodes, links=links),
            "city/x_flow.tntp": flow() if callable(flow) else flow,
            "city/x_trips.tntp": trips() if callable(trips) else trips,
            "city/network.json": GMNS["network.json"],
        }

    return Hostile(("solve", "city"), said, files)


def graph(
    said: str | None,
    text: str | bytes | Callable[[], str] = "",
    *,
    head: str = "",
    nodes: str = "",
    key: str = "0",
    length: str = "1",
) -> Hostile:
    """A street graph with its tables beside it."""

    def files() -> Files:
        filled = GRAPH.format(head=head, nodes=nodes, key=key, length=length)
        made = text() if callable(text) else text
        return {"g.graphml": made or filled, **BESIDE}

    return Hostile(("solve", "g.graphml"), said, files)


def release(said: str | None, flag: str, name: str, text: str | bytes) -> Hostile:
    """A file beside a grid, given by a flag."""
    return Hostile((*FLAGS.split(), flag, name), said, lambda: {"rich.m": MATPOWER, name: text})


def policy(said: str | None, text: str | bytes) -> Hostile:
    """A policy file."""
    return release(said, "--policy", "own.toml", text)


def study(said: str | None, text: str | bytes) -> Hostile:
    """A study file."""
    return Hostile(("study", "own.toml", "-o", "results"), said, lambda: {"own.toml": text})


def strange(words: str, said: str, make: Callable[[Path], object]) -> Hostile:
    """Something in a file's place."""
    return Hostile(tuple(words.split()), said, lambda: {"rich.m": MATPOWER}, make)


DEVICE = "is a pipe or a device; save it as a file and name that"
LARGE = "is larger than {} MiB, and no more is read of one file"
LINES, CELLS = "has more than 10,000,000 lines", "has more than 25,000,000 cells"
FLAGS = "release rich.m -o out.m --cost-figure 2690.8 --ledger l.sqlite --quiet"


def sparse(folder: Path, name: str, size: int) -> None:
    """Make a file that claims a size and fills no disk."""
    (folder / name).parent.mkdir(exist_ok=True)
    with (folder / name).open("wb") as file:
        file.truncate(size)


def bind(place: Path) -> None:
    """Leave a socket behind."""
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(place))


def _places() -> Iterator[tuple[str, Hostile]]:
    """Yield what stands in a file's place."""
    for name, words in (
        ("f.m", "solve f.m"),
        ("f.raw", "solve f.raw"),
        ("f.json", "solve f.json"),
        ("f.toml", f"{FLAGS} --policy f.toml"),
        ("f.csv", f"{FLAGS} --costs f.csv"),
        ("f.only", f"{FLAGS} --only f.only"),
        ("s.toml", "study s.toml -o results"),
    ):
        yield f"pipe {name}", strange(words, DEVICE, lambda at, n=name: os.mkfifo(at / n))
        yield (
            f"zeros {name}",
            strange(words, DEVICE, lambda at, n=name: (at / n).symlink_to("/dev/zero")),
        )
        yield f"socket {name}", strange(words, f"{name}: ", lambda at, n=name: bind(at / n))
        yield (
            f"loop {name}",
            strange(words, f"{name}: ", lambda at, n=name: (at / n).symlink_to(at / n)),
        )
        yield f"folder {name}", strange(words, f"{name}: ", lambda at, n=name: (at / n).mkdir())
        most = 1 if name.endswith("toml") else 256
        large = LARGE.format(most)
        yield (
            f"1 GB {name}",
            strange(words, large, lambda at, n=name: sparse(at, n, 10**9)),
        )
        yield f"1 TB {name}", strange(words, large, lambda at, n=name: sparse(at, n, 10**12))


def _tables() -> Iterator[tuple[str, Hostile]]:
    """Yield what stands in the place of a table in a folder."""
    for name in ("node.csv", "demand.csv", "network.json", "config.csv"):
        inside = f"city/{name}"
        made = city("")

        def piped(at: Path, inside: str = inside) -> None:
            (at / inside).unlink(missing_ok=True)
            os.mkfifo(at / inside)

        def zeros(at: Path, inside: str = inside) -> None:
            (at / inside).unlink(missing_ok=True)
            (at / inside).symlink_to("/dev/zero")

        yield f"pipe {name}", Hostile(made.words, DEVICE, made.files, piped)
        yield f"zeros {name}", Hostile(made.words, DEVICE, made.files, zeros)
        yield (
            f"1 GB {name}",
            Hostile(
                made.words, LARGE.format(256), made.files, lambda at, i=inside: sparse(at, i, 10**9)
            ),
        )
    yield (
        "2 GB graphml",
        Hostile(
            ("solve", "g.graphml"),
            "is larger than 1,024 MiB",
            lambda: dict(BESIDE),
            lambda at: sparse(at, "g.graphml", 2 * 10**9),
        ),
    )


def _claims() -> Iterator[tuple[str, Hostile]]:
    """Yield what a header claims."""
    for nodes in ("1000000000", "1" * 18, "9" * 5000, "-2", "1e9", "2.0", ""):
        yield f"tntp nodes {nodes[:12]}", tntp("<NUMBER OF NODES> must be a whole number up", nodes)
    yield "tntp words", tntp("row 2", flow=FLOW.replace("1 2 3", "1 2 1_000"))
    yield "tntp links", tntp("states 9999999999999999 links", links="9" * 5000)
    for bus in ("1000000000000000000", "9" * 5000, "-1", "1e999", "0.5", "1" * 17):
        text = MATPOWER.replace("\t1\t3\t0", f"\t{bus}\t3\t0")
        yield f"matpower bus {bus[:12]}", grid("grid.m", text)
        yield f"raw bus {bus[:12]}", grid("grid.raw", RAW.format(body=f"{bus},'A',1"), ".raw")
        yield f"gmns node {bus[:12]}", city("city", node_csv=f"node_id\n{bus}\n2\n")
    yield (
        "gencost n",
        grid("n asks for more", MATPOWER.replace("\t2\t0\t0\t3\t", "\t2\t0\t0\t999999999\t")),
    )
    yield "raw revision", grid("grid.raw", "0, 100.0, " + 5000 * "9" + "\n", ".raw")


def _numbers() -> Iterator[tuple[str, Hostile]]:
    """Yield numbers."""
    for number in ("1e999", "-1e999", "9" * 100_000, "nan", "inf", "1e-999", "0x10", "1_0"):
        if number != "1e-999":
            yield f"pmax {number[:8]}", grid("gen row 2", MATPOWER.replace("240.17", number))
            table = GMNS["link.csv"].replace("3,4", f"3,{number}")
            yield f"volume {number[:8]}", city("column volume", link_csv=table)
        said = {"1e-999": None, "nan": "is missing"}.get(number, "column length")
        yield f"length {number[:8]}", graph(said, length=number)
    yield "gamma", city("is not JSON", network_json='{"gamma": ' + 5000 * "9" + "}")
    yield "gamma nan", city("gamma must be", network_json='{"gamma": NaN}')
    yield "key", graph(None, key=5000 * "9")
    yield "key 30", graph(None, key=30 * "9")
    yield "toml digits", policy("own.toml", "[constants]\npmin_ratio = " + 5000 * "1")
    yield "toml hex", policy("pmin_ratio", "[constants]\npmin_ratio = 0x" + 10_000 * "f")
    yield (
        "json digits",
        grid("is not JSON", '{"baseMVA":1,"bus":{"1":' + 5000 * "9" + "}}", ".json"),
    )


def _nesting() -> Iterator[tuple[str, Hostile]]:
    """Yield what is nested."""
    for deep in (1_000, 1_000_000):
        yield f"json {deep} lists", grid("is not JSON", deep * "[", ".json")
        yield f"json {deep} objects", grid("is not JSON", deep * '{"a":', ".json")
        yield f"json {deep} closed", grid("grid.json", deep * "[" + deep * "]", ".json")
        yield f"network.json {deep}", city("network.json", network_json=deep * "[" + deep * "]")
        yield f"xml {deep}", graph("nests deeper than 100", nodes=deep * "<a>" + deep * "</a>")
        yield f"matpower {deep} brackets", grid("not closed", deep * "mpc.bus = [")
    yield "toml lists", policy("nests too deep", "base = " + 100_000 * "[")
    yield "toml tables", policy("nests too deep", "base = " + 100_000 * "{a=")
    yield "toml keys", policy("unknown key", "[a" + 2_000 * ".a" + "]\n")
    yield "study lists", study("nests too deep", "title = " + 100_000 * "[")
    yield "many faults", policy("unknown key", "".join(f"a{i} = 1\n" for i in range(50_000)))


def _xml() -> Iterator[tuple[str, Hostile]]:
    """Yield what XML can do."""
    yield (
        "laughs",
        graph("document type", head=f'<!DOCTYPE g [<!ENTITY a0 "ha">{LAUGHS}]>', length="&a19;"),
    )
    yield (
        "quadratic",
        graph(
            "document type",
            head=f'<!DOCTYPE g [<!ENTITY a "{"a" * 50_000}">]>',
            length=50_000 * "&a;",
        ),
    )
    for place in ("file:///etc/passwd", "http://127.0.0.1:9/forbidden", "forbidden.dtd"):
        yield f"external {place}", graph("document type", head=f'<!DOCTYPE g SYSTEM "{place}">')
        entity = f'<!DOCTYPE g [<!ENTITY x SYSTEM "{place}">]>'
        yield f"entity {place}", graph("document type", head=entity, length="&x;")
        parameter = f'<!DOCTYPE g [<!ENTITY % x SYSTEM "{place}">%x;]>'
        yield f"parameter {place}", graph("document type", head=parameter)
        include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{place}"/>'
        yield f"include {place}", graph(None, nodes=include)
    yield "undeclared", graph("is not XML", length="&x;")
    yield (
        "encoding",
        graph("names no encoding", b'<?xml version="1.0" encoding="nowhere"?><graphml/>'),
    )
    yield (
        "attributes",
        graph(
            "a tag is longer",
            lambda: "<graphml " + " ".join(f'a{i}="b"' for i in range(700_000)) + "/>",
        ),
    )
    yield "one attribute", graph("a tag is longer", lambda: f'<graphml a="{"b" * 6_000_000}"/>')
    yield "gzip", graph("is not XML", _gzip(b"<graphml/>" * 1000))
    yield "gzip bomb", graph("is not XML", _gzip(bytes(10**8)))
    yield "zip bomb", graph("is not XML", _zip(bytes(10**8)))
    yield "gzip of a grid", grid("is not a text file", _gzip(MATPOWER.encode()))
    yield "gzip of a table", city("is not a text file", node_csv=_gzip(GMNS["node.csv"].encode()))


def _encodings() -> Iterator[tuple[str, Hostile]]:
    """Yield encodings."""
    for name, coding in (("utf-16", "utf-16"), ("utf-16-be", "utf-16-be"), ("utf-32", "utf-32")):
        yield f"grid {name}", grid("is not a text file", MATPOWER.encode(coding))
        yield f"table {name}", city("is not a text file", node_csv=GMNS["node.csv"].encode(coding))
        yield f"policy {name}", policy("is not TOML", "base = 'unit'".encode(coding))
    yield (
        "graph utf-16",
        graph(None, GRAPH.format(head="", nodes="", key="0", length="1").encode("utf-16")),
    )
    yield "nul", grid("is not a text file", MATPOWER + "\0")
    yield "nul in a table", city("is not a text file", node_csv="node_id\n1\0\n2\n")
    yield "nul in a graph", graph("is not XML", length="1\0")
    yield "nul in toml", policy("is not TOML", "base = 'unit\0'")
    yield "bom", grid(None, b"\xef\xbb\xbf" + MATPOWER.encode())
    yield "bom in a table", city(None, node_csv=b"\xef\xbb\xbf" + GMNS["node.csv"].encode())
    yield "latin-1", grid(None, MATPOWER.encode() + b"% \xe9\xff\n")
    yield "latin-1 in a table", city(None, node_csv=b"node_id,name\n1,\xe9\n2,\xff\n")
    yield "latin-1 in toml", policy("not UTF-8", b"base = '\xe9'")
    yield "cr", grid(None, MATPOWER.replace("\n", "\r"))
    yield "crlf", grid(None, MATPOWER.replace("\n", "\r\n"))
    yield "cr in a table", city(None, node_csv=GMNS["node.csv"].replace("\n", "\r"))


def _twice() -> Iterator[tuple[str, Hostile]]:
    """Yield what stands twice."""
    yield "field twice", grid("is set a second time", MATPOWER + "\nmpc.baseMVA = 1;\n")
    yield "column twice", city("stands twice in the header", node_csv="node_id,node_id\n1,1\n2,2\n")
    yield "link twice", city("stands more than once", link_csv=GMNS["link.csv"] + "2,2,1,3,4\n")
    yield "node twice", graph("stands more than once", nodes='<node id="1"/>')
    yield "key twice", policy("is not TOML", "base = 'unit'\nbase = 'unit'\n")
    yield "member twice", grid("stands twice", '{"baseMVA":1,"baseMVA":1,"bus":{}}', ".json")


def _dear() -> Iterator[tuple[str, Hostile]]:
    """Yield what is cheap to write and dear to read."""
    yield "lines", city(LINES, node_csv=lambda: "node_id\n" + 10_000_000 * "\n")
    yield "rows", grid(LINES, lambda: "mpc.bus = [" + 10_000_001 * "1;" + "];")
    yield "cells", grid(CELLS, lambda: "mpc.bus = [" + 12_500_000 * "1 " + 12_500_001 * "1," + "];")
    yield "empty objects", grid(CELLS, lambda: "[" + 25_000_001 * "{}," + "{}]", ".json")
    yield (
        "columns",
        city("more than 10,000 columns", node_csv=lambda: "node_id" + 10_000 * "," + "\n"),
    )
    yield (
        "origins",
        tntp("more blocks of an Origin", trips=lambda: TRIPS + 10_000 * "Origin 1\n"),
    )
    yield (
        "quoted",
        city("is not comma-separated", node_csv=lambda: 'node_id\n"' + 200_000 * "a" + '"\n'),
    )
    yield (
        "raw quoted",
        grid("grid.raw", lambda: RAW.format(body="1,'" + 200_000 * "A" + "',1"), ".raw"),
    )
    yield (
        "costs quoted",
        release("own.csv", "--costs", "own.csv", 'bus,c2,c1,c0\n"' + 200_000 * "1"),
    )


def _gzip(data: bytes) -> bytes:
    """Pack bytes."""
    import gzip

    return gzip.compress(data)


def _zip(data: bytes) -> bytes:
    """Pack bytes into an archive."""
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("g.graphml", data)
    return packed.getvalue()


def _water() -> Iterator[tuple[str, Hostile]]:
    """Yield what a kind on ``pocin.simple`` meets: the tutorial's."""
    first = '"junctions": [ [1, '
    for name, old, new, said in (
        ("id 1e18", first, '"junctions": [ [1000000000000000000, ', "an id is no whole number"),
        ("id digits", first, '"junctions": [ [' + 5000 * "9" + ", ", "must be JSON"),
        ("id 1e999", first, '"junctions": [ [1e999, ', "not finite"),
        ("nan", first, '"junctions": [ [NaN, ', "not finite"),
        ("deep", first, '"junctions": [ [' + 100_000 * "[", "must be JSON"),
        ("deep beside", first, '"more": ' + 900 * "[" + 900 * "]" + ", " + first, None),
        ("nul", first, "\0" + first, "must be JSON"),
        ("bom", "{", "\ufeff{", None),
    ):
        text = " ".join(TOWN.split()).replace(old, new, 1)
        assert new in text
        yield f"water {name}", Hostile(("solve", "t.water"), said, lambda t=text: {"t.water": t})
    solve = "solve t.water"
    yield "water pipe", strange(solve, DEVICE, lambda at: os.mkfifo(at / "t.water"))
    zeros = strange(solve, DEVICE, lambda at: (at / "t.water").symlink_to("/dev/zero"))
    yield "water zeros", zeros
    large = LARGE.format(256)
    yield "water 1 GB", strange(solve, large, lambda at: sparse(at, "t.water", 10**9))


CATALOGUE = dict(
    chain(
        _places(),
        _tables(),
        _claims(),
        _numbers(),
        _nesting(),
        _xml(),
        _encodings(),
        _twice(),
        _dear(),
        _water(),
    )
)
