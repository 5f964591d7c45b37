# SPDX-License-Identifier: MIT
"""The reader's view of roads: the trips' shortest times, beside those on the real roads.

This compares with the truth, so it is the curator's, made after the release was certified, and
nothing between the draws and the written file may import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.roads.certificate import travel

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.network import Roads, Trips

QUANTILES = (0.25, 0.5, 0.75, 0.95)


def reader_view(
    original: Roads, released: Roads, gamma: float, solve: object = None
) -> dict[str, Any]:
    """Compare the times of the same trips; ``solve`` are the certificate's, where it has them."""
    real = _by_pair(original.trips, travel(original, gamma))
    found = solve if isinstance(solve, np.ndarray) else travel(released, gamma)
    shown = _by_pair(released.trips, found)
    both = np.ptp(real) > 0 and np.ptp(shown) > 0
    return {
        "cost": {"original": float(real.mean()), "released": float(shown.mean())},
        "trips": {
            "pairs": len(real),
            "unit": released.units.time,
            "quantiles": [_quantiles(real), _quantiles(shown)],
            "correlation": float(np.corrcoef(real, shown)[0, 1]) if both else None,
            "mean_apart": float(np.abs(real - shown).mean()),
        },
    }


def _by_pair(trips: Trips, times: Floats) -> Floats:
    """Sort times by origin and destination."""
    return np.asarray(times)[np.lexsort((trips.destination, trips.origin))]


def _quantiles(values: Floats) -> list[float]:
    """Return the quantiles of some values."""
    return [float(value) for value in np.quantile(values, QUANTILES)]
