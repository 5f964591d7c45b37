# SPDX-License-Identifier: MIT
"""Mistakes made on purpose, to see what they do. They exist in studies only.

``condensers``: the paper's reading of its phase 2, by which the noise falls on every unit, those
without capacity too, and a capacity may come out negative. Such a unit has no output between zero
and its capacity, so that no dispatch exists. Its name stands in the rows of whoever asks for it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.draws import seal
from pocin.privacy.location import mechanism

if TYPE_CHECKING:
    from pocin.kinds import Network
    from pocin.plan import Plan
    from pocin.privacy.draws import Draws, Trace
    from pocin.privacy.noise import NoiseSource

CONDENSERS = "condensers"
FAULTS = (CONDENSERS,)

_HARDLY = 1e-9  # MW: an element like all others, worth 0 on the public grid of values


def faulty(network: Network, fault: str | None) -> Network:
    """Return the network as the fault sees it: units without capacity are elements too."""
    if fault is None or not hasattr(network.content, "units"):
        return network
    units = network.content.units
    capacity = np.where(units.pmax == 0, _HARDLY, units.pmax)
    content = replace(network.content, units=replace(units, pmax=capacity))
    return replace(network, content=content)


def unclamped(planned: Plan, noise: NoiseSource) -> tuple[Draws, Trace]:
    """Relocate and perturb as the flow does, but leave negative values as they fall."""
    secret = planned.secret
    location, value = planned.guarantee.location, planned.guarantee.value
    relocate = mechanism(planned.request.mechanism)(location.epsilon, location.alpha)
    sites = relocate.draw(secret.sites, planned.public.metric, noise)
    scale = Fraction(planned.kind.values.steps(value.alpha)) / value.epsilon
    return seal(sites, noise.laplace(secret.values, scale), secret.moved)
