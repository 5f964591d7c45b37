# SPDX-License-Identifier: MIT
"""Figure: where a unit lands, Pr[s] proportional to exp(-eps d / (2 alpha)), and with a plus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin import style
from pocin.study.blocks import Figure, Said, Section
from pocin.study.prepared import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Ints
    from pocin.study.grid import Study
    from pocin.study.task import Settings

RADII = (1, 2, 4)


def section(study: Study) -> Section | None:
    """Draw the probabilities for the most central unit of the study's largest grid of units."""
    asked = [task for task in study.tasks if task.settings.case == "nesta118"]
    if not asked:
        return None
    hops = _central(asked[0].settings, asked[0].source, study.root)
    return Section("Phase 1: where a unit lands", list(_blocks(hops)))


def _central(settings: Settings, source: str, root: str) -> Ints:
    """Return the hops from the site that is nearest to all others."""
    matrix = prepare(settings, source, root).planned.public.metric.matrix()
    hops: Ints = matrix[int(np.argmin(matrix.sum(axis=1)))]
    return hops


def law(hops: Ints, radius: float, sign: int = -1) -> Floats:
    """Pr[s] proportional to exp(sign d / (2 alpha)) at eps 1."""
    weight = np.exp(sign * (hops - hops.max() * (sign > 0)) / (2 * radius))
    share: Floats = weight / weight.sum()
    return share


def _blocks(hops: Ints) -> Iterator[Figure | Said]:
    """Draw a site's probability, and how far the unit goes."""
    distance = np.unique(hops)
    with style.paper():
        drawn, (left, right) = style.panel("page", 0.36, ncols=2)
        for radius, line, mark in zip(RADII, ("-", "--", "-."), "osD", strict=True):
            chance = law(hops, radius)
            label = rf"$\alpha_\ell$ = {radius} hop{'s' * (radius > 1)}"
            at = [chance[hops == d][0] for d in distance]
            left.plot(distance, at, color=style.BLUE, linestyle=line, marker=mark, label=label)
            far = [chance[hops <= d].sum() for d in distance]
            right.plot(distance, far, color=style.BLUE, linestyle=line, marker=mark, label=label)
        plus = law(hops, 1, sign=1)
        at = [plus[hops == d][0] for d in distance]
        far = [plus[hops <= d].sum() for d in distance]
        with_plus = {"color": style.VERMILION, "linestyle": ":", "marker": "v"}
        left.plot(distance, at, label=r"$\alpha_\ell$ = 1 hop, as printed (+)", **with_plus)
        right.plot(distance, far, **with_plus)
        left.set(xlabel="hops from the true site", ylabel="probability of one site", yscale="log")
        right.set(xlabel="hops from the true site", ylabel="share at most so far")
        drawn.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    yield Figure(
        "phase1",
        "Probabilities of phase 1 for the most central unit of the 118 buses, eps = 1: of one site "
        "at some hops (left), and of landing within them (right). In vermilion the law with the "
        "plus sign that the paper prints.",
        drawn,
    )
    near, near_plus = law(hops, 1)[hops <= 2].sum(), plus[hops <= 2].sum()  # noqa: PLR2004
    yield Said(
        f"At alpha 1 hop a unit stays within 2 hops with probability {near:.2f}; with the plus "
        f"sign of the paper's Equation (4) it would with {near_plus:.2g}, for farther would be "
        "likelier: the figure of the paper, which shows nearer sites likelier, is the minus sign.",
        agrees=None,
    )
