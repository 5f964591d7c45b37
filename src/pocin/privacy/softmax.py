# SPDX-License-Identifier: MIT
"""An exact sampler of Pr[s] proportional to exp(-x d(s)), for rational x and whole d.

No float takes part, so there is no hidden truncation: a uniform number u in [0, 1) is compared with
the cumulative probabilities of the distances, both known to some bits; while the bits known leave
a choice, more are drawn and the weights are computed more finely.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.noise import below

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Ints
    from pocin.privacy.noise import NoiseSource

_BITS = 128
_SLACK = 2  # floor(2^bits exp(-x d)) is computed to within this many units


@lru_cache(maxsize=4096)
def _weight(x: Fraction, distance: int, bits: int) -> int:
    """Return 2^bits exp(-x distance), rounded to within ``_SLACK`` units.

    That holds while 2^bits is under 10^999999, where decimals end: beyond, it raises.
    """
    context = Context(prec=bits // 3 + 20)
    exponent = context.divide(Decimal(-x.numerator * distance), Decimal(x.denominator))
    return int(context.multiply(context.exp(exponent), context.power(Decimal(2), Decimal(bits))))


def sample(hops: Ints, x: Fraction, noise: NoiseSource) -> int:
    """Return a position s with probability exp(-x hops[s]) / sum_t exp(-x hops[t])."""
    classes = np.column_stack(np.unique(hops, return_counts=True)).tolist()
    distance, _ = classes[_sample_class(classes, x, noise)]
    members = np.flatnonzero(hops == distance)
    return int(members[below(noise, len(members))])


def _sample_class(classes: list[list[int]], x: Fraction, noise: NoiseSource) -> int:
    """Return class j of (d_j, n_j) with probability proportional to n_j exp(-x d_j)."""
    bits, known, u = _BITS, 0, 0
    while True:
        u = (u << _BITS) | noise.bits(_BITS)
        known += _BITS
        terms = [[count * b for b in weight_bounds(x, d, bits)] for d, count in classes]
        decided = decide([t[0] for t in terms], [t[1] for t in terms], u, known)
        if decided is not None:
            return decided
        bits += _BITS


def weight_bounds(x: Fraction, distance: int, bits: int) -> tuple[int, int]:
    """Return integers that 2^bits exp(-x distance) lies between."""
    weight = _weight(x, distance, bits)
    return max(0, weight - _SLACK), weight + _SLACK


def decide(low: list[int], high: list[int], u: int, known: int) -> int | None:
    """Return the class that [u, u + 1) / 2^known lies in for certain, or None.

    Class j has a weight in [low[j], high[j]], and begins at A / (A + B), A the weight before it
    and B the rest. With A in [a, a'] and B in [b, b'], that boundary lies in
    [a / (a + b'), a' / (a' + b)].
    """
    before_low = before_high = 0
    after_low, after_high = sum(low), sum(high)
    for j in range(len(low)):
        before_low, before_high = before_low + low[j], before_high + high[j]
        after_low, after_high = after_low - low[j], after_high - high[j]
        # u certainly ends below the upper boundary of class j ...
        if (u + 1) * (before_low + after_high) <= before_low << known:
            return j
        # ... or is certainly not below it: then it lies in a later class
        if u * (before_high + after_low) < before_high << known:
            return None
    return None
