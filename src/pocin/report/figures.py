# SPDX-License-Identifier: MIT
"""Figures for papers, in one style: the map, the values, and the curator's attacks and truth.

Functions take axes, so that they can stand beside others; ``pocin figures`` writes each by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin import style
from pocin.report.html import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pocin.arrays import Floats
    from pocin.report.curator import Attacks, Record
    from pocin.report.maps import Map

MANY = 3000
"""Beyond so many points a scatter is a picture inside the vector file."""

_EDGE, _NOTHING = "#9aa5b1", "#ffffff"


def draw_map(axes: Axes, made: Map) -> None:
    """Draw the released network: marks by the size of what stands there."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    axes.set_axis_off()
    axes.set_aspect("equal")
    colours = np.array([to_rgb(colour) for colour in (_NOTHING, *style.RAMP)])[made.levels]
    lines = made.lines.reshape(-1, 2, 2)
    crowd = float(np.clip(np.sqrt(300 / max(len(lines), 1)), 0.15, 1.0))
    if made.drawing.on == "node":
        axes.add_collection(LineCollection(list(lines), colors=_EDGE, linewidths=0.6 * crowd))
        order = np.argsort(-made.sizes, kind="stable")
        axes.scatter(
            made.places[order, 0],
            made.places[order, 1],
            s=(made.sizes[order] * 0.42) ** 2,
            c=colours[order],
            edgecolors=_EDGE,
            linewidths=0.3,
            zorder=2,
        )
    else:
        wide = (0.4 + 0.2 * made.levels) * crowd
        shown = LineCollection(list(lines[made.marks]), colors=list(colours), linewidths=wide)
        shown.set_capstyle("round")
        axes.add_collection(shown)
    keys = [
        Patch(color=style.RAMP[level - 1], label=f"{number(low, 3)} to {number(high, 3)}")
        for level, low, high in made.steps
    ]
    axes.legend(
        handles=keys,
        ncols=3,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        title=f"released ({made.drawing.unit})",
        title_fontsize=7.5,
        handlelength=1.0,
        columnspacing=1.2,
    )
    axes.set_xlim(made.layout.xy[:, 0].min() - 15, made.layout.xy[:, 0].max() + 15)
    axes.set_ylim(made.layout.xy[:, 1].max() + 15, made.layout.xy[:, 1].min() - 15)


def draw_values(axes: Axes, values: Floats, unit: str) -> None:
    """Draw how released values above nothing are spread."""
    above = values[values > 0]
    axes.hist(above, bins=int(np.clip(np.sqrt(len(above)) * 1.5, 8, 40)), color=style.BLUE)
    axes.set_xlabel(f"released value ({unit})")
    axes.set_ylabel("sites")
    axes.locator_params(axis="y", integer=True)


def draw_truth(axes: Axes, record: Record, unit: str) -> None:
    """Draw the released value of every site against the true one: the curator's."""
    real, shown = record.really_here, record.released
    most = float(max(real.max(), shown.max())) * 1.03
    axes.plot([0, most], [0, most], color=style.GREY, linestyle=":", marker="")
    axes.scatter(
        real, shown, s=8, color=style.BLUE, alpha=0.7, linewidths=0, rasterized=len(real) > MANY
    )
    axes.set_aspect("equal")
    axes.set_xlim(0, most)
    axes.set_ylim(0, most)
    axes.set_xlabel(f"really there ({unit})")
    axes.set_ylabel(f"released ({unit})")


def draw_attacks(axes: Axes, attacks: Attacks) -> None:
    """Draw the damage of every attacker by budget: the curator's."""
    roles = [role for role in style.ATTACKERS if attacks.budgets[0].of(role)]
    wide = 0.8 / max(len(roles), 1)
    for i, role in enumerate(roles):
        hits = [budget.of(role) for budget in attacks.budgets]
        at = np.arange(len(hits)) + (i - (len(roles) - 1) / 2) * wide
        damage = [np.nan if hit is None else hit.damage for hit in hits]
        error = [(hit.error if hit else None) or np.nan for hit in hits]
        axes.bar(at, damage, wide * 0.92, **style.ROLES[role].bar)
        axes.errorbar(at, damage, error, fmt="none", ecolor=style.INK, elinewidth=0.7)
    axes.set_xticks(range(len(attacks.budgets)), [budget.label for budget in attacks.budgets])
    axes.grid(visible=False, axis="x")
    axes.set_ylabel(f"damage ({attacks.unit})".replace("$", r"\$"))
    axes.legend(ncols=2, loc="lower left", bbox_to_anchor=(-0.02, 1.0), handlelength=1.4)
