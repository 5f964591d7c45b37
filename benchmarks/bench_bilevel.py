# SPDX-License-Identifier: MIT
"""How many draws become faithful releases, from 14 to 30,000 buses, and what each one costs.

    python benchmarks/bench_bilevel.py                      the small grids of the plan below
    python benchmarks/bench_bilevel.py --large              all of it, in hours
    python benchmarks/bench_bilevel.py --cases ieee300 --alpha 5% --beta 0.01 --seeds 20
    python benchmarks/bench_bilevel.py --tables             what is in the cache, nothing run

Every release goes through the product's own flow with the default policy (and a ratio of Pmin where
the plan names one), from seeds 0, 1, ... Its row is appended to a cache, by its settings and by the
version of phase 3's code, so that a stopped run goes on where it was. Times are of the processor,
in units of one AC-OPF of the original that the same process solved.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from drawn import Releases
from tables import NESTA, ROOT, cases, median, source, table

import pocin
from pocin import api
from pocin.plan import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COVERING = "covering"
"""The alpha-location by default: the fewest hops that cover every unit."""

ALPHAS = ("1%", "5%", "10%", COVERING)
PHASES = """clock wires opf curves fidelity projection cuts tighten reassign finish certificate
    placed written"""

HEADINGS = [
    "case",
    "alpha (hops)",
    "beta",
    "draws",
    "within beta",
    "certified, tightened, re-assigned",
    "mean hops moved",
    "distance, MW",
    "noise, MW",
    "error/noise",
    "AC-OPFs",
    "largest",
]


@dataclass(frozen=True)
class Setting:
    """A case and the parameters of its releases."""

    case: str
    alpha: str
    beta: float
    pmin_ratio: float = 0.0
    time_limit: float | None = None

    def request(self) -> Request:
        """What a curator would ask for, as research."""
        return Request(
            privacy=api.privacy(alpha_location=None if self.alpha == COVERING else self.alpha),
            beta=self.beta,
            constants=(("pmin_ratio", self.pmin_ratio),),
            time_limit=self.time_limit,
            seed=0,
        )


@dataclass(frozen=True)
class Part:
    """A part of the plan: settings, seeds, and the share that must be faithful at each beta."""

    cases: tuple[str, ...]
    seeds: int
    alphas: tuple[str, ...]
    target: dict[float, float]
    opfs: float
    pmin_ratio: float = 0.0
    large: bool = False

    def settings(self, time_limit: float | None) -> Iterator[Setting]:
        """Yield every setting of the part."""
        for case, alpha, beta in product(cases(self.cases), self.alphas, self.target):
            yield Setting(case, alpha, beta, self.pmin_ratio, time_limit)


PLAN = (
    Part(tuple(NESTA), 50, ALPHAS, {0.1: 1.0, 0.01: 0.98}, 3),
    Part(("ieee300",), 20, ALPHAS, {0.1: 0.95, 0.01: 0.9}, 6),
    Part(("pglib:case1354_pegase",), 10, ALPHAS, {0.1: 0.8, 0.01: 0.8}, 6, large=True),
    Part(("pglib:case2869_pegase",), 5, ALPHAS, {0.1: 0.8, 0.01: 0.8}, 6, large=True),
    Part(("pglib:case10000_goc",), 1, ("1%", "5%"), {0.1: 1.0}, 6, pmin_ratio=0.3, large=True),
    Part(("pglib:case30000_goc",), 1, ("1%",), {0.1: 1.0}, 6, pmin_ratio=0.3, large=True),
)


def main() -> None:
    """Run what is asked for and not cached, and print the tables."""
    asked = arguments()
    rows = Cache(asked.cache)
    parts = list(asked_parts(asked))
    if not asked.tables:
        for part in parts:
            for setting in part.settings(asked.time_limit):
                run(setting, part.seeds, rows)
    print(report(parts, rows, asked.time_limit))


def arguments() -> argparse.Namespace:
    """Read the command line; lists are separated by commas."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])

    def listed(text: str) -> tuple[str, ...]:
        return tuple(text.split(","))

    parser.add_argument("--large", action="store_true", help="the grids over 300 buses too")
    parser.add_argument("--cases", type=listed, help="these alone")
    parser.add_argument("--alpha", type=listed, help="alpha-location, or 'covering'")
    parser.add_argument("--beta", type=listed)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--pmin-ratio", type=float)
    parser.add_argument("--time-limit", type=float, help="as of pocin release")
    parser.add_argument("--tables", action="store_true", help="print what is cached, run nothing")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "bilevel.jsonl")
    return parser.parse_args()


