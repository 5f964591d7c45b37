# SPDX-License-Identifier: MIT
"""Faithful roads: is every trip within beta, how near to the optimum, and at what cost.

    OMP_NUM_THREADS=1 python benchmarks/bench_roads.py             the networks of the plan below
    OMP_NUM_THREADS=1 python benchmarks/bench_roads.py --cases siouxfalls,Anaheim --seeds 3
    OMP_NUM_THREADS=1 python benchmarks/bench_roads.py --tables    what is in the cache, nothing run

Every release goes through the product's own flow, from seeds 0, 1, ...; whether it is within beta
is the certificate's word: scipy's shortest paths on the written bytes. Its row is appended to a
cache, by its settings and the version of the code, so that a stopped run goes on where it was.
Times are of the processor, all threads together, in units of one batch of scipy's Dijkstra from all
of the network's own origins, in the same process. *Proof*: Sioux Falls to 0.1 %, beside SCIP.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from tables import ROOT, median, table

import pocin
from pocin import api, flow
from pocin.kinds import Goal, Network, kinds
from pocin.plan import Request, plan
from pocin.roads import fidelity, finish
from pocin.roads.choice import Effort
from pocin.roads.city import make_city
from pocin.roads.reading import PerTrip
from pocin.roads.shortest import Directed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = ROOT.parent / "shared" / "data" / "roads"
FILES = {
    "Anaheim": DATA / "tntp" / "Anaheim",
    "Chicago-Sketch": DATA / "tntp" / "Chicago-Sketch",
    "Ann Arbor": DATA / "annarbor",
}
ALPHAS = ("2hops", "1%nodes", "25%nodes")
LARGE = "made 40000/100000"
SIZES = ("5000/8000", "10000/8000", "20000/8000", "40000/8000", "40000/32000", "40000/100000")
GROWTH = tuple(f"made {size}" for size in SIZES)
CODE = "ascent bound branch choice conflict decided fidelity hildreth improve mean projection"
CODE += " reach reading contraction kernels walks"
STEPS = ("unit", "plan", "phase1", "phase2", "assign", "choose", "improve", "prove", "certify")


@dataclass(frozen=True)
class Setting:
    """A network, a reading of beta, and how far the traffic is shuffled."""

    case: str
    reading: str
    alpha: str
    beta: float


@dataclass(frozen=True)
class Part:
    """Settings of the plan, and their seeds."""

    cases: tuple[str, ...]
    readings: tuple[tuple[str, float], ...]
    alphas: tuple[str, ...]
    seeds: int

    def settings(self) -> Iterator[Setting]:
        """Yield them, case by case."""
        for case, (reading, beta), alpha in product(self.cases, self.readings, self.alphas):
            yield Setting(case, reading, alpha, beta)


EVERY = (("per-trip", 0.1), ("total", 0.1), ("total", 0.01))
PLAN = (
    Part(("siouxfalls", "Anaheim", "Chicago-Sketch"), EVERY[:1], ALPHAS, 3),
    Part(("Ann Arbor", "made 17000/8000"), EVERY[:1], ALPHAS, 1),
    Part((LARGE,), EVERY[:1], ALPHAS[:1], 1),
    Part(("Ann Arbor", "made 17000/8000"), EVERY[1:], ALPHAS, 1),
    Part(("siouxfalls", "Anaheim", "Chicago-Sketch"), EVERY[1:], ALPHAS, 3),
    Part(GROWTH, EVERY[:1], ALPHAS[:1], 1),
)
"""In the order of their weight."""

PROOFS = 3  # seeds

SHORT = 0.01  # seconds


def main() -> None:
    """Run what is asked for and not cached, and print the tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--cases", type=lambda text: tuple(text.split(",")))
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--tables", action="store_true", help="print what is cached, run nothing")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "roads.jsonl")
    asked = parser.parse_args()
    rows = Cache(asked.cache)
    wanted = []
    for part in PLAN:
        for setting in part.settings():
            if asked.cases is None or setting.case in asked.cases:
                seeds = range(asked.seeds or part.seeds)
                wanted += [(setting, seed) for seed in seeds]
    wanted = [pair for pair in dict.fromkeys(wanted) if present(pair[0].case)]
    proofs = [(alpha, seed) for alpha in ALPHAS for seed in range(asked.seeds or PROOFS)]
    proofs = proofs if asked.cases is None or "siouxfalls" in asked.cases else []
    if not asked.tables:
        for setting, seed in wanted:
            rows.made({**asdict(setting), "seed": seed}, partial(released, setting, seed))
        for alpha, seed in proofs:
            key = {"case": "proof", "alpha": alpha, "seed": seed}
            rows.made(key, partial(proved, alpha, seed))
    print(report(rows, wanted, proofs))


