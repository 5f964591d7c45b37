# SPDX-License-Identifier: MIT
"""What attackers gain by releases, under each policy and as alpha grows: damage, and share found.

    OMP_NUM_THREADS=1 python benchmarks/bench_attack.py --keep attacks.jsonl

Fifty seeded releases a setting. ``--keep FILE`` writes a line a release and takes up where it
stands; ``--cases`` and ``--releases`` choose less. *Share* is what an attack takes of what the
informed one could: MW dispatched, or traffic. Two steps are told apart:
*noisy* ranks by the values as they fell on the sites; the optimum on them (roads: the load of the
shortest paths) adds what the public part tells, and phase 3 adds what the optimum of the released
values (roads: these values) finds beyond that, release by release.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from tables import ROOT, table

import pocin
from pocin import attack, flow
from pocin.attack.budgets import parse
from pocin.attack.ranking import Prize, hits
from pocin.attack.result import Mean
from pocin.errors import NotFaithfulError
from pocin.plan import Request, plan
from pocin.power.damage import target as damage
from pocin.power.damage.shed import least_shed
from pocin.power.exposure import slots
from pocin.privacy.noise import SeededNoise
from pocin.privacy.settings import Privacy, Radius

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pocin.arrays import Floats
    from pocin.attack import Simulation
    from pocin.plan import Plan

Line = dict[str, Any]
"""A release and what attackers made of it, or one attack, as it is kept."""

ROADS = ROOT.parent / "shared" / "data" / "roads" / "tntp"
RELEASES = 50
UNIFORM = "1000hops"
"""So many hops that every permutation is nearly as likely as any other."""

POWER = [
    ("derived", None),
    ("unit", None),
    ("site", None),
    *[("derived", alpha) for alpha in ("1%", "5%", "10%", UNIFORM)],
]
FEWER = [("derived", None), ("derived", UNIFORM), ("derived", "1%"), ("site", None), ("unit", None)]
ASSUMED = (1.25, 1.5, 2.0, 4.0)
STEPS = ("noisy", "before")


@dataclass(frozen=True)
class Setting:
    """A case under a policy, and the alpha-location; None is the default of the product."""

    case: str
    policy: str
    alpha: str | None
    choices: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """What names it in a file."""
        case = Path(self.case).name
        return json.dumps([case, self.policy, self.alpha, self.choices])

    @property
    def told(self) -> str:
        """Return the policy, and the reading where it is not the default."""
        reading = dict(self.choices).get("reading")
        return self.policy if reading is None else f"{self.policy}, {reading}"


@dataclass(frozen=True)
class Case:
    """A network: where it is, the budgets, and the settings that are measured on it."""

    name: str
    budgets: str
    main: str
    settings: tuple[Setting, ...]
    draws: int = 50

    @property
    def short(self) -> str:
        """What a reader calls it."""
        return Path(self.name).name.removeprefix("pglib:")

    @property
    def keys(self) -> set[str]:
        """What its lines are named by in a file."""
        return {setting.key for setting in self.settings} | {self.originals}

    @property
    def originals(self) -> str:
        """What the line of the attackers is named that need no release."""
        return f"originals of {self.short}"


def power(name: str, budgets: str, settings: Iterable[tuple[str, str | None]]) -> Case:
    """Return a grid's settings."""
    main = "25%" if "25%" in budgets else "20%"
    return Case(name, budgets, main, tuple(Setting(name, *setting) for setting in settings))


def roads(name: str, budgets: str, choices: tuple[tuple[str, str], ...]) -> Case:
    """Return the settings of roads: what is written, how beta is read, and alpha."""
    each = ("reading", "per-trip"), ("trip_times", "computed")
    alphas = "1%nodes", "10%nodes", UNIFORM
    settings = [
        Setting(name, policy, None, (*reading, *choices))
        for policy in ("pairs", "demand")
        for reading in ((), each)
    ]
    settings += [Setting(name, "pairs", alpha, choices) for alpha in alphas]
    settings += [Setting(name, "pairs", UNIFORM, (*each, *choices))]
    return Case(name, budgets, "20", tuple(settings), draws=200)


