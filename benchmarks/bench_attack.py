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
FEWER = [("derived", None), ("derived", UNIFORM), ("derived", "1%"), ("site", None), ("unit", None)]
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

    @property
    def keys(self) -> set[str]:
        """What its lines are named by in a file."""
        return {setting.key for setting in self.settings} | {self.originals}

    @property
    def originals(self) -> str:
        """What the line of the attackers is named that need no release."""
        return f"originals of {self.name}"


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
    key = case.originals
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


def shown(case: Case, lines: Sequence[Mapping[str, Any]]) -> None:
    """Print what the attackers of a case find, and what they destroy, budget by budget."""
    originals = [line for line in lines if line["setting"].startswith("originals")]
    if not originals:
        return
    known = originals[0]["rows"]
    print(f"\n### {Path(case.name).name}\n")
    for at, budget in enumerate(case.budgets.split(",")):
        fixed = [row for row in known if row["budget"] == budget]
        print(f"Budget {budget}, {fixed[0]['k']} hit: share found\n")
        print(table(SHARES, _rows(case, lines, fixed, Asked(at, budget, "share", 0))))
        print(f"Budget {budget}: damage\n")
        print(table(DAMAGES, _rows(case, lines, fixed, Asked(at, budget, "damage", 0))))


HEADS = ["policy", "alpha", "releases"]
ENDS = ["left of the elements", "floor", "random", "public", "informed"]
SHARES = [*HEADS, *STEPS, "obfuscated", *ENDS]
DAMAGES = [*HEADS, "obfuscated", *ENDS]


@dataclass(frozen=True)
class Asked:
    """Which table: the place of the budget, its name, the column, and how many releases it has."""

    at: int
    budget: str
    column: str
    releases: int

    def cell(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return every variant's mean with its error; its column and p where it is tested."""
        variants = dict.fromkeys(row["variant"] for row in rows)
        parts = [[row for row in rows if row["variant"] == variant] for variant in variants]
        return "; ".join(self._variant(part, several=len(parts) > 1) for part in parts)

    def _variant(self, rows: Sequence[Mapping[str, Any]], *, several: bool) -> str:
        """Return one way of ranking."""
        said = self.mean([row[self.column] for row in rows])
        tested = [row["p"] for row in rows if row["p"] is not None]
        if not tested:
            return f"{rows[0]['variant']} {said}" if several else said
        columns = [row["by"] for row in rows]
        by = max(set(columns), key=columns.count)
        p = f", p = {np.median(tested):.4f}" if self.column == "share" else ""
        some = f" in {len(rows)}" if len(rows) < self.releases else ""
        return f"{said}{some} ({by}{p})"

    def mean(self, values: Sequence[float]) -> str:
        """Write a mean with its standard error."""
        digits = 2 if self.column == "share" else (0 if max(map(abs, values)) > 1000 else 1)
        found = Mean.of(values)
        beside = f" ± {found.se:,.{digits}f}" if found.se else ""
        return f"{found.mean:,.{digits}f}{beside}"


def _rows(
    case: Case, lines: Sequence[Mapping[str, Any]], fixed: Sequence[Mapping[str, Any]], asked: Asked
) -> Iterator[list[str]]:
    """Yield a row a setting; the attackers that need no release are the same in all of them."""

    def ranked(rows: Iterable[Mapping[str, Any]], name: str, variant: str = "") -> str:
        own = [row for row in rows if row["ranking"] == name and variant in {"", row["variant"]}]
        return asked.cell(own) if own else "none"

    for setting in case.settings:
        own = [line for line in lines if line["setting"] == setting.key]
        made = [line for line in own if "rows" in line]
        if not made:
            continue
        asked = replace(asked, releases=len(made))
        head = [setting.told, setting.alpha or "covering", f"{len(made)} of {len(own)}"]
        if asked.column == "share":
            head += [asked.mean([line["steps"][step][asked.at] for line in made]) for step in STEPS]
        rows = [row for line in made for row in line["rows"] if row["budget"] == asked.budget]
        yield [
            *head,
            ranked(rows, "obfuscated"),
            ranked(rows, "residual", "left"),
            ranked(rows, "residual", "floor"),
            *(ranked(fixed, name) for name in ("random", "public", "informed")),
        ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", help="names with commas; all of them by default")
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--kept", action="store_true", help="measure nothing, show what is kept")
    given = parser.parse_args()
    wanted = None if given.cases is None else given.cases.split(",")
    for case in CASES:
        name = Path(case.name).name
        if wanted is not None and name not in wanted:
            continue
        if Path(case.name).is_absolute() and not Path(case.name).exists():
            print(f"{name}: skipped: its files are not beside the repository\n")
            continue
        if given.kept:
            known = _kept(given.keep) if given.keep else {}
            shown(case, [line for line in known.values() if line["setting"] in case.keys])
        else:
            shown(case, list(measured(case, given.releases, given.keep)))


if __name__ == "__main__":
    main()
