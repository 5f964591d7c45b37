# SPDX-License-Identifier: MIT
"""The bi-level problem on the DC model: how often, how fast and by whom it is solved and proved.

    python benchmarks/bench_dc.py                          14, 30, 57 and 118 buses
    python benchmarks/bench_dc.py --cases ieee118 --seeds 5 --seconds 600

The draws are the product's own, from seeds 0, 1, ... at the alpha that covers every unit, on the
sites of phase 1. The cost figure is the DC optimum of the original times 1, 1.1 and 1.2: at 1 the
relaxation P_CL is nearly always enough; a figure that was declared too high puts its point below
the band, and then the mixed-integer program must find the nearest point and prove it. Times are of
the processor; the limit is the clock's.

Theorem 5 is checked on the same draws with no room (the paper's P_CL): where the true values are
feasible at the sites that were drawn, the released ones are no farther from them than the noise.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from tables import cases, median, source, table

import pocin
from pocin import api, flow
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.power.dc.engines import Highs, Scip
from pocin.power.dc.exact import nearest
from pocin.power.dc.finish import bilevel
from pocin.power.dc.problem import Norm
from pocin.power.dc.relaxed import project
from pocin.power.placed import place
from pocin.power.public import MEGAWATT
from pocin.privacy.location import assign
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.power.dc.exact import Nearest
    from pocin.power.dc.problem import Bilevel

CASES = ("ieee14", "ieee30", "ieee57", "ieee118")
FIGURES = (1.0, 1.1, 1.2)
BETA = 0.01
SAME = 1e-3
"""Two solvers that both proved their optimum differ by less, relative."""

HEADINGS = [
    "case", "figure", "norm", "solver", "draws", "P_CL enough", "proved", "nothing feasible",
    "largest gap", "median s", "largest s", "rows that may bind", "nodes",
]  # fmt: skip


def main() -> None:
    """Solve, and print the tables."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--cases", type=lambda text: text.split(","), default=CASES)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=600, help="for each mixed-integer program")
    asked = parser.parse_args()
    rows, theorem, apart = [], [], 0.0
    for case in cases(asked.cases):
        drawn = [Drawn.of(case, seed) for seed in range(asked.seeds)]
        theorem.append(checked(case, drawn))
        for figure in FIGURES:
            for norm in Norm:
                found = {}
                for engine in (Highs(seconds=asked.seconds), Scip(seconds=asked.seconds)):
                    made = [solved(one.problem(figure), norm, engine) for one in drawn]
                    found[engine.name] = [each for each, _ in made]
                    rows.append([case, f"{figure:g}", norm.value, engine.name, *line(made)])
                    print(rows[-1], flush=True)
                apart = max([apart, *differences(*found.values())])
    print(table(HEADINGS, rows))
    print(f"Where both proved an optimum, they differ by at most {apart:.1e}, relative.\n")
    titles = ["case", "beta", "draws", "true values feasible", "error/noise there", "error/noise"]
    print(table(titles, [row for part in theorem for row in part]))


@dataclass(frozen=True)
class Drawn:
    """A seed's draws at their sites, the true values there, and the DC optimum of the original."""

    placed: Any
    true: Any
    optimum: float

    @classmethod
    def of(cls, case: str, seed: int) -> Drawn:
        """Draw from a seed."""
        network = pocin.read(source(case))
        cost = pocin.solve(network, model="dc").cost
        assert cost is not None
        planned = plan(network, Request(seed=seed, choices=api.choices(model="dc"),
                                        cost_figure=cost))  # fmt: skip
        draws, trace, _ = flow.draw(planned, SeededNoise(seed), lambda _: None)
        record = assign(draws, planned.public.metric)
        values = MEGAWATT.real(draws.values)
        placed = place(planned.public, values, draws.moved, record)
        true = planned.kind.values.real(planned.secret.values)[trace.element[record]]
        return cls(placed, true, cost)

    def problem(self, figure: float, beta: float = BETA) -> Bilevel:
        """Return P_BL for a multiple of the optimum as the cost figure."""
        return bilevel(self.placed, Goal(figure * self.optimum, beta))


def solved(problem: Bilevel, norm: Norm, engine: Any) -> tuple[Nearest, float]:
    """Solve P_BL and time it."""
    began = process_time()
    return nearest(problem, norm, engine), process_time() - began


def line(made: list[tuple[Nearest, float]]) -> list[str]:
    """Return what is shown of a case's draws."""
    found, times = [each for each, _ in made], [seconds for _, seconds in made]
    feasible = [each for each in found if each.v is not None]
    return [
        str(len(made)),
        str(sum(each.how == "relaxed" for each in found)),
        str(sum(each.proved for each in found)),
        str(len(found) - len(feasible)),
        f"{100 * max((each.gap for each in feasible), default=0.0):.2g} %",
        f"{median(times):.2f}",
        f"{max(times):.2f}",
        str(max(each.rows for each in found)),
        str(max(each.nodes for each in found)),
    ]


def differences(first: list[Nearest], second: list[Nearest]) -> Iterator[float]:
    """Yield how far the proved distances of two solvers are apart, relative."""
    for a, b in zip(first, second, strict=True):
        if a.proved and b.proved:
            apart = 0.0 if a.distance == b.distance else abs(a.distance - b.distance)
            yield apart / max(a.distance, 1.0) if np.isfinite(apart) else np.inf


def checked(case: str, drawn: list[Drawn]) -> list[list[str]]:
    """Return Theorem 5's ratios, ||v. - v|| / ||v~ - v||."""
    rows = []
    for beta in (0.1, 0.01):
        feasible: list[float] = []
        others: list[float] = []
        for one in drawn:
            problem = replace(one.problem(1.0, beta), room=1.0)
            v = project(problem, Norm.EUCLIDEAN)
            if v is None:
                continue
            ratio = np.linalg.norm(v - one.true) / np.linalg.norm(problem.noisy - one.true)
            there = project(replace(problem, noisy=one.true), Norm.EUCLIDEAN)
            held = there is not None and np.linalg.norm(there - one.true) <= SAME
            (feasible if held else others).append(float(ratio))
        rows.append([
            case, f"{beta:g}", str(len(drawn)), str(len(feasible)),
            f"{max(feasible):.3f}" if feasible else "", f"{max(feasible + others):.3f}",
        ])  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
