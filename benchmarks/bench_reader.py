# SPDX-License-Identifier: MIT
"""What a reader sees beyond cost: dispatch, line loading, prices and losses of released grids.

    python benchmarks/bench_reader.py                       118 and 300 buses

Seeds 0 to 9 at the alpha that covers every unit, default policy: medians of the comparison that
stands in the curator's record, released beside original.
"""

from __future__ import annotations

import sys
from typing import Any

from drawn import Releases
from tables import median, source, table

import pocin
from pocin import api
from pocin.plan import Request
from pocin.power.reader import reader_view

SEEDS = 10
HEADINGS = [
    "case", "beta", "mean hops moved", "cost", "outputs apart, sorted", "loading: correlation",
    "mean apart", "full lines, of those before", "median price", "price: correlation",
    "losses", "faithful",
]  # fmt: skip


def main() -> None:
    """Print a row for every case and beta."""
    rows = []
    for case in sys.argv[1:] or ("ieee118", "ieee300"):
        for beta in (0.1, 0.01):
            rows.append(row(case, beta))
            print(rows[-1], file=sys.stderr, flush=True)
    print(table(HEADINGS, rows))


def row(case: str, beta: float) -> list[str]:
    """Release from every seed and compare."""
    network = pocin.read(source(case))
    releases = Releases.of(network, Request(api.privacy(), beta=beta, seed=0))
    drawn = [releases.seed(seed) for seed in range(SEEDS)]
    views = [
        reader_view(network.content, one.finished.content, one.finished.certificate.solve)
        for one in drawn
    ]

    def middle(*path: Any) -> float:
        values = views
        for name in path:
            values = [value[name] for value in values]
        return median(values)  # type: ignore[arg-type]

    def ratio(*path: str) -> str:
        return f"{100 * (middle(*path, 'released') / middle(*path, 'original') - 1):+.1f} %"

    full = middle("loading", "full", 0), middle("loading", "full", 1)
    both = middle("loading", "full_in_both")
    price = middle("prices", "quantiles", 0, 1), middle("prices", "quantiles", 1, 1)
    return [
        case,
        f"{beta:g}",
        f"{median(one.mean_hops for one in drawn):.2f}",
        ratio("cost"),
        f"{100 * middle('dispatch', 'sorted_apart_share'):.0f} %",
        f"{middle('loading', 'correlation'):.2f}",
        f"{100 * middle('loading', 'mean_apart'):.0f} points",
        f"{full[1]:g}, {both:g} of {full[0]:g}",
        f"{100 * (price[1] / price[0] - 1):+.1f} %",
        f"{middle('prices', 'correlation'):.2f}",
        ratio("losses"),
        f"{sum(one.finished.certificate.within for one in drawn)} of {SEEDS}",
    ]


if __name__ == "__main__":
    main()
