# SPDX-License-Identifier: MIT
"""Road weights and single trips, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pocin import style
from pocin.study.blocks import Figure, Said, Section
from pocin.study.prepared import prepare
from pocin.study.results import picked, values

if TYPE_CHECKING:
    import polars as pl

    from pocin.study.blocks import Block
    from pocin.study.results import Results

SHOWN = 15
"""Trips drawn, evenly from the shortest to the longest."""


def weights(results: Results, grid: str = "weights") -> Section | None:
    """Draw the travel time of every link, and of a few trips."""
    sites, answers = results.of(grid, "sites"), results.of(grid, "answers")
    if sites is None or answers is None:
        return None
    case = sites["case"][0]
    blocks: list[Block] = [*_links(results, grid, sites), *_trips(grid, answers, sites)]
    return Section(f"Road weights and trips: {case}", blocks)


def _links(results: Results, grid: str, sites: pl.DataFrame) -> list[Block]:
    """Draw link times against link times."""
    alphas = values(sites, "alpha_location")
    said: list[Block] = []
    with style.paper():
        drawn, axes = style.panel("page", 0.42, ncols=len(alphas), squeeze=False)
        for alpha, at in zip(alphas, axes[0], strict=True):
            mine = picked(sites, alpha_location=alpha).sort("site")
            d, gamma = _public(results, grid, alpha)
            before, after = (d + gamma * mine[name].to_numpy() for name in ("original", "released"))
            at.scatter(before, after, s=3, color=style.BLUE, linewidths=0, rasterized=True)
            ends = [min(before.min(), after.min()), max(before.max(), after.max())]
            at.plot(ends, ends, color=style.GREY, linestyle=":", marker="")
            at.set(
                xlabel="time on the original", ylabel="time released", xscale="log", yscale="log"
            )
            at.set_title(rf"$\alpha_\ell$ = {alpha.replace('%', ' % of the ')}")
            moved = np.abs(after - before).sum() / before.sum()
            said.append(_weights_said(alpha, mine, float(moved)))
    caption = (
        "Travel time of every link, original against released, eps 1, beta 0.1, a figure for every "
        "trip; on the line nothing changed."
    )
    return [Figure(f"{grid}_links", caption, drawn), *said]


def _weights_said(alpha: str, rows: pl.DataFrame, moved: float) -> Said:
    """Say how far traffic is from the original's."""
    from scipy.stats import spearmanr

    rank = float(spearmanr(rows["original"], rows["released"]).statistic)
    return Said(
        f"Alpha {alpha}: link times change by {100 * moved:.0f} % of the total; the rank "
        f"correlation of released and real traffic is {rank:.2f}."
    )


def _public(results: Results, grid: str, alpha: str) -> tuple[np.ndarray, float]:
    """Return the public part of the link times, and gamma."""
    names = results.study.grids[grid]
    (task, *_) = (
        task for task in results.study.tasks
        if task.name in names and task.settings.alpha_location == alpha
    )  # fmt: skip
    public: Any = prepare(task.settings, task.source, results.study.root).planned.public
    return public.links.d, public.gamma


def _trips(grid: str, answers: pl.DataFrame, sites: pl.DataFrame) -> list[Block]:
    """Draw a few trips before and after phase 3."""
    beta = sites["beta"][0]
    alphas = values(answers, "alpha_location")
    said: list[Block] = []
    with style.paper():
        drawn, axes = style.panel("page", 0.42, ncols=len(alphas), squeeze=False)
        for alpha, at in zip(alphas, axes[0], strict=True):
            mine = picked(answers, alpha_location=alpha).sort("original")
            every = np.linspace(0, len(mine) - 1, SHOWN).round().astype(int)
            some = mine[every.tolist()]
            place, real = np.arange(1, len(some) + 1), some["original"].to_numpy()
            at.fill_between(
                place, (1 - beta) * real, (1 + beta) * real, color=style.FAINT, linewidth=0,
                label=rf"within $\beta$ = {beta:g}",
            )  # fmt: skip
            at.plot(place, real, color=style.VERMILION, marker="_", linestyle="", label="original")
            at.plot(
                place, some["before"], color=style.PURPLE, marker="+", linestyle="",
                label="before phase 3",
            )  # fmt: skip
            at.plot(
                place,
                some["released"],
                color=style.BLUE,
                marker="o",
                linestyle="",
                label="released",
            )
            at.set(xlabel="trip", ylabel="travel time")
            at.set_title(rf"$\alpha_\ell$ = {alpha.replace('%', ' % of the ')}")
            said.append(_trips_said(alpha, beta, mine))
        axes[0][0].legend()
    caption = f"Travel time of {SHOWN} trips, before and after phase 3, eps 1."
    return [Figure(f"{grid}_trips", caption, drawn), *said]


def _trips_said(alpha: str, beta: float, rows: pl.DataFrame) -> Said:
    """Say how many trips are within beta."""
    real = rows["original"].to_numpy()
    before, after = (
        100 * float(np.mean(np.abs(rows[name].to_numpy() - real) <= beta * real * (1 + 1e-9)))
        for name in ("before", "released")
    )
    return Said(
        f"Alpha {alpha}: {before:.0f} % of the {len(rows)} trips are within beta {beta:g} of their "
        f"own time before phase 3, {after:.0f} % after it.",
        agrees=after > 99 and after >= before,  # noqa: PLR2004
    )