def present(case: str) -> bool:
    """Whether a network can be had; say so where not."""
    if case not in FILES or FILES[case].exists():
        return True
    print(f"{case}: skipped: its files are not beside the repository (shared/data/roads)\n")
    return False


# -- running --------------------------------------------------------------------------------------


@cache
def version() -> str:
    """A digest of phase 3's code: rows of another version are not these rows."""
    files = [ROOT / "src" / "pocin" / "roads" / f"{name}.py" for name in CODE.split()]
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


class Cache:
    """Rows in a file, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = {row["key"]: row for row in map(json.loads, lines)}

    @staticmethod
    def _key(key: dict[str, Any]) -> str:
        return json.dumps({**key, "code": version()}, sort_keys=True)

    def find(self, key: dict[str, Any]) -> dict[str, Any] | None:
        """Return a row, or None."""
        return self.rows.get(self._key(key))

    def made(self, key: dict[str, Any], make: Callable[[], dict[str, Any]]) -> None:
        """Make a row that is missing, and keep it."""
        if self.find(key) is not None:
            return
        print(key, file=sys.stderr, flush=True)
        row = {"key": self._key(key), **key, **make()}
        self.rows[row["key"]] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


@cache
def network_of(case: str) -> Network:
    """Read or make a network once."""
    if case.startswith("made "):
        links, trips = map(int, case.removeprefix("made ").split("/"))
        roads = next(kind for kind in kinds() if kind.name == "roads")
        return Network(roads, make_city(links, trips, 1), case)
    return pocin.read(str(FILES.get(case, case)))


@cache
def planned(setting: Setting) -> tuple[Any, float]:
    """Return the plan of a setting, and the seconds that it took."""
    network = network_of(setting.case)
    choices = [("reading", setting.reading)]
    if setting.reading == "per-trip":
        choices.append(("trip_times", "computed"))
    if network.content.gamma is None:
        choices.append(("gamma", "computed"))
    request = Request(
        privacy=api.privacy(alpha_location=setting.alpha),
        beta=setting.beta,
        cost_figure=None if setting.reading == "per-trip" else "computed",
        choices=tuple(choices),
        seed=0,
    )
    began = process_time()
    return plan(network, request), process_time() - began


@cache
def unit(case: str) -> float:
    """Time one batch of scipy's Dijkstra over the network's own origins: the median of five."""
    roads = network_of(case).content
    cut = Directed.cut(roads.tail, roads.head, roads.nodes.no_through)
    w = roads.links.d + np.mean(roads.links.d) * 0.1
    spent: list[float] = []
    while len(spent) < 5 and sum(spent) < 8:
        began = process_time()
        cut.times(w, roads.origins, roads.destinations)
        spent.append(process_time() - began)
    return median(spent)


@contextmanager
def timed() -> Iterator[dict[str, Any]]:
    """Time the steps of ``finish``, and keep the problem and its solution."""
    seen: dict[str, Any] = {}

    def timing(module: Any, name: str, label: str) -> Any:
        step = getattr(module, name)

        def run(*arguments: Any, **named: Any) -> Any:
            began = process_time()
            out = step(*arguments, **named)
            seen[label] = seen.get(label, 0.0) + process_time() - began
            if label == "restore":
                seen["problem"], seen["solution"] = arguments[0], out
            return out

        return patch.object(module, name, run)

    with ExitStack() as patches:
        for module, name, label in (
            (finish, "assign", "assign"),
            (finish, "restore", "restore"),
            (finish, "certify", "certify"),
            (fidelity, "improve", "improve"),
            (fidelity, "prove", "prove"),
            (fidelity, "mean_bound", "prove"),
        ):
            patches.enter_context(timing(module, name, label))
        yield seen


def drawn(setting: Setting, seed: int) -> tuple[Any, dict[str, float], dict[str, Any], Any]:
    """Draw, restore and certify; return what came of it."""
    made, _ = planned(setting)
    side = flow.OpenSide(made.kind, made.public, made.guarantee)
    goal = Goal(made.known_figure(), setting.beta)
    noise = flow.noise_of(Request(seed=seed))
    with timed() as seen:
        began = process_time()
        draws, _, seconds = flow.draw(made, noise, lambda _: None)
        drawing = process_time() - began
        ended = flow.finish(side, draws, goal)
        whole = process_time() - began
    share = drawing / (seconds["phase1"] + seconds["phase2"])
    return ended, {name: share * value for name, value in seconds.items()}, seen, whole


def released(setting: Setting, seed: int) -> dict[str, Any]:
    """Make a release, and return what is kept of it."""
    compile_once()
    wall = perf_counter()
    ended, seconds, seen, whole = drawn(setting, seed)
    solution, public = seen["solution"], planned(setting)[0].public
    problem = seen["problem"]
    seen.setdefault("improve", 0.0)
    return {
        "links": len(public.links),
        "origins": len(np.unique(problem.origins)),
        "trips": len(problem.origins),
        "hops": float(planned(setting)[0].guarantee.location.alpha),
        "within": ended.certificate.within,
        "reason": ended.reason,
        "distance": ended.distance,
        "bound": ended.bound,
        "noise": float(np.linalg.norm((problem.noisy - problem.d) / public.gamma)),
        "nodes": solution.diagnostics.get("nodes", 0),
        "seconds": {
            "unit": unit(setting.case),
            "plan": planned(setting)[1],
            **seconds,
            "assign": seen["assign"],
            "choose": seen["restore"] - seen["improve"] - seen.get("prove", 0.0),
            "improve": seen["improve"],
            "prove": seen.get("prove", 0.0),
            "certify": seen["certify"],
            "whole": whole,
            "wall": perf_counter() - wall,
        },
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def proved(alpha: str, seed: int) -> dict[str, Any]:
    """Prove Sioux Falls to 0.1 %, and ask SCIP."""
    from pocin.roads.proof import lazily

    setting = Setting("siouxfalls", "per-trip", alpha, 0.1)
    _, _, seen, _ = drawn(setting, seed)
    began = process_time()
    ours = fidelity.restore(seen["problem"], effort=Effort(nodes=600, work=np.inf))
    middle = process_time()
    theirs = lazily(PerTrip(seen["problem"], 1), ours.distance * 1.01)
    gamma = planned(setting)[0].public.gamma
    return {
        "distance": ours.distance / gamma,
        "bound": ours.bound / gamma,
        "nodes": ours.diagnostics["nodes"],
        "seconds": middle - began,
        "scip": theirs.distance / gamma,
        "scip_bound": theirs.bound / gamma,
        "scip_seconds": process_time() - middle,
    }


@cache
def compile_once() -> None:
    """Compile, on the smallest network, so that no row pays for it."""
    for reading, beta in EVERY:
        drawn(Setting("siouxfalls", reading, "2hops", beta), 0)
    drawn(Setting("made 5000/8000", "per-trip", "2hops", 0.1), 0)  # it has no table of hops


# -- the tables -----------------------------------------------------------------------------------


def report(rows: Cache, wanted: list[tuple[Setting, int]], proofs: list[tuple[str, int]]) -> str:
    """Return the tables."""
    found: dict[Setting, list[dict[str, Any]]] = {}
    for setting, seed in wanted:
        row = rows.find({**asdict(setting), "seed": seed})
        if row is not None:
            found.setdefault(setting, []).append(row)
    heads = ["network", "reading", "beta", "alpha (hops)", "releases", "within beta"]
    heads += [
        "distance, veh",
        "noisy, veh",
        "distance/bound",
        "largest",
        "CPU s",
        "units",
        "largest",
    ]
    first = table(heads, [line(setting, made) for setting, made in found.items()])
    heads = ["network", "links", "origins", "trips", "unit, s", *STEPS[1:], "phases 1-3, certify"]
    heads += ["peak GiB"]
    second = table(heads, where(found))
    keys = [{"case": "proof", "alpha": alpha, "seed": seed} for alpha, seed in proofs]
    each = [row for key in keys if (row := rows.find(key)) is not None]
    heads = ["Sioux Falls, alpha", "draws", "ours", "bound", "worst distance/bound", "SCIP"]
    heads += ["ours/SCIP, worst", "nodes, most", "CPU s, median", "SCIP's"]
    third = table(heads, proof_lines(each))
    failed = [
        f"- {setting}, seed {row['seed']}: {row['reason']}"
        for setting, made in found.items()
        for row in made
        if not row["within"]
    ]
    return "\n".join([first, second, third, *(failed or ["No release failed."])])


def units(row: dict[str, Any]) -> float:
    """Phases 1 to 3, improvement, bound and certificate, in batches of scipy's Dijkstra."""
    return float(row["seconds"]["whole"] / row["seconds"]["unit"])


