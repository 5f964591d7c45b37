# SPDX-License-Identifier: MIT
"""How many draws become faithful releases, how far capacities are moved, and how long it takes.

    python benchmarks/bench_fidelity.py --cases ieee300,pglib:case1354_pegase --beta 0.01 \
        --alpha 1%,5%,10% --seeds 20 --json fidelity.json

Every case is drawn and finished by the product's own flow, from seeds 0, 1, ... Times are the
solver's, in units of one AC-OPF of the original, solved once beside every release. Prints a
Markdown table and every failure with its reason; ``--json`` keeps a row for every release.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drawn import Releases
from tables import NESTA, cases, median, source, table

import pocin
from pocin import api
from pocin.plan import Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from drawn import Drawn

    from pocin.kinds import Network

CASES = ["ieee14", "ieee30", "ieee57", "ieee118", *NESTA]
COVERING = "covering"
"""The alpha-location by default: the fewest hops that cover every unit."""

CURES = ("tightened", "reassigned")

HEADINGS = [
    "case",
    "alpha (hops)",
    "beta",
    "draws",
    "P_CL converged",
    "certified",
    "of them tightened, re-assigned",
    "mean hops moved",
    "median distance, MW",
    "solver time, AC-OPFs",
    "largest",
]


@dataclass(frozen=True)
class Setting:
    """A case and the parameters of its releases."""

    case: str
    alpha: str
    beta: float
    policy: str

    def request(self, time_limit: float | None) -> Request:
        """What a curator would ask for, as research."""
        return Request(
            privacy=api.privacy(alpha_location=None if self.alpha == COVERING else self.alpha),
            beta=self.beta,
            policy=self.policy,
            time_limit=time_limit,
            seed=0,
        )


def main() -> None:
    """Run every setting and print one row for each."""
    asked = arguments()
    made: list[dict[str, Any]] = []
    lines, failures = [], []
    for case in cases(asked.cases):
        network = pocin.read(source(case))
        for alpha in asked.alpha:
            for beta in asked.beta:
                setting = Setting(case, alpha, beta, asked.policy)
                rows = list(releases(setting, network, asked.seeds, asked.time_limit))
                made += rows
                lines.append(line(setting, rows))
                failures += [told(row) for row in rows if not row["certified"]]
    print(table(HEADINGS, lines))
    print("\n".join(failures or ["No draw failed."]))
    if asked.json:
        asked.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def arguments() -> argparse.Namespace:
    """Read the command line; lists are separated by commas."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])

    def listed(text: str) -> list[str]:
        return text.split(",")

    def numbers(text: str) -> list[float]:
        return [float(part) for part in listed(text)]

    parser.add_argument("--seeds", type=int, default=50, help="draws for each setting")
    parser.add_argument("--cases", type=listed, default=CASES)
    parser.add_argument("--beta", type=numbers, default=[0.1])
    parser.add_argument(
        "--alpha", type=listed, default=["5%", COVERING], help="alpha-location, or 'covering'"
    )
    parser.add_argument("--policy", default="derived")
    parser.add_argument("--time-limit", type=float, help="as of pocin release")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every release's figures")
    return parser.parse_args()


def releases(
    setting: Setting, network: Network, seeds: int, time_limit: float | None
) -> Iterator[dict[str, Any]]:
    """Yield the figures of a release for every seed."""
    draws = Releases.of(network, setting.request(time_limit))
    for seed in range(seeds):
        print(f"{setting.case} {setting.alpha} {seed}", end="   \r", file=sys.stderr)
        opf = draws.opf_seconds()
        yield {
            **vars(setting),
            "alpha_hops": float(draws.planned.guarantee.location.alpha),
            "seed": seed,
            "opf_seconds": opf,
            **figures(draws.seed(seed)),
        }


def figures(drawn: Drawn) -> dict[str, Any]:
    """Return what is kept of a release."""
    finished = drawn.finished
    return {
        "converged": drawn.restored.affordable,
        "p_cl": drawn.restored.solve.status,
        "excess": drawn.restored.excess,
        "certified": finished.certificate.within,
        "bilevel": finished.bilevel,
        "reason": finished.reason,
        "own_optimum": finished.certificate.own_optimum,
        "distance": finished.distance,
        "error_to_noise": drawn.error_to_noise,
        "mean_hops": drawn.mean_hops,
        "solves": len(drawn.solves),
        "restore_seconds": drawn.solver_seconds(restoring=True),
        "certify_seconds": drawn.solver_seconds(restoring=False),
    }


def line(setting: Setting, rows: list[dict[str, Any]]) -> list[str]:
    """Return the table's row for a setting."""
    opf = median(row["opf_seconds"] for row in rows)
    times = [(row["restore_seconds"] + row["certify_seconds"]) / opf for row in rows]
    return [
        setting.case,
        f"{setting.alpha} ({rows[0]['alpha_hops']:g})",
        f"{setting.beta:g}",
        str(len(rows)),
        share(rows, "converged"),
        share(rows, "certified"),
        ", ".join(str(sum(row["bilevel"] == how for row in rows)) for how in CURES),
        f"{sum(row['mean_hops'] for row in rows) / len(rows):.2f}",
        f"{median(row['distance'] for row in rows):.2f}",
        f"{median(times):.1f}",
        f"{max(times):.1f}",
    ]


def share(rows: list[dict[str, Any]], name: str) -> str:
    """Return in how many rows it holds, in percent."""
    return f"{100 * sum(row[name] for row in rows) / len(rows):.0f} %"


def told(row: dict[str, Any]) -> str:
    """Say which draw failed, and why."""
    where = f"{row['case']}, alpha {row['alpha']}, beta {row['beta']:g}, seed {row['seed']}"
    return f"- {where}: {row['reason']}"


if __name__ == "__main__":
    main()