CASES = (
    power("ieee57", "25%,50%", POWER),
    power("ieee118", "10%,20%,30%", POWER),
    power("ieee300", "10%,20%,30%", POWER),
    roads("siouxfalls", "5,10,20", ()),
    roads(str(ROADS / "Anaheim"), "10,20,50", (("gamma", "computed"),)),
    power("pglib:case1354_pegase", "20%", FEWER),
)


@dataclass(frozen=True, eq=False)
class Run:
    """A setting made concrete."""

    setting: Setting
    planned: Plan

    @classmethod
    def of(cls, setting: Setting) -> Run:
        """Plan; the cost figure is found once."""
        alpha = None if setting.alpha is None else Radius.parse(setting.alpha)
        request = Request(
            privacy=Privacy(alpha_location=alpha),
            policy=setting.policy,
            choices=setting.choices,
            seed=0,
        )
        planned = plan(pocin.read(setting.case), request)
        if planned.kind.figure is None:
            figure = planned.known_figure()
            planned = replace(planned, request=replace(request, cost_figure=figure))
        return cls(setting, planned)

    def line(self, simulation: Simulation, seed: int) -> Line:
        """Release and attack."""
        network, request = self.planned.network, replace(self.planned.request, seed=seed)
        head = {"setting": self.setting.key, "seed": seed}
        try:
            made = flow.release(network, request)
        except NotFaithfulError as error:
            return head | {"failed": str(error)}
        solve = made.diagnostics.finished.certificate.solve
        rows = simulation.release(seed, made.network, solve)
        flat = [row.flat() | {"shares": dict(row.shares)} for row in rows]
        return head | {"rows": flat, "steps": self.steps(simulation, seed)}

    def steps(self, simulation: Simulation, seed: int) -> dict[str, list[float]]:
        """Return the shares found by the values as they fell, and by their optimum."""
        kind, public, target = self.planned.kind, self.planned.public, simulation.target
        draws, _, _ = flow.draw(self.planned, SeededNoise(seed), lambda _: None)
        before = kind.unrestored(public, draws)
        columns = dict(zip(STEPS, self._ways(target, before), strict=True))
        return {
            name: [Prize(target.worth, k).share(hits(column, k)) for k in simulation.counts]
            for name, column in columns.items()
        }

    def _ways(self, target: Any, before: Any) -> tuple[Floats, Floats]:
        """Return values and dispatch at the sites (least shed: the draws need not serve all)."""
        if self.planned.kind.name == "roads":
            *_, scores = target.obfuscated(before).values()
            return np.asarray(before.links.volume), next(iter(scores.values()))
        units = before.units.take(before.live_units)
        rows = slots(target.grid.units.bus[target.sites], units)
        found = least_shed(before, np.zeros(0, dtype=np.int64)).solve
        return np.asarray(units.pmax[rows]), np.asarray(np.round(found.p[rows], 4))


