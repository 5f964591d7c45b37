# SPDX-License-Identifier: MIT
"""Table 1: how often an AC optimum exists after phase 2, without phase 3.

With m units without capacity noised, each comes out negative with probability 1/2, so that at most
2^-m of the networks have a dispatch at all: a prediction to set beside what is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.study.blocks import Said, Section, Table
from pocin.study.paper import printed
from pocin.study.results import picked, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from pocin.study.blocks import Cell
    from pocin.study.results import Results

TITLE = "Feasibility before phase 3 (Table 1)"
CLEAN, FAULTY = "left as they are", "noised too"


def section(results: Results) -> Section | None:
    """Tabulate both variants under every policy."""
    found = {CLEAN: results.of("feasibility"), FAULTY: results.of("condensers")}
    there = {name: rows for name, rows in found.items() if rows is not None}
    if not there:
        return None
    alphas = values(next(iter(there.values())), "alpha_location")
    rows = [row for name, given in there.items() for row in _rows(name, given, alphas)]
    table = Table(
        "table1_feasibility",
        "Networks with an AC optimum after phase 2, percent; the paper's figures in the rows "
        "'paper'. Units without capacity (condensers) are noised in the paper.",
        ["network", "condensers", "policy", "runs", *(f"alpha {alpha}" for alpha in alphas)],
        sorted([*_printed(alphas), *rows], key=lambda row: _order(str(row[0]))),
    )
    return Section(TITLE, [table, *_said(there)])


def _order(case: str) -> int:
    """Sort networks by their size, which ends their names."""
    return int("".join(sign for sign in case if sign.isdigit()) or 0)


def _printed(alphas: list[str]) -> Iterator[list[Cell]]:
    """Yield the paper's rows."""
    for case, shares in printed.FEASIBLE.items():
        row = (shares.get(alpha) for alpha in alphas)
        yield [case, "noised too", "paper", printed.RUNS, *row]


def _rows(name: str, rows: pl.DataFrame, alphas: list[str]) -> Iterator[list[Cell]]:
    """Yield the percentages of a variant."""
    for case in values(rows, "case"):
        for policy in values(rows, "policy"):
            mine = picked(rows, case=case, policy=policy)
            runs = len(mine) // len(alphas)
            yield [
                case,
                name,
                policy,
                runs,
                *(_share(picked(mine, alpha_location=a)) for a in alphas),
            ]


def _share(rows: pl.DataFrame) -> float | None:
    """Return the percentage that is feasible."""
    return round(100 * float(rows["feasible_before"].to_numpy().mean()), 1) if len(rows) else None


def _said(there: dict[str, pl.DataFrame]) -> Iterator[Said]:
    """Say what the table shows, against the prediction and against the paper."""
    if FAULTY in there:
        for case in values(there[FAULTY], "case"):
            yield _against_paper(case, picked(there[FAULTY], case=case), _condensers(case, there))
    if CLEAN in there:
        shares = {
            case: [
                _share(picked(there[CLEAN], case=case, policy=policy, alpha_location=alpha)) or 0.0
                for policy in values(there[CLEAN], "policy")
                for alpha in values(there[CLEAN], "alpha_location")
            ]
            for case in values(there[CLEAN], "case")
        }
        spans = ", ".join(f"{case} {min(s):.0f} to {max(s):.0f} %" for case, s in shares.items())
        most = max(max(given) for given in shares.values())
        printed_most = max(max(given.values()) for given in printed.FEASIBLE.values())
        yield Said(
            f"With condensers left as they are, feasible before phase 3: {spans} (over policies "
            f"and alphas); the paper prints at most {printed_most} %, and takes it as the need for "
            "phase 3. It is for the most part the sign of the noise on units without capacity.",
            agrees=most <= printed_most,
        )


def _condensers(case: str, there: dict[str, pl.DataFrame]) -> int | None:
    """Return how many units have no capacity: what the fault adds to the elements."""
    if len(there) < 2:  # noqa: PLR2004
        return None
    noised, clean = (int(picked(there[n], case=case)["elements"][0]) for n in (FAULTY, CLEAN))
    return noised - clean


def _against_paper(case: str, rows: pl.DataFrame, condensers: int | None) -> Said:
    """Compare a network's share with the paper's and with the prediction.

    Policies share our draws, and the paper's alphas seem to share theirs (6, 6, 6, 6, 6): one
    policy's draws stand for ours, one alpha's for the paper's.
    """
    import polars as pl

    one = picked(rows, policy=values(rows, "policy")[0])
    ours = (_share(one) or 0.0) / 100
    theirs = float(np.mean(list(printed.FEASIBLE[case].values()))) / 100
    apart = abs(ours - theirs) / _se(ours, theirs, len(one), printed.RUNS)
    negative = len(one.filter(pl.col("reason_before").str.contains("negative"))) / len(one)
    predicted = ""
    if condensers is not None:
        predicted = f", at most {100 * 0.5**condensers:.3g} % predicted for {condensers} condensers"
    return Said(
        f"{case}, condensers noised: {100 * ours:.1f} % of {len(one)} draws are feasible"
        f"{predicted}, {100 * theirs:.1f} % in the paper ({apart:.1f} standard errors apart); "
        f"{100 * negative:.1f} % fail by a negative capacity alone.",
        agrees=apart < 3,  # noqa: PLR2004
    )


def _se(one: float, two: float, runs_one: int, runs_two: int) -> float:
    """Return the standard error of the difference of two shares, by their common one.

    One success and one failure are added, so that 0 of n has an error too.
    """
    share = (one * runs_one + two * runs_two + 1) / (runs_one + runs_two + 2)
    return float(np.sqrt(share * (1 - share) * (1 / runs_one + 1 / runs_two)))