def asked_parts(asked: argparse.Namespace) -> Iterator[Part]:
    """Narrow the plan to what is asked for; a case outside the plan takes the last part's form."""
    named = asked.cases
    known = {case for part in PLAN for case in part.cases}
    further = tuple(case for case in named or () if case not in known)
    for part in (*PLAN, Part(further, 5, ALPHAS, {0.1: 0.8}, 6, large=True)):
        kept = tuple(case for case in part.cases if named is None or case in named)
        if not kept or (part.large and not (asked.large or named or asked.tables)):
            continue
        betas = {float(beta) for beta in asked.beta} if asked.beta else set(part.target)
        yield Part(
            kept,
            asked.seeds or part.seeds,
            asked.alpha or part.alphas,
            {beta: part.target.get(beta, 0.0) for beta in sorted(betas, reverse=True)},
            part.opfs,
            part.pmin_ratio if asked.pmin_ratio is None else asked.pmin_ratio,
        )


# -- running --------------------------------------------------------------------------------------


@cache
def version() -> str:
    """A digest of phase 3's code: rows of another version are not these rows."""
    files = [ROOT / "src" / "pocin" / "power" / f"{name}.py" for name in PHASES.split()]
    found = b"".join(file.read_bytes() for file in files if file.exists())
    return sha256(found).hexdigest()[:12]


