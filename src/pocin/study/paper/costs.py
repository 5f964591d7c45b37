# SPDX-License-Identifier: MIT
"""Dispatch of units and buses, and the costs of the released networks' own optima."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin import style
from pocin.study.blocks import Figure, Said, Section, Table
from pocin.study.paper import printed
from pocin.study.results import picked, values

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl
    from matplotlib.axes import Axes

    from pocin.study.blocks import Block
    from pocin.study.results import Results

TWICE = 2.0
UNITS, BUSES = "output of units (MW)", "injection at buses (MW)"


def dispatch(results: Results) -> Section | None:
    """Draw what units and buses put out, before and after."""
    answers, sites = results.of("dispatch", "answers"), results.of("dispatch", "sites")
    if answers is None or sites is None:
        return None
    alphas = values(answers, "alpha_location")
    with style.paper():
        drawn, axes = style.panel("page", 0.55, nrows=len(alphas), ncols=2, squeeze=False)
        blocks: list[Block] = []
        for alpha, (left, right) in zip(alphas, axes, strict=True):
            mine = picked(answers, alpha_location=alpha)
            moved = _followed(mine, picked(sites, alpha_location=alpha))
            buses = picked(mine, answer=BUSES)
            _pairs(
                left, moved[0], moved[1], f"units, in order of output ($\\alpha$ = {_tex(alpha)})"
            )
            known = buses.filter(buses["original"].abs() + buses["released"].abs() > 1e-3)  # noqa: PLR2004
            before, after = known["original"].to_numpy(), known["released"].to_numpy()
            _pairs(right, before, after, f"buses with units ($\\alpha$ = {_tex(alpha)})")
            blocks.append(_said(alpha, moved, (before, after)))
        axes[0][0].legend()
    caption = (
        "Active dispatch on the 118 buses, eps 1, beta 0.01, alpha_v 0.1 p.u.: of each unit, "
        "wherever the release puts it (left), and at each bus (right), in order of the original."
    )
    return Section("Dispatch", [Figure("dispatch", caption, drawn), *blocks])


def _tex(text: str) -> str:
    """Escape a percent sign for a formula's neighbour."""
    return text.replace("%", r" %")


