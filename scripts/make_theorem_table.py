# SPDX-License-Identifier: MIT
"""Write the ratio ||v. - v|| / ||v~ - v|| of seeded draws into docs/guarantee.md."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from between import put

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT))


def rows(seeds: int) -> Iterator[str]:
    """Yield the table's lines."""
    theorem = import_module("tests.power.theorem")
    yield (
        "| model | network | alpha | beta | draws | true values feasible at the drawn sites "
        "| largest ratio there | largest ratio elsewhere |"
    )
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    for model, ratios in (("DC", theorem.dc_ratios), ("AC", theorem.ac_ratios)):
        for name in ("ieee14", "ieee30", "ieee57", "ieee118"):
            for alpha, beta in (("5%", 0.1), ("10%", 0.1), ("10%", 0.01)):
                found = ratios(name, alpha, beta, seeds)
                there = [ratio for ratio, feasible in found if feasible]
                other = [ratio for ratio, feasible in found if not feasible]
                yield (
                    f"| {model} | {name} | {alpha} | {beta} | {len(found)} | {len(there)} "
                    f"| {largest(there)} | {largest(other)} |"
                )


def largest(ratios: list[float]) -> str:
    """Print the largest ratio, if there is one."""
    return f"{max(ratios):.3f}" if ratios else ""


def main() -> None:
    """Write the table between its markers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    put("\n".join(rows(parser.parse_args().seeds)), "guarantee.md", "ratios")


if __name__ == "__main__":
    main()
