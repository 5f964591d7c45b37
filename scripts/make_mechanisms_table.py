# SPDX-License-Identifier: MIT
"""Compare the location mechanisms at equal epsilon; write the table into docs/mechanisms.md.

Small networks are enumerated, condensers counted as units: all figures are exact. IEEE 118 is drawn
from a seed. Values carry no noise here: only the mechanisms of phase 1 differ.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from between import put

from pocin import api
from pocin.audit.apart import taken
from pocin.audit.enumerate import MOST, Table, exact_loss, laws
from pocin.audit.shuffles import SHUFFLES
from pocin.privacy.location import mechanism
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.audit.shuffles import Product

EPSILONS = (Fraction(1), Fraction(2), Fraction(4))


@dataclass(frozen=True)
class Case:
    """A network's sites, and the value of the element that really stands at each."""

    name: str
    metric: Hops
    real: Any

    @property
    def alpha(self) -> int:
        """The default alpha-location."""
        return self.metric.covering()


def case(name: str, *, condensers: bool) -> Case:
    """Read a built-in case."""
    grid = api.read(name).content
    units = grid.units if condensers else grid.units.take(grid.units.pmax > 0)
    ends = np.column_stack([grid.branches.from_bus, grid.branches.to_bus])
    order = np.argsort(units.bus, kind="stable")
    at = np.searchsorted(grid.buses.id, units.bus[order])
    metric = Hops(np.searchsorted(grid.buses.id, ends), len(grid.buses), at)
    return Case(name, metric, units.pmax[order])


def judged(case: Case, element_at: Any) -> tuple[float, float, float]:
    """Return mean hops moved, the share that moved, and the share of informed MW found at 20 %."""
    n = len(case.real)
    hops = case.metric.matrix()[element_at, np.arange(n)]
    found = taken(case.real[element_at], case.real) / taken(case.real, case.real)
    return float(hops.mean()), float(np.mean(element_at != np.arange(n))), found


def exact(case: Case, shuffle: Product) -> tuple[Any, float | None]:
    """Return the exact means, and the exact worst swap where all truths can be gone through.

    Elements are named by their values, as noisy values order the sealed records.
    """
    n = len(case.real)
    table = Table.of(case.metric)
    name = np.argsort(np.argsort(case.real, kind="stable"))  # of the element at each site
    truth = np.argsort(name)
    probability = laws(shuffle, table, truths=truth[None]).probability[0, :-1]
    outputs = (truth[list(order)] for order in permutations(range(n)))
    means = probability @ np.array([judged(case, element_at) for element_at in outputs])
    if n > MOST:
        return means, None
    worst = exact_loss(laws(shuffle, table), float(shuffle.epsilon), float(shuffle.alpha)).worst
    return means, worst


def drawn(case: Case, name: str, epsilon: Fraction, runs: int) -> Any:
    """Return the means over seeded draws, and their standard errors."""
    sampler = mechanism(name)(epsilon, Fraction(case.alpha))
    shuffle = SHUFFLES[name][0](epsilon, Fraction(case.alpha))
    noise, n = SeededNoise(0), len(case.real)
    names = np.argsort(np.argsort(case.real, kind="stable"))
    by_name = np.argsort(names)
    found = []
    for _ in range(runs):
        sites = sampler.draw(np.arange(n), case.metric, noise)
        found.append(judged(case, by_name[shuffle.place(sites, names, case.metric, None)]))
    return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(runs)


def rows(runs: int) -> Iterator[str]:
    """Yield the table's lines."""
    yield (
        "| network | elements | alpha (hops) | epsilon | mechanism | mean hops moved | moved "
        "| informed MW found at 20 % | worst swap, exact |"
    )
    yield "|---|---:|---:|---:|---|---:|---:|---:|---:|"
    for small in (case(name, condensers=True) for name in ("ieee14", "ieee30", "ieee57")):
        for epsilon in EPSILONS:
            for name, (shuffle, _) in SHUFFLES.items():
                means, worst = exact(small, shuffle(epsilon, Fraction(small.alpha)))
                shown = "" if worst is None else f"{worst:.3f}"
                yield line(small, f"{epsilon} | {name}", means, shown)
        yield line(small, "0 | uniform", uniform(small), "0")
    large = case("ieee118", condensers=False)
    for epsilon in EPSILONS:
        for name in SHUFFLES:
            means, errors = drawn(large, name, epsilon, runs)
            yield line(large, f"{epsilon} | {name}", means, "", errors)
    yield line(large, "0 | uniform", uniform(large), "0")


def uniform(case: Case) -> Any:
    """Return the exact means of a uniformly random permutation."""
    n = len(case.real)
    found = taken(np.zeros(n), case.real) / taken(case.real, case.real)
    return float(case.metric.matrix().mean()), 1 - 1 / n, found


def line(case: Case, what: str, means: Any, worst: str, errors: Any = None) -> str:
    """Return a line of the table."""
    within = [
        "" if errors is None else f" ± {error:.3f}"
        for error in ([0] * 3 if errors is None else errors)
    ]
    cells = " | ".join(f"{mean:.3f}{error}" for mean, error in zip(means, within, strict=True))
    return f"| {case.name} | {len(case.real)} | {case.alpha} | {what} | {cells} | {worst} |"


def main() -> None:
    """Write the table between its markers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4_000)
    put("\n".join(rows(parser.parse_args().runs)), "mechanisms.md", "table")


if __name__ == "__main__":
    main()
