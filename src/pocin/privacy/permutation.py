# SPDX-License-Identifier: MIT
r"""A location mechanism that draws the whole permutation at once.

    Pr[sigma] proportional to exp(-eps_l / (2 alpha_l) * sum_i d(l_i, sigma_i))

over all permutations sigma of the sites. Swapping two elements h hops apart changes the sum by at
most 2h and leaves the normaliser as it is (it runs over all permutations), so a swap costs
eps_l h / alpha_l, as with independent draws; nothing is lost to collisions.

Sampling is exact, by dynamic programming over subsets: f(S) is the weight of putting the first
|S| elements on the sites S, and element k = |S| - 1 stands at s in S with probability
w(l_k, s) f(S - s) / f(S). The table is computed in floats whose error is bounded by ``MARGIN``; a
draw nearer than that to a boundary is decided by integers with as many bits as it takes. The
table doubles with each element, hence ``MOST``. Beyond it there is no exact sampler here: a Markov
chain that has not mixed has another law than this one, and no proof covers it.

A permutation is drawn for the sites in their public order, and every element takes what its site
drew: the law asks for no more, and the table is a function of the public part alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import UsageError
from pocin.privacy.softmax import decide, weight_bounds

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Floats, Ints
    from pocin.privacy.metric import Metric
    from pocin.privacy.noise import NoiseSource

MOST = 22
"""Elements that the table serves: 2^22 numbers, some seconds."""

MARGIN = 1e-11
"""Relative: n (n + 2) roundings of 2^-53 each stay under 6e-14 at 22 elements."""

WEIGHTLESS = 600.0
"""Total exponents beyond this could vanish in floats; integers decide them all."""

BITS = 128


@dataclass(frozen=True)
class PermutationLocations:
    """The exponential mechanism over whole permutations."""

    epsilon: Fraction
    alpha: Fraction

    @staticmethod
    def check(elements: int) -> None:
        """Refuse more elements than can be drawn exactly."""
        if elements > MOST:
            raise UsageError(
                f"--mechanism permutation: is exact for at most {MOST} secret elements; "
                "choose softmax, or fewer elements by --only"
            )

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw a site for every element, no two the same."""
        x = self.epsilon / (2 * self.alpha)
        return sample_permutation(metric.matrix(), x, noise)[sites]

    def loss(self, hops_moved: Fraction | int) -> Fraction:
        """Return the privacy loss of moving elements by this many hops in total."""
        return self.epsilon * hops_moved / (2 * self.alpha)


def sample_permutation(hops: Ints, x: Fraction, noise: NoiseSource) -> Ints:
    """Return sigma with probability proportional to exp(-x sum_i hops[i, sigma_i])."""
    n = len(hops)
    weight, table = _floats(np.ascontiguousarray(hops, dtype=np.int64).tobytes(), n, x)
    left, sigma = (1 << n) - 1, np.empty(n, dtype=np.int64)
    for k in reversed(range(n)):
        members = [s for s in range(n) if left >> s & 1]
        u = noise.bits(BITS)
        chosen = None if table is None else _by_floats(weight[k], table, left, members, u)
        if chosen is None:
            chosen = _by_integers(hops, x, tuple(members), u, noise)
        sigma[k] = chosen
        left ^= 1 << chosen
    return sigma


@lru_cache(maxsize=1)
def _floats(hops: bytes, n: int, x: Fraction) -> tuple[Floats, Floats | None]:
    """Return the weights and their table, or none where they could vanish; kept for the next."""
    matrix = np.frombuffer(hops, dtype=np.int64).reshape(n, n)
    if float(x) * float(matrix.max(axis=1).sum()) >= WEIGHTLESS:
        return np.zeros((n, n)), None
    weight = np.exp(-float(x) * matrix)
    return weight, subset_table(weight)


def subset_table(weight: Floats) -> Floats:
    """f(S) = sum over s in S of weight[|S| - 1, s] f(S - s), f of nothing is 1."""
    n = len(weight)
    size = np.bitwise_count(np.arange(1 << n))
    table = np.zeros(1 << n)
    table[0] = 1.0
    for k in range(n):
        layer = np.flatnonzero(size == k + 1)
        # a site outside S leads to a larger set, whose entry is still 0
        table[layer] = sum(weight[k, s] * table[layer ^ (1 << s)] for s in range(n))
    return table


def _by_floats(row: Floats, table: Floats, left: int, members: list[int], u: int) -> int | None:
    """Decide by the float table, or return None where its error leaves a choice."""
    ends = np.cumsum([row[s] * table[left ^ (1 << s)] for s in members])
    bounds = ends[:-1] / ends[-1]
    at = u / (1 << BITS)
    if np.any(np.abs(bounds - at) <= MARGIN):
        return None
    return members[int(np.searchsorted(bounds, at))]


def _by_integers(
    hops: Ints, x: Fraction, members: tuple[int, ...], u: int, noise: NoiseSource
) -> int:
    """Decide with integer bounds of the weights, finer and finer."""
    known, bits = BITS, BITS
    while True:
        low, high = _class_bounds(hops, x, members, bits)
        decided = decide(low, high, u, known)
        if decided is not None:
            return members[decided]
        u = (u << BITS) | noise.bits(BITS)
        known, bits = known + BITS, 2 * bits


def _class_bounds(
    hops: Ints, x: Fraction, members: tuple[int, ...], bits: int
) -> tuple[list[int], list[int]]:
    """Bounds on w(l_k, s) f(S - s) for each s of S, in units of 2^-(bits |S|)."""
    bounds = {int(d): weight_bounds(x, int(d), bits) for d in np.unique(hops)}

    @cache
    def f(subset: tuple[int, ...]) -> tuple[int, int]:
        if not subset:
            return 1, 1
        parts = [term(subset, s) for s in subset]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)

    def term(subset: tuple[int, ...], s: int) -> tuple[int, int]:
        low, high = bounds[int(hops[len(subset) - 1, s])]
        rest_low, rest_high = f(tuple(t for t in subset if t != s))
        return low * rest_low, high * rest_high

    terms = [term(members, s) for s in members]
    return [t[0] for t in terms], [t[1] for t in terms]
