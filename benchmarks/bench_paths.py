# SPDX-License-Identifier: MIT
"""Shortest times of all trips under weights that change every round: ours and three packages.

    OMP_NUM_THREADS=1 python benchmarks/bench_paths.py [--rounds 3] [--quick]

Times are CPU seconds of this process, on one thread. Every package is asked for the times of the
same trips under the same new weights: ours customises and sweeps, scipy searches from all origins
and picks, igraph searches from each origin until it has reached that origin's destinations,
networkx does so from a sample of the origins, and its time is scaled up. All times found are
compared. *all nodes*: from 256 origins to every node, where nothing can be left out.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import igraph  # type: ignore[import-untyped]
import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tables import median, seconds, table

from pocin.roads.city import make_city
from pocin.roads.paths import TripPaths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pocin.arrays import Floats, Ints

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "roads"
SAMPLE = 20  # origins that networkx searches from
WIDE = 256  # origins of the comparison to all nodes


@dataclass(frozen=True, eq=False)
class City:
    """Links without parallel ones or closed zones, and trips."""

    name: str
    tail: Ints
    head: Ints
    w: Floats
    origins: Ints
    destinations: Ints

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return int(max(self.tail.max(), self.head.max())) + 1

    def ours(self, threads: int = 1) -> TripPaths:
        """Prepare our search."""
        closed = np.zeros(self.nodes, dtype=bool)
        trips = self.origins, self.destinations
        return TripPaths.of(self.tail, self.head, self.nodes, closed, *trips, threads=threads)

    def to_all(self) -> City:
        """The same streets, with trips from some of the origins to every node."""
        some = np.unique(self.origins)[:WIDE]
        ends = np.repeat(some, self.nodes), np.tile(np.arange(self.nodes), len(some))
        return City(self.name, self.tail, self.head, self.w, *ends)


def annarbor() -> City:
    """Ann Arbor's streets by length."""
    link = np.loadtxt(DATA / "annarbor" / "link.csv", delimiter=",", skiprows=1, usecols=(1, 2, 4))
    trip = np.loadtxt(DATA / "annarbor" / "demand.csv", delimiter=",", skiprows=1)
    tail, head = link[:, :2].T.astype(np.int64) - 1
    order = np.lexsort((link[:, 2], head, tail))
    kept = order[np.unique(tail[order] * (tail.max() + 1) + head[order], return_index=True)[1]]
    ends = trip[:, :2].astype(np.int64) - 1
    return City("Ann Arbor", tail[kept], head[kept], link[kept, 2], ends[:, 0], ends[:, 1])


def chicago() -> City:
    """Chicago-Sketch by free-flow time, all its pairs with trips."""
    folder = DATA / "tntp" / "Chicago-Sketch"
    rows = [line.split() for line in (folder / "ChicagoSketch_net.tntp").open()]
    link = np.array([row[:5] for row in rows if row and row[0].isdigit()], dtype=float)
    pairs, origin = [], 0
    for line in (folder / "ChicagoSketch_trips.tntp").open():
        if line.startswith("Origin"):
            origin = int(line.split()[1])
        named = re.findall(r"(\d+)\s*:\s*([\d.]+)", line)
        pairs += [(origin, int(d)) for d, volume in named if float(volume) > 0 and int(d) != origin]
    ends = np.array(pairs) - 1
    tail, head = link[:, :2].T.astype(np.int64) - 1
    return City("Chicago-Sketch", tail, head, link[:, 4], ends[:, 0], ends[:, 1])


def made(links: int, trips: int, seed: int = 1) -> City:
    """Make a city, by its free-flow times."""
    roads = make_city(links, trips, seed)
    ends = roads.positions(roads.trips.origin), roads.positions(roads.trips.destination)
    return City(f"made, {links:,} links", roads.tail, roads.head, roads.links.d, *ends)


def weights(city: City, rounds: int) -> Iterator[Floats]:
    """New weights for every round."""
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        yield city.w * rng.uniform(0.5, 1.5, len(city.w))


def by_scipy(city: City) -> Callable[[Floats], Floats]:
    """Search from all origins, 256 at a time."""
    order = np.lexsort((city.head, city.tail))
    start = np.searchsorted(city.tail[order], np.arange(city.nodes + 1))
    origins, row = np.unique(city.origins, return_inverse=True)
    by_row = np.argsort(row, kind="stable")
    cuts = np.searchsorted(row[by_row], np.arange(0, len(origins) + 256, 256))

    def times(w: Floats) -> Floats:
        graph: Any = csr_array((w[order], city.head[order], start), (city.nodes, city.nodes))
        found = np.empty(len(row))
        for i, (a, b) in enumerate(pairwise(cuts)):
            trips = by_row[a:b]
            labels = dijkstra(graph, indices=origins[256 * i : 256 * (i + 1)])
            found[trips] = labels[row[trips] - 256 * i, city.destinations[trips]]
        return found

    return times


def _of_each(city: City) -> list[tuple[int, Ints]]:
    """Every origin, and its trips."""
    order = np.argsort(city.origins, kind="stable")
    origins, first = np.unique(city.origins[order], return_index=True)
    return list(zip(origins.tolist(), np.split(order, first[1:]), strict=True))


def by_igraph(city: City) -> Callable[[Floats], Floats]:
    """Search from every origin to the destinations of its trips."""
    graph = igraph.Graph(city.nodes, np.stack((city.tail, city.head), 1), directed=True)
    groups = _of_each(city)

    def times(w: Floats) -> Floats:
        given, found = w.tolist(), np.empty(len(city.origins))
        for origin, trips in groups:
            ends, place = np.unique(city.destinations[trips], return_inverse=True)
            labels = graph.distances(origin, ends.tolist(), weights=given, algorithm="dijkstra")
            found[trips] = np.array(labels[0])[place]
        return found

    return times


