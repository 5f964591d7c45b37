# SPDX-License-Identifier: MIT
"""Phase 2: calibrated Laplace noise on values, in whole units of a public grid.

    value~ = max(0, value + Lap(alpha_v / eps_v))          in grid units

Changing the values by a total of c grid units changes the probability of any outcome by at most
exp(eps_v c / alpha_v). Clamping at zero is post-processing; drawing again until the value is
positive would not be.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pocin.arrays import Floats, Ints
    from pocin.privacy.noise import NoiseSource


@dataclass(frozen=True)
class ValueGrid:
    """The public grid that values live on: ``step`` of ``unit``, such as 0.01 MW."""

    step: Decimal
    unit: str

    def whole(self, values: Iterable[float]) -> Ints:
        """Put values on the grid: floor(x / step + 1/2), on the shortest decimal of each.

        Values within a whole number of steps of each other stay within it; rounding half away
        from zero would not keep that.
        """
        half = Decimal("0.5")
        scaled = (Decimal(repr(float(x))) / self.step + half for x in values)
        return np.array([int(x.to_integral_value(ROUND_FLOOR)) for x in scaled], dtype=np.int64)

    def real(self, whole: Ints) -> Floats:
        """Return whole grid units as numbers, each the nearest float to its decimal."""
        return np.array([float(int(k) * self.step) for k in whole])

    def steps(self, amount: Fraction) -> int:
        """Return an amount as a whole number of steps, or refuse it."""
        count = amount / Fraction(self.step)
        if count.denominator != 1 or count <= 0:
            raise UsageError(
                f"--alpha-value: expected a positive multiple of {self.step} {self.unit}"
            )
        return count.numerator


@dataclass(frozen=True)
class LaplaceValues:
    """The Laplace mechanism of phase 2: ``alpha`` grid steps for ``epsilon``."""

    epsilon: Fraction
    alpha: int

    def draw(self, values: Ints, noise: NoiseSource) -> Ints:
        """Return the noisy values, clamped at zero."""
        return np.maximum(0, noise.laplace(values, Fraction(self.alpha) / self.epsilon))

    def loss(self, change: Fraction | int) -> Fraction:
        """Return the privacy loss of a total change by this many grid steps."""
        return self.epsilon * change / self.alpha