@dataclass
class Measuring:
    """A case being measured: what is kept, and what is worked out once."""

    case: Case
    keep: Path | None
    known: dict[tuple[str, int], Line]
    simulation: Simulation | None = None

    def lines(self, releases: int) -> Iterator[Line]:
        """Yield the lines of all settings, then that of the attackers that need no release."""
        for setting in self.case.settings:
            needed = [s for s in range(releases) if not self._done(setting.key, s)]
            run = Run.of(setting) if needed else None
            for seed in range(releases):
                if run is not None and seed in needed:
                    self._write(self._made(run, seed))
                yield self.known[setting.key, seed]
        if (self.case.originals, 0) not in self.known:
            simulation = self._prepared(Run.of(self.case.settings[0]))
            flat = [row.flat() | {"shares": dict(row.shares)} for row in simulation.originals]
            self._write({"setting": self.case.originals, "seed": 0, "rows": flat})
        yield self.known[self.case.originals, 0]

    def _done(self, key: str, seed: int) -> bool:
        """Whether nothing is missing of a release."""
        line = self.known.get((key, seed), {})
        return "steps" in line or "failed" in line

    def _made(self, run: Run, seed: int) -> Line:
        """Measure a release, or the steps alone where they are missing."""
        simulation, line = self._prepared(run), self.known.get((run.setting.key, seed))
        if line is None:
            return run.line(simulation, seed)
        return line | {"steps": run.steps(simulation, seed)}

    def _prepared(self, run: Run) -> Simulation:
        """Return the attacks on the case, prepared once."""
        if self.simulation is None:
            network = run.planned.network
            self.simulation = attack.simulation(network, self.case.budgets, draws=self.case.draws)
        return self.simulation

    def _write(self, line: Line) -> None:
        """Keep a line."""
        self.known[line["setting"], line["seed"]] = line
        if self.keep is not None:
            with self.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _kept(path: Path) -> dict[tuple[str, int], Line]:
    """Read what is kept; a line that was cut off is left out."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        found[line["setting"], line["seed"]] = line
    return found


def shown(cases: Sequence[tuple[Case, Sequence[Line]]]) -> None:
    """Print what attackers find and destroy without a release, and with one."""
    print(table(WITHOUT, [row for case in cases for row in without(*case)]))
    print(table(WITH, [row for case in cases for row in with_release(*case)]))


WITHOUT = [
    "network",
    "hit",
    "share: random",
    "public",
    "floor",
    "damage: random",
    "public",
    "floor",
    "informed",
]
WITH = [
    "network, hit",
    "policy",
    "alpha",
    "releases",
    "share: noisy",
    "public part adds",
    "phase 3 adds",
    "obfuscated",
    "left of the elements",
    "damage: obfuscated",
    "left",
]


def without(case: Case, lines: Sequence[Line]) -> Iterator[list[str]]:
    """Yield a row a budget: the attackers that no release changes."""
    fixed = [row for line in lines if line["setting"] == case.originals for row in line["rows"]]
    if not fixed:
        return
    made = [line for line in lines if "steps" in line]
    for budget in case.budgets.split(","):
        known = [row for row in fixed if row["budget"] == budget]
        floor = picked(made[:1], budget, "residual", "floor")
        rows = {name: [row for row in known if row["ranking"] == name] for name in KNOWN}
        yield [
            case.short,
            f"{budget} ({known[0]['k']})" if "%" in budget else budget,
            *(told(rows[name], "share") for name in KNOWN[:2]),
            told(floor, "share"),
            *(told(rows[name], "damage") for name in KNOWN[:2]),
            told(floor, "damage"),
            told(rows["informed"], "damage"),
        ]


KNOWN = ("random", "public", "informed")


def with_release(case: Case, lines: Sequence[Line]) -> Iterator[list[str]]:
    """Yield a row a setting, at the case's main budget."""
    at = case.budgets.split(",").index(case.main)
    for setting in case.settings:
        own = [line for line in lines if line["setting"] == setting.key]
        made = [line for line in own if "steps" in line]
        head = [f"{case.short}, {case.main}", setting.told, setting.alpha or "covering"]
        head.append(f"{len(made)} of {len(own)}")
        if not made:
            yield from [[*head, *[""] * (len(WITH) - len(head))]] if own else []
            continue
        obfuscated = picked(made, case.main, "obfuscated")
        left = picked(made, case.main, "residual", "left")
        yield [
            *head,
            *gains(made, case.main, at),
            told(obfuscated, "share"),
            told(left, "share", len(made)),
            told(obfuscated, "damage"),
            told(left, "damage", len(made)),
        ]