def _followed(answers: pl.DataFrame, sites: pl.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each unit's output before and, at the site where it stands, after."""
    mine = picked(answers, answer=UNITS).sort("index")
    came = sites.sort("site")["came_from"].to_numpy()
    return mine["original"].to_numpy()[came], mine["released"].to_numpy()


def _pairs(axes: Axes, before: np.ndarray, after: np.ndarray, label: str) -> None:
    """Draw pairs in the order of the first."""
    from matplotlib.ticker import MaxNLocator

    order = np.argsort(-before, kind="stable")
    place = np.arange(len(order))
    original, released = style.ROLES["original"], style.ROLES["released"]
    axes.vlines(place, before[order], after[order], color=style.FAINT, linewidth=0.8)
    axes.plot(place, before[order], **original.line | {"linestyle": ""})
    axes.plot(place, after[order], **released.line | {"linestyle": ""})
    axes.set(xlabel=label, ylabel="MW")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _said(
    alpha: str,
    units: tuple[np.ndarray, np.ndarray],
    buses: tuple[np.ndarray, np.ndarray],
) -> Said:
    """Say how much of the dispatch moved."""
    by_unit, by_bus = (np.abs(a - b).sum() / a.sum() / 2 for a, b in (units, buses))
    rank = _rank_correlation(*buses)
    return Said(
        f"Alpha {alpha}: {100 * by_unit:.0f} % of the MW leave their unit and {100 * by_bus:.0f} % "
        f"their bus; the rank correlation of the buses' outputs is {rank:.2f} (0 tells nothing, "
        "1 tells the order)."
    )


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Return Spearman's correlation."""
    from scipy.stats import spearmanr

    return float(spearmanr(a, b).statistic)


def costs(results: Results) -> Section | None:
    """Draw and tabulate the gap of the released networks' own optima."""
    rows = results.of("costs")
    if rows is None:
        return None
    alphas, betas, policies = (values(rows, c) for c in ("alpha_location", "beta", "policy"))
    with style.paper():
        drawn, axes = style.panel("page", 0.36, ncols=len(betas), squeeze=False)
        for beta, at in zip(betas, axes[0], strict=True):
            for policy, colour, shift in zip(
                policies, (style.BLUE, style.GREEN), (-0.1, 0.1), strict=False
            ):
                gaps = [_gaps(rows, policy, beta, alpha) for alpha in alphas]
                at.errorbar(
                    np.arange(len(alphas)) + shift,
                    [gap.mean() if len(gap) else np.nan for gap in gaps],
                    [_deviation(gap) for gap in gaps],
                    color=colour, marker="o" if shift < 0 else "^", linestyle="", label=policy,
                )  # fmt: skip
            for edge in (-100 * beta, 100 * beta):
                at.axhline(edge, color=style.GREY, linestyle=":", linewidth=0.8)
            at.set(xlabel=r"$\alpha_\ell$ (of the diameter)", ylabel="cost difference (%)")
            at.set_xticks(range(len(alphas)), alphas)
            at.set_title(rf"$\beta$ = {beta:g}")
        labels = axes[0][0].get_legend_handles_labels()
        drawn.legend(*labels, loc="outside upper center", ncols=len(policies))
    caption = (
        "Cost of the released networks' own AC optimum against the original's on the 118 buses, "
        "mean and standard deviation of the faithful releases; dotted: the band allowed."
    )
    return Section("Cost differences", [Figure("costs", caption, drawn), *_cost_blocks(rows)])


def _gaps(rows: pl.DataFrame, policy: str, beta: float, alpha: str) -> np.ndarray:
    """Return the gaps of faithful releases, in percent."""
    mine = picked(rows, policy=policy, beta=beta, alpha_location=alpha, outcome="faithful")
    return 100 * mine["gap"].to_numpy()


def _deviation(numbers: np.ndarray) -> float:
    """Return the standard deviation; none is known of one number."""
    return float(numbers.std(ddof=1)) if len(numbers) > 1 else float("nan")


def _cost_blocks(rows: pl.DataFrame) -> Iterator[Block]:
    """Tabulate gaps, outcomes and errors, and say what they show."""
    table, faithful, ratios = [], [], []
    for policy in values(rows, "policy"):
        for beta in values(rows, "beta"):
            for alpha in values(rows, "alpha_location"):
                mine = picked(rows, policy=policy, beta=beta, alpha_location=alpha)
                gaps = _gaps(rows, policy, beta, alpha)
                ratio = mine["error_to_noise"].drop_nulls().to_numpy()
                within = int((mine["outcome"] == "faithful").sum())
                how = mine["bilevel"].to_list()
                table.append([
                    policy, beta, alpha, len(mine), within, float(gaps.mean()),
                    _deviation(gaps), how.count("certified"), how.count("tightened"),
                    how.count("reassigned"), float(np.median(ratio)), float(ratio.max()),
                    float(mine["mean_hops"].to_numpy().mean()),
                ])  # fmt: skip
                faithful.append((within, len(mine)))
                ratios.append(ratio)
    yield Table(
        "costs",
        "Releases of the 118 buses: faithful ones, their cost difference in percent (mean and "
        "standard deviation), how phase 3 ended, ||v. - v|| / ||v~ - v||, and hops moved.",
        ["policy", "beta", "alpha", "runs", "faithful", "mean %", "deviation %", "certified",
         "tightened", "reassigned", "error ratio, median", "largest", "mean hops"],
        table,
    )  # fmt: skip
    good, of = (sum(column) for column in zip(*faithful, strict=True))
    yield Said(
        f"{good} of {of} releases have their own optimum within beta of the original's "
        "(the paper: largely within).",
        agrees=good >= 0.95 * of,
    )
    every = np.concatenate(ratios)
    yield Said(
        f"The error is at most twice the noise (the paper's Theorem 4) in "
        f"{100 * np.mean(every <= TWICE):.0f} % of the releases, at most {every.max():.1f} times. "
        "The theorem needs the true values to be feasible at the shuffled sites.",
        agrees=bool(np.all(every <= TWICE)),
    )


def timed(results: Results) -> Section | None:
    """Tabulate how long a release takes."""
    rows = []
    for grid, limit in (
        ("costs", printed.MINUTE),
        ("roads", None),
        ("annarbor", printed.TWENTY_MINUTES),
    ):
        found = results.of(grid, "timings")
        if found is None or "phase3" not in found.columns:
            continue
        for case in values(found, "case"):
            mine = picked(found, case=case)
            parts = mine.select("phase1", "phase2", "phase3", "certify").sum_horizontal().to_numpy()
            rows.append([case, len(mine), float(np.median(parts)), float(parts.max()), limit])
    if not rows:
        return None
    table = Table(
        "times",
        "Seconds of a release on one busy processor, by the clock: phases 1 to 3 and the "
        "certificate; the paper's limits.",
        ["network", "releases", "median", "longest", "paper, under"],
        rows,
    )
    return Section("Times", [table])