def by_networkx(city: City) -> Callable[[Floats], Floats]:
    """Search from a sample of the origins; nan for the other trips."""
    graph = nx.DiGraph(zip(city.tail.tolist(), city.head.tolist(), strict=True))
    groups = _of_each(city)
    sample = groups[:: max(1, len(groups) // SAMPLE)][:SAMPLE]
    links = list(zip(city.tail.tolist(), city.head.tolist(), strict=True))

    def times(w: Floats) -> Floats:
        given, found = dict(zip(links, w.tolist(), strict=True)), np.full(len(city.origins), np.nan)
        for origin, trips in sample:
            labels = nx.single_source_dijkstra_path_length(
                graph, origin, weight=lambda a, b, _: given[a, b]
            )
            found[trips] = [labels[d] for d in city.destinations[trips].tolist()]
        return found

    return times


def timed(city: City, times: Callable[[Floats], Floats], rounds: int) -> tuple[float, list[Floats]]:
    """Return the median CPU seconds of a round, and what was found."""
    spent, found = [], []
    for w in weights(city, rounds):
        began = process_time()
        found.append(times(w))
        spent.append(process_time() - began)
    return median(spent), found


def agree(ours: list[Floats], theirs: list[Floats], name: str) -> None:
    """Stop where another package finds other times."""
    for a, b in zip(ours, theirs, strict=True):
        known = ~np.isnan(b)
        np.testing.assert_allclose(a[known], b[known], rtol=1e-13, err_msg=name)


def side_by_side(city: City, rounds: int) -> list[str]:
    """Compare the packages on the trips, and scipy to all nodes."""
    origins = len(np.unique(city.origins))
    mine, found = timed(city, city.ours().times, rounds)
    cells = [city.name, f"{len(city.w):,}", f"{origins:,}", f"{len(city.origins):,}"]
    cells.append(f"{1e3 * mine:,.1f}")
    share = min(SAMPLE, origins) / origins
    for make, scale in ((by_scipy, 1.0), (by_igraph, 1.0), (by_networkx, 1.0 / share)):
        few = 1 if make is not by_scipy else min(2, rounds)
        spent, theirs = timed(city, make(city), few)
        agree(found[:few], theirs, make.__name__)
        cells.append(f"{spent * scale:,.2f} ({spent * scale / mine:,.0f}x)")
    wide = city.to_all()
    mine, found = timed(wide, wide.ours().times, 3)
    spent, theirs = timed(wide, by_scipy(wide), 3)
    agree(found, theirs, "all nodes")
    return [*cells, f"{spent / mine:,.0f}x"]


def growth(city: City) -> list[str]:
    """How long each part of our search takes."""
    began = process_time()
    paths = city.ours()
    prepared = process_time() - began
    (w, new), every = list(weights(city, 2)), np.arange(len(city.origins))
    paths.times(w)
    paths.paths(w, every[:8])
    paths.loads(w, np.ones(len(every)))
    sweep = seconds(lambda: paths.times(new), process_time)
    rebuilt: list[Any] = []
    walk = seconds(lambda: rebuilt.append(paths.paths(new, every)), process_time)
    load = seconds(lambda: paths.loads(new, np.ones(len(every))), process_time)
    tree = paths.contraction.chordal.tree
    return [
        city.name,
        f"{len(every):,}",
        f"{len(np.unique(city.origins)):,}",
        f"{len(tree.head):,}",
        f"{len(paths.contraction.chordal.top):,}",
        *(f"{1e3 * t:,.1f}" for t in (prepared, sweep, load, walk)),
        f"{len(rebuilt[0][1]) / len(every):.0f}",
    ]


def threads(city: City) -> list[str]:
    """Wall-clock time of a round on one thread and on two, whose results must be equal."""
    spent, found = [], []
    for count in (1, 2):
        paths = city.ours(count)
        each = []
        for w in weights(city, 9):
            began = perf_counter()
            times = paths.times(w)
            each.append(perf_counter() - began)
        spent.append(median(each))
        found.append(times.tobytes())
    if found[0] != found[1]:
        raise SystemExit(f"{city.name}: two threads find other times than one")
    return [city.name, *(f"{1e3 * t:,.1f}" for t in spent), f"{spent[0] / spent[1]:.2f}x"]


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=5)
    asked.add_argument("--quick", action="store_true", help="leave the large city out")
    args = asked.parse_args()
    cities = [annarbor(), chicago()] if DATA.exists() else []
    large = made(40_000, 8_000) if not args.quick else made(5_000, 8_000)
    growth(made(3_000, 500))  # compile
    heads = ["network", "links", "origins", "trips", "ours, ms", "scipy, s", "igraph, s"]
    heads += ["networkx, s (scaled)", "all nodes: scipy/ours"]
    print(table(heads, [side_by_side(city, args.rounds) for city in (*cities, large)]))
    heads = ["network", "trips", "origins", "edges", "triangles", "prepare, ms", "times, ms"]
    heads += ["loads, ms", "all paths, ms", "links a path"]
    sizes = [(5_000, 8_000), (10_000, 8_000), (20_000, 8_000), (20_000, 32_000)]
    sizes += [] if args.quick else [(40_000, 8_000), (40_000, 32_000), (40_000, 100_000)]
    grown = [made(*size) for size in sizes]
    print(table(heads, [growth(city) for city in (*cities, *grown)]))
    heads = ["network", "one thread, ms", "two threads, ms", "ratio"]
    print(table(heads, [threads(city) for city in (*cities, grown[-1])]))


if __name__ == "__main__":
    main()