def counted(row: dict[str, Any], value: float) -> str:
    """Return a number of units; none where a unit is too short for what is fixed in a release."""
    return f"{value:,.1f}" if row["seconds"]["unit"] > SHORT else "-"


def ratio(row: dict[str, Any]) -> float:
    """The distance over its bound; 1 where both are 0."""
    if not row["bound"]:
        return 1.0 if not row["distance"] else float("inf")
    return float(row["distance"] / row["bound"])


def line(setting: Setting, made: list[dict[str, Any]]) -> list[str]:
    """Return the row of a setting."""
    within = sum(row["within"] for row in made)
    return [
        setting.case,
        setting.reading,
        f"{setting.beta:g}",
        f"{setting.alpha} ({made[0]['hops']:.3g})",
        str(len(made)),
        f"{within}",
        f"{median(row['distance'] for row in made):,.0f}",
        f"{median(row['noise'] for row in made):,.0f}",
        f"{median(map(ratio, made)):.4f}",
        f"{max(map(ratio, made)):.4f}",
        f"{median(row['seconds']['whole'] for row in made):.2f}",
        *(counted(made[0], value) for value in (median(map(units, made)), max(map(units, made)))),
    ]


def where(found: dict[Setting, list[dict[str, Any]]]) -> Iterator[list[str]]:
    """Yield where the time of per-trip releases at 2 hops goes, in seconds; medians of seeds."""
    for setting, made in found.items():
        if setting.reading == "per-trip" and setting.alpha == ALPHAS[0]:
            spent = {name: median(row["seconds"][name] for row in made) for name in STEPS}
            first, whole = made[0], median(row["seconds"]["whole"] for row in made)
            yield [
                setting.case,
                *(f"{first[name]:,}" for name in ("links", "origins", "trips")),
                *(f"{spent[name]:.3g}" for name in STEPS),
                f"{whole:.3g}",
                f"{max(row['peak_gib'] for row in made):.2f}",
            ]


def proof_lines(each: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the proofs, by alpha; distances are the first seed's."""
    for alpha in ALPHAS:
        some = [row for row in each if row["alpha"] == alpha]
        if some:
            yield [
                alpha,
                str(len(some)),
                f"{some[0]['distance']:,.1f}",
                f"{some[0]['bound']:,.1f}",
                f"{max(map(ratio, some)):.5f}",
                f"{some[0]['scip']:,.1f}",
                f"{max(row['distance'] / row['scip'] for row in some):.5f}",
                str(max(row["nodes"] for row in some)),
                f"{median(row['seconds'] for row in some):.2f}",
                f"{median(row['scip_seconds'] for row in some):.2f}",
            ]


if __name__ == "__main__":
    main()