def gains(made: Sequence[Line], budget: str, at: int) -> Iterator[str]:
    """Yield what the noisy values find, and what each step adds, release by release."""
    noisy, before = ([line["steps"][step] for line in made] for step in STEPS)
    yield mean([share[at] for share in noisy], 2)
    yield mean([b[at] - a[at] for a, b in zip(noisy, before, strict=True)], 2)
    after = [[row["share"] for row in picked([line], budget, "obfuscated")] for line in made]
    since = noisy if len(after[0]) > 1 else before  # of roads: the values, which come first
    yield mean([b[0] - a[at] for a, b in zip(since, after, strict=True)], 2)


def picked(
    lines: Iterable[Line], budget: str, ranking: str, variant: str | None = None
) -> list[Line]:
    """Return the rows of a ranking at a budget."""
    rows = [row for line in lines for row in line["rows"] if row["budget"] == budget]
    return [row for row in rows if row["ranking"] == ranking and variant in {None, row["variant"]}]


def told(rows: Sequence[Line], column: str, of: int = 0) -> str:
    """Return each variant's mean with its error; its column and p where it is tested."""
    parts: dict[str, list[Line]] = {}
    for row in rows:
        parts.setdefault(row["variant"], []).append(row)
    several = len(parts) > 1
    return "; ".join(_one(part, column, of, several=several) for part in parts.values()) or "none"


def _one(rows: Sequence[Line], column: str, of: int, *, several: bool) -> str:
    """Return one way of ranking."""
    values = [row[column] for row in rows]
    large = 0 if max(map(abs, values)) > 1000 else 1
    said = mean(values, 2 if column == "share" else large)
    name = f"{rows[0]['variant']} " if several else ""
    some = f" in {len(rows)}" if len(rows) < of else ""
    tested = [row["p"] for row in rows if row["p"] is not None]
    if not tested or column != "share":
        return f"{name}{said}{some}"
    columns = [row["by"] for row in rows]
    by = max(set(columns), key=columns.count)
    return f"{name}{said}{some} ({by}, p = {np.median(tested):.4f})"


def mean(values: Sequence[float], digits: int) -> str:
    """Write a mean with its standard error."""
    found = Mean.of(values)
    beside = f" ± {found.se:,.{digits}f}" if found.se else ""
    return f"{found.mean:,.{digits}f}{beside}"


def by_reserve(case: Case) -> Iterator[list[str]]:
    """Yield what equal units find, by how much capacity the attacker takes them to have."""
    target: Any = attack.simulation(pocin.read(case.name), case.main).target
    prize = Prize(target.worth, parse(case.main)[0].of(target.count, "unit"))
    random = prize.k / target.count * target.worth.sum() / prize.most
    shares = []
    for reserve in ASSUMED:
        with patch.object(damage, "RESERVES", (reserve,)):
            (scores,) = target.public().values()
        ((_, score),) = scores.items()
        shares.append(f"{prize.share(hits(score, prize.k)):.2f}")
    yield [f"{case.short}, {case.main}", f"{random:.2f}", *shares]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", help="names with commas; all of them by default")
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--kept", action="store_true", help="measure nothing, show what is kept")
    given = parser.parse_args()
    wanted = None if given.cases is None else given.cases.split(",")
    known = _kept(given.keep) if given.keep and given.keep.exists() else {}
    found = []
    for case in CASES:
        if wanted is not None and case.short not in wanted:
            continue
        if Path(case.name).is_absolute() and not Path(case.name).exists():
            print(f"{case.short}: skipped: its files are not beside the repository\n")
        elif given.kept:
            found.append((case, [at for at in known.values() if at["setting"] in case.keys]))
        else:
            measuring = Measuring(case, given.keep, known)
            found.append((case, list(measuring.lines(given.releases))))
    shown(found)
    small = [case for case, _ in found if "%" in case.budgets and "1354" not in case.name]
    heads = ["network, hit", "random, expected", *(f"{reserve:g}" for reserve in ASSUMED)]
    print(table(heads, [row for case in small for row in by_reserve(case)]))


if __name__ == "__main__":
    main()
