# SPDX-License-Identifier: MIT
r"""The softmax of phase 1 for many sites: exact, and without a table of distances.

Let omega(d) = 2^B exp(-x d), and Q(d) >= omega(d) whole and falling in d. For an element at l and
a radius R, give every site s a cell of length Q(min(d(l, s), R + 1)); the cells fill [0, T). Draw
y uniformly in [0, T); where y falls at v into the cell of s, take s if v < omega(d(l, s)), else
draw again. Each round takes s with probability omega(d(l, s)) / T, so

    Pr[s] = exp(-x d(l, s)) / sum_t exp(-x d(l, t)),

exactly, for every R and Q: they only decide how many rounds it takes. All sites beyond R have
cells of one length, so only those within R are ever listed. The rest are proposed uniformly, and
mostly rejected by bounds on d from landmarks; where these leave a choice the search goes on, no
farther than it takes to decide. R grows with the search until that is worth more than rejecting.

Whole numbers decide: y's whole part is drawn, and omega(d) is known to lie between two whole
numbers. In the rare round that this leaves open, more bits of y are drawn and omega is computed
more finely. No float takes part, so nothing is cut off: a site that floats would give probability
zero keeps its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.rounds import PATIENCE, UNDECIDED, Task, Weights, draw
from pocin.privacy.softmax import weight_bounds

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Ints, Whole, Words
    from pocin.privacy.metric import Hops
    from pocin.privacy.noise import NoiseSource

LANDMARKS = 16
WORD = 62
"""Bits that T may take: it is compared with signed words."""

MORE = 64


@dataclass(frozen=True, eq=False)
class Proposals:
    """The sampler for one metric and one x; ``patience`` decides how long it takes, no more."""

    metric: Hops
    x: Fraction
    patience: float = PATIENCE

    @cached_property
    def bits(self) -> int:
        """B, so large that n cells fit into a word."""
        return WORD - len(self.metric).bit_length()

    @cached_property
    def reach(self) -> int:
        """No two sites within reach of each other are farther apart."""
        metric = self.metric
        largest = int(np.bincount(metric.components).max())
        return metric.step + min(largest - 1, 2 * int(metric.row(0).max()))

    @cached_property
    def weights(self) -> Weights:
        """Bounds on omega, the upper ones falling."""
        hops = [*range(self.reach + 1), self.metric.beyond]
        bounds = np.array([weight_bounds(self.x, d, self.bits) for d in hops], dtype=np.int64)
        high = np.maximum.accumulate(bounds[::-1, 1])[::-1]
        return Weights(bounds[:, 0].copy(), high.copy())

    @cached_property
    def marks(self) -> Whole:
        """Classes of all sites from a few, each as far as can be from those before it."""
        rows = [self.metric.row(0)]
        while len(rows) < LANDMARKS:
            rows.append(self.metric.row(int(np.min(rows, axis=0).argmax())))
        classes = np.where(np.array(rows) == self.metric.beyond, self.reach + 1, rows)
        return np.ascontiguousarray(classes.T, dtype=np.int32)

    def draw(self, sites: Ints, noise: NoiseSource) -> Ints:
        """Draw a site for every element."""
        drawn = np.empty(len(sites), dtype=np.int64)
        words: Words = np.empty(0, dtype=np.uint64)
        at = 0
        while at < len(sites):
            if not len(words):
                words = noise.words(64 + 4 * (len(sites) - at))
            task = Task(sites, at, words, drawn, self.patience)
            why, at, used, (site, place), hops = draw(
                self.metric.net, self.weights, self.marks, task
            )
            words = words[used:]
            if why == UNDECIDED and self._takes(place, hops, noise):
                drawn[at] = site
                at += 1
        return drawn

    def _takes(self, place: int, hops: int, noise: NoiseSource) -> bool:
        """Decide v < omega(hops) for a v in [place, place + 1), with as many bits as it takes."""
        away = int(hops) if hops <= self.reach else self.metric.beyond
        v, known = int(place), 0  # whole numbers without an end, not a machine's words
        while True:
            low, high = weight_bounds(self.x, away, self.bits + known)
            if v + 1 <= low:
                return True
            if v >= high:
                return False
            v = (v << MORE) | noise.bits(MORE)
            known += MORE
