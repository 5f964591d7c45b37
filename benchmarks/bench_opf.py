# SPDX-License-Identifier: MIT
"""AC-OPF objectives against the figures that the archives print.

Prints a Markdown table, times in seconds of the processor, and ends with 1 where an objective
differs in a printed digit.
"""

from __future__ import annotations

import sys
from time import process_time

from tables import NESTA, all_cases, cases, median, seconds, source, table

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

    built = median(seconds(build, process_time) for _ in range(REPEATS))
    found = optimum(grid)  # builds the model that the timed solves share
    solving = median(seconds(lambda: optimum(grid), process_time) for _ in range(REPEATS))
    cost = found.cost
    # PGLib prints five digits, NESTA two decimals
    published = f"{network.published:.4e}" if network.published else NESTA[name]
    same = published == (f"{cost:.4e}" if network.published else f"{cost:.2f}")
    row = [
        name,
        f"{cost:.4f}",
        published,
        "yes" if same and found.solved else "NO",
        str(found.iterations),
        f"{built:.3f}",
        f"{solving:.3f}",
    ]
    return row, same and found.solved


if __name__ == "__main__":
    sys.exit(main())
