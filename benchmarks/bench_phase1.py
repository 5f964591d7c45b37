# SPDX-License-Identifier: MIT
"""Phase 1 on 40,000 links: the draws of all elements, and their assignment, at many alphas.

    OMP_NUM_THREADS=1 python benchmarks/bench_phase1.py

Processor seconds of one thread at epsilon 1, compiled before. The columns after the first two are
the draws under other values of ``PATIENCE``, which plays no part in the law.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from functools import partial
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from tables import seconds, table

from pocin.privacy.draws import seal
from pocin.privacy.noise import SeededNoise
from pocin.privacy.proposals import Proposals
from pocin.privacy.rounds import PATIENCE
from pocin.privacy.settings import Radius
from pocin.privacy.transport import assign_by_flow
from pocin.roads.city import make_city
from pocin.roads.columns import BOOK
from pocin.roads.split import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Ints
    from pocin.privacy.metric import Hops

ALPHAS = ("0.25hops", "1hops", "2hops", "4hops", "8hops", "5%", "25%", "1%nodes", "25%nodes")
PATIENCES = (0.3, 1.0, 3.0, 30.0)
MOST = 15.0
"""Seconds that phase 1 may take at any alpha."""


def rows(metric: Hops, node_count: int) -> Iterator[list[str]]:
    """Yield a row for every alpha."""
    sites, none = np.arange(len(metric)), np.zeros((len(metric), 0))
    for alpha in ALPHAS:
        hops = Radius.parse(alpha).hops(metric, node_count)
        x = 1 / (2 * hops)

        def draw(patience: float, x: Fraction = x) -> Ints:
            return Proposals(metric, x, patience).draw(sites, SeededNoise(1))

        spent = seconds(partial(draw, PATIENCE), process_time)
        draws, _ = seal(draw(PATIENCE), sites, none)
        placing = seconds(partial(assign_by_flow, draws, metric), process_time)
        others = [seconds(partial(draw, patience), process_time) for patience in PATIENCES]
        assert spent + placing < MOST
        shown = [f"{second:.2f}" for second in (spent, placing, *others)]
        yield [f"{alpha} ({float(hops):.4g})", *shown]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=40_000)
    roads = make_city(parser.parse_args().links, 8_000, 1)
    public, _ = split(roads, BOOK.find(None), 1.0)
    metric = public.metric
    Proposals(metric, Fraction(1, 4)).draw(np.arange(20), SeededNoise(0))  # compile
    near = np.arange(len(metric)) // 2
    assign_by_flow(seal(near, near, np.zeros((len(near), 0)))[0], metric)  # compile
    heads = ["alpha (hops)", "draws, s", "assignment, s"]
    heads += [f"draws at patience {p:g}" for p in PATIENCES]
    print(table(heads, rows(metric, public.node_count)))


if __name__ == "__main__":
    main()
