# SPDX-License-Identifier: MIT
"""Many runs of the draws, whether elements draw alone or all together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from pocin.privacy.permutation import PermutationLocations

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from pocin.arrays import Ints
    from pocin.privacy.metric import Metric
    from pocin.privacy.noise import NoiseSource


class Locations(Protocol):
    """Phase 1's draws."""

    @property
    def epsilon(self) -> Fraction:
        """The loss of a swap within alpha."""

    @property
    def alpha(self) -> Fraction:
        """The radius in hops."""

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw a site for every element."""


class Values(Protocol):
    """Phase 2's draws."""

    @property
    def epsilon(self) -> Fraction:
        """The loss of a change by alpha."""

    @property
    def alpha(self) -> int:
        """The change in grid steps."""

    def draw(self, values: Ints, noise: NoiseSource) -> Ints:
        """Return the noisy values."""


def together(locations: Locations) -> bool:
    """Whether all elements draw at once, so that a run is a draw of the whole network."""
    return isinstance(locations, PermutationLocations)


def drawn_sites(
    locations: Locations, sites: Sequence[int], runs: int, metric: Metric, noise: NoiseSource
) -> Ints:
    """Return what elements at these sites draw: a row a run, a column an element."""
    standing = np.array(sites, dtype=np.int64)
    if not together(locations):
        return locations.draw(np.tile(standing, runs), metric, noise).reshape(runs, len(sites))
    others = np.setdiff1d(np.arange(len(metric)), standing)
    truth = np.concatenate([standing, others])
    drawn = np.array([locations.draw(truth, metric, noise) for _ in range(runs)])
    return np.asarray(drawn[:, : len(sites)])
