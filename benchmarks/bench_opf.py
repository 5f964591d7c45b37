# SPDX-License-Identifier: MIT
"""AC-OPF objectives against the figures that the archives print.

Prints a Markdown table, and ends with 1 where an objective differs in a printed digit.
"""

from __future__ import annotations

import statistics
import sys

from tables import NESTA, all_cases, cases, seconds, source, table

import pocin
from pocin.power.curves import shape_of
from pocin.power.opf import AcModel, optimum
from pocin.power.wires import Wires

REPEATS = 5


def main() -> int:
    """Solve every case and compare."""
    rows, agreed = [], True
    for name in cases(all_cases()):
        row, same = compare(name)
        rows.append(row)
        agreed &= same
    headings = ["case", "objective", "published", "agrees", "iterations", "build s", "solve s"]
    print(table(headings, rows))
    return 0 if agreed else 1


def compare(name: str) -> tuple[list[str], bool]:
    """Solve a case; build its model anew, for cases of one topology share theirs."""
    network = pocin.read(source(name))
    grid = network.content

    def build() -> None:
        model = AcModel(Wires.of(grid), *shape_of(grid.costs.take(grid.live_units)))
        model.solver({})

    built = statistics.median(seconds(build) for _ in range(REPEATS))
    found = [optimum(grid) for _ in range(REPEATS)]
    cost = found[0].cost
    # PGLib prints five digits, NESTA two decimals
    published = f"{network.published:.4e}" if network.published else NESTA[name]
    same = published == (f"{cost:.4e}" if network.published else f"{cost:.2f}")
    row = [
        name,
        f"{cost:.4f}",
        published,
        "yes" if same and found[0].solved else "NO",
        str(found[0].iterations),
        f"{built:.3f}",
        f"{statistics.median(solve.seconds for solve in found):.3f}",
    ]
    return row, same and found[0].solved


if __name__ == "__main__":
    sys.exit(main())
