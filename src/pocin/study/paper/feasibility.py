# SPDX-License-Identifier: MIT
"""Table 1: how often an AC optimum exists after phase 2, without phase 3.

With m units without capacity noised, each comes out negative with probability 1/2, so that at most
2^-m of the networks have a dispatch at all: a prediction to set beside what is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.study.paper import printed
from pocin.study.paper.blocks import Said, Section, Table
from pocin.study.paper.results import picked, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from pocin.study.paper.blocks import Cell
    from pocin.study.paper.results import Results

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
    return round(100 * float(np.mean(rows["feasible_before"])), 1) if len(rows) else None


def _said(there: dict[str, pl.DataFrame]) -> Iterator[Said]:
    """Say what the table shows, against the prediction and against the paper."""
    import polars as pl

    if FAULTY in there:
        for case in values(there[FAULTY], "case"):
            rows = picked(there[FAULTY], case=case)
            share = _share(rows) or 0.0
            negative = rows.filter(pl.col("reason_before").str.contains("negative"))
            ours, theirs = share / 100, np.mean(list(printed.FEASIBLE[case].values())) / 100
            apart = abs(ours - theirs) / _se(ours, theirs, len(rows), 5 * printed.RUNS)
            yield Said(
                f"{case}: with condensers noised {share:.1f} % of {len(rows)} draws are feasible, "
                f"in the paper {100 * theirs:.1f} % ({apart:.1f} standard errors apart); "
                f"{100 * len(negative) / len(rows):.1f} % fail by a negative capacity alone.",
                agrees=bool(apart < 3),  # noqa: PLR2004
            )
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
        yield Said(
            f"With condensers left as they are, feasible before phase 3: {spans} (over policies "
            "and alphas). The paper takes its figures as the need for phase 3; they are for the "
            "most part the sign of the noise on units without capacity.",
            agrees=bool(most <= 12),  # noqa: PLR2004  (the most that the paper prints)
        )


def _se(one: float, two: float, runs_one: int, runs_two: int) -> float:
    """Return the standard error of the difference of two shares, with half a success added."""
    shares = (
        ((one * runs_one + 0.5) / (runs_one + 1), runs_one),
        (
            (two * runs_two + 0.5) / (runs_two + 1),
            runs_two,
        ),
    )
    return float(np.sqrt(sum(p * (1 - p) / n for p, n in shares)))
