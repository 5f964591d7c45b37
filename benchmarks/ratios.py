# SPDX-License-Identifier: MIT
"""What the product costs in ratios, on one page, and a warning where one got worse.

    OMP_NUM_THREADS=1 python benchmarks/ratios.py [--keep] [--strict] [--only WORD]

Each ratio sets a piece of work of the product against a yardstick that it does not contain, or
that anybody knows: one AC-OPF of the same grid, scipy's Dijkstra, an empty Python. Both are
processor seconds of the same run, taken in turns, so that a slow or busy machine cancels out. A
ratio that is more than a fifth worse than the one kept in ``ratios.json`` is measured again, and
if it stays so, it is a warning (exit 1 with ``--strict``). The page is ``docs/ratios.md``;
``--keep`` takes the new ratios for the ones to hold.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from pypower.api import case57, ppoption, runopf
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tables import ROOT, children, median, seconds, table

import pocin
from pocin import attack
from pocin.power import opf
from pocin.power.matpower import format_matpower, parse_matpower
from pocin.privacy.noise import SeededNoise
from pocin.privacy.proposals import Proposals
from pocin.privacy.settings import Radius
from pocin.report.page import public_page
from pocin.report.released import read_released
from pocin.roads.city import make_city
from pocin.roads.columns import BOOK
from pocin.roads.paths import TripPaths
from pocin.roads.split import split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pocin.roads.network import Roads

    Pair = tuple[Callable[[], object], Callable[[], object]]

KEPT = Path(__file__).with_name("ratios.json")
PAGE = ROOT / "docs" / "ratios.md"
WORSE = 1.2
"""A ratio may grow by so much before it is worth a word."""
TRIES = 3


@dataclass(frozen=True, eq=False)
class Ratio:
    """A piece of work and its yardstick; both are called ``repeats`` times, in turns."""

    work: str
    yardstick: str
    make: Callable[[], Pair]
    repeats: int = 7
    clock: Callable[[], float] = process_time

    @property
    def name(self) -> str:
        """What it is kept by."""
        return f"{self.work} / {self.yardstick}"

    def measure(self) -> float:
        """Return the ratio of the medians; the first call of each compiles and is left out."""
        calls = self.make()
        spent: list[list[float]] = [[], []]
        for _ in range(self.repeats + 1):
            for call, times in zip(calls, spent, strict=True):
                times.append(seconds(call, self.clock))
        work, yardstick = (median(times[1:]) for times in spent)
        return work / yardstick


@dataclass(frozen=True)
class Found:
    """A ratio as it came out, beside the one that is kept."""

    ratio: Ratio
    now: float
    kept: float | None

    @property
    def worse(self) -> bool:
        """Whether it is more than a fifth above what is kept."""
        return self.kept is not None and self.now > WORSE * self.kept

    @property
    def warning(self) -> str:
        """Say what got worse, and by how much."""
        assert self.kept is not None
        grown = 100 * (self.now / self.kept - 1)
        return f"{self.ratio.name}: {self.now:.2f}, was {self.kept:.2f} ({grown:+.0f} %)"

    @property
    def row(self) -> list[str]:
        """Return its row of the page."""
        kept = "new" if self.kept is None else f"{self.kept:.3g}"
        return [self.ratio.work, self.ratio.yardstick, f"{self.now:.3g}", kept]


def compare(ratio: Ratio, kept: Mapping[str, float]) -> Found:
    """Measure; what comes out worse is measured again, for a busy machine disturbs caches."""
    before = kept.get(ratio.name)
    found = Found(ratio, ratio.measure(), before)
    for _ in range(TRIES - 1):
        if not found.worse:
            break
        found = Found(ratio, min(found.now, ratio.measure()), before)
    return found


# What is measured.


def released(case: str, **asked: Any) -> Pair:
    """Set a release, certified, against one AC-OPF of the original."""
    network = pocin.read(case)
    seeds = iter(range(1000))
    return (
        lambda: pocin.release(network, seed=next(seeds), **asked),
        lambda: pocin.solve(network),
    )


def optimum() -> Pair:
    """Set our AC-OPF, its model built anew, against PYPOWER's interior point solver."""
    network, quiet = pocin.read("ieee57"), ppoption(VERBOSE=0, OUT_ALL=0, OPF_ALG=560)

    def ours() -> object:
        opf._model.cache_clear()  # noqa: SLF001  (a reader who solves once builds it)
        return pocin.solve(network)

    return ours, lambda: runopf(case57(), quiet)


def reading() -> Pair:
    """Set reading a case and checking it against turning its numbers into floats, and no more."""
    text = format_matpower(pocin.read("ieee300").content, (), "ieee300")
    words = [word for word in text.replace(";", " ").split() if word[0] in "-0123456789"]
    return lambda: parse_matpower(text, "ieee300"), lambda: [float(word) for word in words]


def city() -> tuple[Roads, csr_array]:
    """Return a made city and the matrix of its times without traffic."""
    roads = make_city(4_000, 4_000, 1)
    size = len(roads.nodes)
    return roads, csr_array((roads.links.d, (roads.tail, roads.head)), shape=(size, size))


