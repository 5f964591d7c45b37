# SPDX-License-Identifier: MIT
"""The time that a vehicle adds to a link: given, or fitted to the real network on request.

    gamma = argmin_g sum_e (delay_e - g t_e)^2 = sum_e delay_e t_e / sum_e t_e^2

where the source tells the delays, else mean(d) / mean(t), under which drivers avoid busy roads, as
they do in no city. Fitted it is an exact disclosure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.roads.network import Links


def delays(links: Links) -> Floats:
    """Return what traffic adds to d, NaN where the source does not tell."""
    share = links.volume / np.where(links.capacity > 0, links.capacity, np.nan)
    by_rule = links.d * links.b * share**links.power
    return np.where(np.isnan(by_rule), links.cost - links.d, by_rule)


SLOPE = "gamma, the slope of delay on traffic"
RATIO = "gamma, the mean of d over the mean of the traffic"


def fitted(links: Links) -> tuple[float, str]:
    """Return gamma, and how it was found."""
    t, delay = links.volume, delays(links)
    known = np.isfinite(delay)
    if known.any() and delay[known] @ t[known] > 0:
        gamma = float(delay[known] @ t[known] / (t[known] @ t[known]))
        return gamma, SLOPE
    if not (links.d.sum() > 0 and t.sum() > 0):
        raise InputError("--gamma computed: needs traffic and travel times; give --gamma VALUE")
    return float(links.d.mean() / t.mean()), RATIO
