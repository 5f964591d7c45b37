# SPDX-License-Identifier: MIT
"""A grid as a map shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Drawing

if TYPE_CHECKING:
    from pocin.power.grid import Grid


def drawing(grid: Grid) -> Drawing:
    """Return live buses, lines between them, and their units; grid files carry no coordinates."""
    buses = np.sort(grid.buses.id[grid.live_buses])
    lines = grid.branches.take(grid.live_branches)
    units = grid.units.take(grid.live_units)
    unknown = np.full(len(buses), np.nan)
    return Drawing(
        nodes=buses,
        x=unknown,
        y=unknown,
        edges=np.flatnonzero(grid.live_branches) + 1,
        ends=np.searchsorted(buses, np.column_stack([lines.from_bus, lines.to_bus])),
        directed=False,
        on="node",
        at=np.searchsorted(buses, units.bus),
        values=units.pmax,
        unit="MW",
        node_word="bus",
        edge_word="branch",
        element_word="generating unit",
    )
