# SPDX-License-Identifier: MIT
r"""Which caps contradict the cuts.

Where rows contradict each other the dual has no maximum: some rows stay missed however long the
ascent lasts, and the multipliers of the rows in conflict grow along a ray. From one look at the
ascent to the next, a row whose violation did not fall is *hurt*. Conflicts are many and far apart,
so that every hurt row blames, of the caps that share a link with it, those that grew most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.projection import AT_MOST

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.projection import Projection, Rows

STUCK = 1e-4
"""A row that is missed by less than this share of its bound is only slow."""

FELL = 0.5
"""A violation that fell below this share of what it was is only slow, too."""

GREW = 0.3
"""What grew at least this share of the most that grew nearby belongs to the ray."""

PATIENCE = 60
"""Sweeps between two looks."""


class Conflicts:
    """Looks at an ascent from time to time."""

    def __init__(self) -> None:
        self.sweeps = 0
        self.m, self.violation = np.zeros(0), np.zeros(0)

    def release(self, projection: Projection, free: Mask, sweeps: int) -> Ints:
        """Take the caps to blame back, if it is time to look; return their trips.

        ``free`` says of which trips the caps may be taken. What grew in the conflict would take
        thousands of sweeps to shrink: the multipliers on the ray begin anew.
        """
        self.sweeps += sweeps
        if self.sweeps < PATIENCE:
            return np.zeros(0, dtype=np.int64)
        grown, hurt = self._looked(projection)
        rows = projection.rows
        caps = (rows.sign == AT_MOST) & free[rows.trip] & (grown > 0)
        if hurt.any() and caps.any():
            caps[caps] = _on_ray(rows.only(hurt), rows.only(caps), grown[caps], len(projection.d))
        else:
            caps[:] = False
        trips: Ints = rows.trip[caps]
        if len(trips):
            near = grown > 0
            near[near] = _on_ray(rows.only(hurt), rows.only(near), grown[near], len(projection.d))
            projection.m[near] = 0.0
            projection.drop(caps)
        self.sweeps, self.m, self.violation = 0, projection.m.copy(), projection.violation()
        return trips

    def _looked(self, projection: Projection) -> tuple[Floats, Mask]:
        """Return how multipliers grew since the last look, and which rows are hurt."""
        known, violation = len(self.m), projection.violation()
        grown, hurt = projection.m.copy(), violation > STUCK
        grown[:known] -= self.m
        hurt[known:] = False
        hurt[:known] &= violation[:known] > FELL * self.violation
        return grown, hurt


def _on_ray(hurt: Rows, rows: Rows, grown: Floats, size: int) -> Mask:
    """Return which rows grew much, of those that share a link with a hurt one."""
    most = hurt.gather(rows.spread(grown, size, np.maximum, 0.0), np.maximum)
    enough = rows.gather(hurt.spread(most, size, np.minimum, np.inf), np.minimum)
    found: Mask = grown >= GREW * enough
    return found
