# SPDX-License-Identifier: MIT
"""Phase 1: the locations of the elements are shuffled.

Element i at site l_i draws a site r_i with

    Pr[r_i = s] proportional to exp(-eps_l d(l_i, s) / (2 alpha_l))      over all occupied sites s,

and the draws are turned into a permutation by an assignment of least total d(r_i, s). The
assignment sees draws only: its rows are the sorted records, its columns the sites by public id.

Swapping two elements h hops apart permutes the rows' normalisers, which cancel; what remains is
at most exp(eps_l 2h / (2 alpha_l)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment

from pocin.errors import UsageError
from pocin.privacy.metric import Hops
from pocin.privacy.permutation import PermutationLocations
from pocin.privacy.softmax import sample

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Floats, Ints
    from pocin.privacy.draws import Draws
    from pocin.privacy.metric import Metric
    from pocin.privacy.noise import NoiseSource


@dataclass(frozen=True)
class SoftmaxLocations:
    """The paper's location mechanism: independent exponential mechanisms, one an element."""

    epsilon: Fraction
    alpha: Fraction

    @staticmethod
    def check(elements: int) -> None:
        """Any number of elements will do."""

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw a site for every element."""
        x = self.epsilon / (2 * self.alpha)
        if isinstance(metric, Hops) and not metric.tabled:
            from pocin.privacy.proposals import Proposals

            return Proposals(metric, x).draw(sites, noise)
        drawn = [sample(metric.row(int(site)), x, noise) for site in sites]
        return np.array(drawn, dtype=np.int64)

    def loss(self, hops_moved: Fraction | int) -> Fraction:
        """Return the privacy loss of moving elements by this many hops in total."""
        return self.epsilon * hops_moved / (2 * self.alpha)


class LocationMechanism(Protocol):
    """A mechanism of phase 1; all of them carry the same guarantee."""

    def __init__(self, epsilon: Fraction, alpha: Fraction) -> None:
        """Take the privacy loss of a swap within ``alpha`` hops."""

    @staticmethod
    def check(elements: int) -> None:
        """Refuse a number of elements that cannot be drawn exactly."""

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw a site for every element."""

    def loss(self, hops_moved: Fraction | int) -> Fraction:
        """Return the privacy loss of moving elements by this many hops in total."""


MECHANISMS: dict[str, type[LocationMechanism]] = {
    "softmax": SoftmaxLocations,
    "permutation": PermutationLocations,
}


def mechanism(name: str) -> type[LocationMechanism]:
    """Return a mechanism by its name."""
    if name not in MECHANISMS:
        raise UsageError(f"--mechanism: expected one of {', '.join(MECHANISMS)}")
    return MECHANISMS[name]


def assign(draws: Draws, metric: Metric, extra: Floats | None = None) -> Ints:
    """Return for each site the record that it gets, at least total d(drawn site, site).

    ``extra`` is added to the cost (record by site); it too may be a function of the draws, the
    public part and the cost figure only.
    """
    if extra is None and isinstance(metric, Hops) and not metric.tabled:
        from pocin.privacy.transport import assign_by_flow

        return assign_by_flow(draws, metric)
    cost = metric.matrix()[draws.sites]
    records, sites = linear_sum_assignment(cost if extra is None else cost + extra)
    placed = np.empty(len(draws), dtype=np.int64)
    placed[sites] = records
    return placed