def shuffled() -> Pair:
    """Set phase 1 on a city's links against Dijkstra from 200 of its nodes."""
    roads, matrix = city()
    public, _ = split(roads, BOOK.find(None), 1.0)
    hops = Radius.parse("4hops").hops(public.metric, public.node_count)
    sites = np.arange(len(public.metric))
    return (
        lambda: Proposals(public.metric, 1 / (2 * hops)).draw(sites, SeededNoise(1)),
        lambda: dijkstra(matrix, indices=np.arange(200)),
    )


def travelled() -> Pair:
    """Set the times of all trips by the contraction against scipy's from all of their origins."""
    roads, matrix = city()
    ends, trips = (roads.tail, roads.head), (roads.origins, roads.destinations)
    paths = TripPaths.of(*ends, len(roads.nodes), roads.nodes.no_through, *trips, threads=1)
    origins = np.unique(roads.origins)
    return lambda: paths.times(roads.links.d), lambda: dijkstra(matrix, indices=origins)


def faithful_city() -> Pair:
    """Set a release of a city against scipy's Dijkstra from all origins of its trips."""
    roads, matrix = city()
    network = pocin.Network(pocin.read("siouxfalls").kind, roads, "made city")
    origins = np.unique(roads.origins)
    return (
        lambda: pocin.release(network, seed=1, cost_figure="computed"),
        lambda: dijkstra(matrix, indices=origins),
    )


def attacked() -> Pair:
    """Set all attacks with one release, prepared anew, against one AC-OPF of the original."""
    network = pocin.read("ieee118")
    made = pocin.release(network, seed=1)
    solved = made.diagnostics.finished.certificate.solve

    def attacks() -> object:
        return attack.simulation(network, "10%", draws=5).release(1, made.network, solved)

    return attacks, lambda: pocin.solve(network)


def page() -> Pair:
    """Set the public page of a release against reading the file that it shows."""
    folder = Path(tempfile.mkdtemp())
    pocin.write(pocin.release(pocin.read("ieee118"), seed=1), folder / "released.m")
    released = folder / "released.m"
    return lambda: public_page([read_released(released)]), lambda: pocin.read(released)


def command(*words: str) -> Pair:
    """Set a command from a cold start against a Python that does nothing."""
    folder = tempfile.mkdtemp()

    def run(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=folder)  # noqa: S603

    return lambda: run("-m", "pocin", *words), lambda: run("-c", "pass")


OPF = "one AC-OPF of it"
RELEASE = "-o", "released.m", "--force", "--quiet", "--ledger", "ledger.sqlite"
RATIOS = (
    Ratio("AC-OPF of ieee57, built anew", "PYPOWER's interior point solver", optimum),
    Ratio("release of ieee118, certified", OPF, partial(released, "ieee118"), 15),
    Ratio("release of ieee300, certified", OPF, partial(released, "ieee300"), 11),
    Ratio("release of ieee57 under DC, proved", OPF, partial(released, "ieee57", model="dc"), 11),
    Ratio("attacks with a release of ieee118", OPF, attacked),
    Ratio("reading ieee300, checked", "float() of its numbers", reading),
    Ratio("public page of ieee118", "reading it", page),
    Ratio("shuffle of 4,000 links", "scipy's Dijkstra from 200 nodes", shuffled),
    Ratio("times of 4,000 trips", "scipy's Dijkstra from their origins", travelled),
    Ratio("release of this city, certified", "scipy's Dijkstra from all origins", faithful_city),
    Ratio("`pocin --help`", "`python -c pass`", partial(command, "--help"), clock=children),
    Ratio(
        "`pocin release ieee14`",
        "`python -c pass`",
        partial(command, "release", "ieee14", *RELEASE),
        clock=children,
    ),
)


def shown(found: Sequence[Found]) -> str:
    """Return the page."""
    rows = [one.row for one in found]
    return HEAD + "\n" + table(["work", "in units of", "ratio", "kept"], rows)


HEAD = """# Ratios

`make bench` makes this page: what a piece of work costs in units of a yardstick of the same run,
both in processor seconds of one thread, medians taken in turns. *Kept* is what
`benchmarks/ratios.json` holds; a ratio that is more than a fifth above it, three times over, is
warned of. What takes longer stands in the [benchmarks](benchmarks.md) (`make bench-all`).
"""


def main() -> int:
    """Measure, write the page, and warn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="hold the new ratios from now on")
    parser.add_argument("--strict", action="store_true", help="exit 1 where one got worse")
    parser.add_argument("--only", default="", help="those whose name has this word; no page")
    given = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    found = []
    for ratio in RATIOS:
        if given.only in ratio.name:
            found.append(compare(ratio, kept))
            print(" | ".join(found[-1].row), flush=True)
    worse = [one.warning for one in found if one.worse]
    for warning in worse:
        print(f"warning: {warning}", file=sys.stderr)
    if given.keep:
        kept |= {one.ratio.name: float(f"{one.now:.3g}") for one in found}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    if not given.only:
        PAGE.write_text(shown(found), encoding="utf-8")
    return int(given.strict and bool(worse))


if __name__ == "__main__":
    sys.exit(main())