class Cache:
    """Rows in a file, one JSON object a line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.rows = {self._key(row): row for row in map(json.loads, lines)}

    @staticmethod
    def _key(row: dict[str, Any]) -> str:
        names = ("case", "alpha", "beta", "pmin_ratio", "time_limit", "seed", "code")
        return json.dumps([row[name] for name in names])

    def find(self, setting: Setting, seed: int) -> dict[str, Any] | None:
        """Return a release's row, or None."""
        return self.rows.get(self._key({**asdict(setting), "seed": seed, "code": version()}))

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row."""
        self.rows[self._key(row)] = row
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


@cache
def network_of(case: str) -> Any:
    """Read a case once."""
    return pocin.read(source(case))


@cache
def opf_seconds(case: str) -> float:
    """Time the AC-OPF of the original, the unit of all other times: the median of three."""
    releases = Releases.of(network_of(case), Request(seed=0))
    first = releases.opf_seconds()  # it builds
    return median([first, *(releases.opf_seconds() for _ in range(2))]) if first < 5 else first


def run(setting: Setting, seeds: int, rows: Cache) -> None:
    """Make the releases that are not cached."""
    missing = [seed for seed in range(seeds) if rows.find(setting, seed) is None]
    if not missing:
        return
    opf = opf_seconds(setting.case)
    draws = Releases.of(network_of(setting.case), setting.request())
    for seed in missing:
        print(setting, seed, file=sys.stderr, flush=True)
        rows.add({**asdict(setting), "seed": seed, "code": version(), **figures(draws, seed, opf)})


def figures(draws: Releases, seed: int, opf: float) -> dict[str, Any]:
    """Release from a seed, and return what is kept of it."""
    began, wall = process_time(), perf_counter()
    drawn = draws.seed(seed)
    finished, goal = drawn.finished, drawn.goal
    own = finished.certificate.own_optimum
    return {
        "hops": float(draws.planned.guarantee.location.alpha),
        "opf_seconds": opf,
        "within": finished.certificate.within,
        "bilevel": finished.bilevel,
        "reason": finished.reason,
        "attempts": list(finished.diagnostics.get("attempts", [])),
        "gap": None if own is None else goal.gap(own),
        "distance": finished.distance,
        "noise": drawn.noise,
        "error_to_noise": drawn.error_to_noise,
        "mean_hops": drawn.mean_hops,
        "solves": [[solve.name, solve.status, round(solve.seconds, 4)] for solve in drawn.solves],
        "draw_seconds": drawn.seconds["phase1"] + drawn.seconds["phase2"],
        "restore_seconds": drawn.solver_seconds(restoring=True),
        "certify_seconds": drawn.solver_seconds(restoring=False),
        "process_seconds": process_time() - began,
        "wall_seconds": perf_counter() - wall,
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }


def opfs(row: dict[str, Any]) -> float:
    """Phases 1 to 3 and the certificate, in AC-OPFs."""
    spent: float = row["draw_seconds"] + row["restore_seconds"] + row["certify_seconds"]
    return spent / float(row["opf_seconds"])


# -- the tables -----------------------------------------------------------------------------------


def report(parts: Iterable[Part], rows: Cache, time_limit: float | None) -> str:
    """Return what must be shown, the rows, and the failures one by one."""
    shown: list[list[str]] = []
    lines, failures = [], []
    for part in parts:
        made = []
        for setting in part.settings(time_limit):
            found = [rows.find(setting, seed) for seed in range(part.seeds)]
            if kept := [row for row in found if row is not None]:
                lines.append(line(setting, kept))
                failures += [told(row) for row in kept if not row["within"]]
                made += kept
        shown += must_show(part, made) if made else []
    return "\n".join(
        [
            table(["must show", "measured"], shown),
            table(HEADINGS, lines),
            *(failures or ["No draw failed."]),
        ]
    )


def must_show(part: Part, made: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield the part's targets beside what was measured."""
    for beta, target in part.target.items():
        some = [row for row in made if row["beta"] == beta]
        if some:
            asked = f"{', '.join(part.cases)}: within {beta:g} in {100 * target:.0f} %"
            yield [asked, f"{share(some)} of {len(some)}"]
    times = [opfs(row) for row in made]
    peak = max(row["peak_gib"] for row in made)
    asked = f"{', '.join(part.cases)}: median at most {part.opfs:g} AC-OPFs"
    yield [asked, f"{median(times):.1f}; largest {max(times):.1f}; peak memory {peak:.2f} GiB"]


def share(rows: list[dict[str, Any]]) -> str:
    """Return how many rows are faithful, in percent."""
    return f"{100 * sum(row['within'] for row in rows) / len(rows):.3g} %"


def line(setting: Setting, rows: list[dict[str, Any]]) -> list[str]:
    """Return the table's row for a setting."""
    times = [opfs(row) for row in rows]
    ways = ("certified", "tightened", "reassigned")
    ratio = f", pmin ratio {setting.pmin_ratio:g}" if setting.pmin_ratio else ""
    return [
        setting.case.removeprefix("pglib:") + ratio,
        f"{setting.alpha} ({rows[0]['hops']:g})",
        f"{setting.beta:g}",
        str(len(rows)),
        share(rows),
        ", ".join(str(sum(row["bilevel"] == how for row in rows)) for how in ways),
        f"{sum(row['mean_hops'] for row in rows) / len(rows):.2f}",
        f"{median(row['distance'] for row in rows):.2f}",
        f"{median(row['noise'] for row in rows):.1f}",
        f"{median(row['error_to_noise'] for row in rows):.2f}",
        f"{median(times):.1f}",
        f"{max(times):.1f}",
    ]


def told(row: dict[str, Any]) -> str:
    """Say which draw failed, and why."""
    where = f"{row['case']}, alpha {row['alpha']}, beta {row['beta']:g}, seed {row['seed']}"
    return f"- {where}: {row['reason']}"


if __name__ == "__main__":
    main()
