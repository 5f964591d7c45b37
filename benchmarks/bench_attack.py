# SPDX-License-Identifier: MIT
"""What attackers gain by releases, under each policy and as alpha grows: damage, and share found.

    OMP_NUM_THREADS=1 python benchmarks/bench_attack.py --keep attacks.jsonl

Fifty seeded releases a setting. ``--keep FILE`` writes a line a release and takes up where it
stands; ``--cases`` and ``--releases`` choose less. *Share* is what an attack takes of what the
informed one could: MW dispatched, or traffic. Three further attackers tell the steps apart:
*noisy* ranks by the values as they fell on the sites, *before* by the optimum on them, *values* by
the released values; phase 3 gives back what *obfuscated* finds beyond *before*.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tables import ROOT, table

import pocin
from pocin import attack, flow
from pocin.attack.ranking import Prize, hits
from pocin.attack.result import Mean
from pocin.errors import NotFaithfulError
from pocin.plan import Request, plan
from pocin.power.exposure import slots
from pocin.privacy.settings import Privacy, Radius

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pocin.arrays import Floats
    from pocin.attack import Simulation
    from pocin.flow import Release
    from pocin.plan import Plan

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
FEWER = [*POWER[:3], ("derived", "1%"), ("derived", UNIFORM)]
STEPS = ("noisy", "before", "values")


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
        return json.dumps([self.case, self.policy, self.alpha, self.choices])

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
    settings: tuple[Setting, ...]
    draws: int = 50


def power(name: str, budgets: str, settings: Iterable[tuple[str, str | None]]) -> Case:
    """Return a grid's settings."""
    return Case(name, budgets, tuple(Setting(name, *setting) for setting in settings))


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
    return Case(name, budgets, tuple(settings), draws=200)


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

    def line(self, simulation: Simulation, seed: int) -> dict[str, Any]:
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
        return head | {"rows": flat, "steps": self._steps(simulation, made)}

    def _steps(self, simulation: Simulation, made: Release) -> dict[str, list[float]]:
        """Return the shares found by the values as they fell, by their optimum, and after."""
        d, target = made.diagnostics, simulation.target
        kind, public = self.planned.kind, self.planned.public
        before = kind.unrestored(public, d.draws)
        ways = target.obfuscated(before)
        (scores,) = list(ways.values())[-1:]
        columns = {
            "noisy": self._values(simulation, before),
            "before": next(iter(scores.values())),
            "values": self._values(simulation, made.network),
        }
        worth = target.worth
        return {
            name: [Prize(worth, k).share(hits(column, k)) for k in simulation.counts]
            for name, column in columns.items()
        }

    def _values(self, simulation: Simulation, content: Any) -> Floats:
        """Return the values that stand at the sites."""
        if self.planned.kind.name == "roads":
            return np.asarray(content.links.volume)
        target: Any = simulation.target
        units = content.units.take(content.live_units)
        return np.asarray(units.pmax[slots(target.grid.units.bus[target.sites], units)])


def measured(case: Case, releases: int, keep: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the lines of a case, first those that are kept."""
    known = {} if keep is None or not keep.exists() else _kept(keep)
    prepared: dict[str, Simulation] = {}
    for setting in case.settings:
        run = None
        for seed in range(releases):
            line = known.get((setting.key, seed))
            if line is None:
                run = run or Run.of(setting)
                network = run.planned.network
                if case.name not in prepared:
                    prepared[case.name] = attack.simulation(network, case.budgets, draws=case.draws)
                line = run.line(prepared[case.name], seed)
                _keep(keep, line)
            yield line
    key = f"originals of {case.name}"
    line = known.get((key, 0))
    if line is None:
        network = Run.of(case.settings[0]).planned.network
        simulation = prepared.get(case.name) or attack.simulation(
            network, case.budgets, draws=case.draws
        )
        flat = [row.flat() | {"shares": dict(row.shares)} for row in simulation.originals]
        line = {"setting": key, "seed": 0, "rows": flat}
        _keep(keep, line)
    yield line


def _kept(path: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Read what is kept; a line that was cut off is left out."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        found[line["setting"], line["seed"]] = line
    return found


def _keep(path: Path | None, line: Mapping[str, Any]) -> None:
    """Write a line."""
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def mean(values: Sequence[float], digits: int = 2) -> str:
    """Write a mean with its standard error."""
    found = Mean.of(values)
    beside = f" ± {found.se:.{digits}f}" if found.se else ""
    return f"{found.mean:.{digits}f}{beside}"


def of(rows: Iterable[Mapping[str, Any]], budget: str, ranking: str, variant: str) -> list[Any]:
    """Return the rows of one way of ranking."""
    return [
        row
        for row in rows
        if (row["budget"], row["ranking"], row["variant"]) == (budget, ranking, variant)
    ]


def shown(case: Case, lines: Sequence[Mapping[str, Any]]) -> None:
    """Print the tables of a case."""
    originals = lines[-1]["rows"]
    budgets = case.budgets.split(",")
    print(f"\n### {Path(case.name).name}\n")
    for at, budget in enumerate(budgets):
        print(f"Budget {budget}\n")
        print(table(HEADINGS, _rows(case, lines[:-1], originals, (at, budget))))


HEADINGS = [
    "policy",
    "alpha",
    "releases",
    "attacker",
    "by",
    "share found",
    "damage",
    "difference of optima",
    "p",
]


def _rows(
    case: Case,
    lines: Sequence[Mapping[str, Any]],
    originals: Sequence[Mapping[str, Any]],
    budget: tuple[int, str],
) -> Iterator[list[str]]:
    """Yield the attackers that need no release, then those of every setting."""
    at, text = budget
    for ranking in ("random", "public", "informed"):
        for variant in dict.fromkeys(r["variant"] for r in originals if r["ranking"] == ranking):
            yield ["", "", "", ranking, *_cells(of(originals, text, ranking, variant))]
    for setting in case.settings:
        own = [line for line in lines if line["setting"] == setting.key]
        made = [line for line in own if "rows" in line]
        if not made:
            continue
        head = [setting.told, setting.alpha or "covering", f"{len(made)} of {len(own)}"]
        rows = [row for line in made for row in line["rows"]]
        for step in STEPS:
            yield [*head, step, "", mean([line["steps"][step][at] for line in made]), "", "", ""]
        for ranking, variant in dict.fromkeys((r["ranking"], r["variant"]) for r in rows):
            name = ranking if ranking == "obfuscated" else f"{ranking}: {variant}"
            yield [*head, name, *_cells(of(rows, text, ranking, variant))]


def _cells(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return column, share, damage, difference and p of some runs."""
    columns = [row["by"] for row in rows]
    ps = [row["p"] for row in rows if row["p"] is not None]
    large = max(abs(row["damage"]) for row in rows) > 1000
    return [
        max(set(columns), key=columns.count),
        mean([row["share"] for row in rows]),
        mean([row["damage"] for row in rows], 0 if large else 1),
        mean([row["objective"] for row in rows], 0 if large else 2),
        f"{np.median(ps):.4f}" if ps else "",
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", help="names with commas; all of them by default")
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    wanted = None if given.cases is None else given.cases.split(",")
    for case in CASES:
        name = Path(case.name).name
        if wanted is not None and name not in wanted:
            continue
        if Path(case.name).is_absolute() and not Path(case.name).exists():
            print(f"{name}: skipped: its files are not beside the repository\n")
            continue
        shown(case, list(measured(case, given.releases, given.keep)))


if __name__ == "__main__":
    main()
