# SPDX-License-Identifier: MIT
"""The traps of the design, each as a small mechanism that walks into one.

Location faults are shuffles that can be enumerated, faults of selection are laws made from laws,
value faults are laws on whole grid units. None of this is product code.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment

from pocin.audit.shuffles import NOTHING, Product, Reassigned, softmax
from pocin.privacy.draws import Draws
from pocin.privacy.transport import assign_by_flow

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Floats, Ints, Mask
    from pocin.audit.enumerate import Laws
    from pocin.privacy.metric import Hops, Metric
    from pocin.privacy.noise import NoiseSource

# ------------------------------------------------------------------------------- location: draws


class ForgottenFactor(Product):
    """exp(-eps d / alpha) in place of exp(-eps d / (2 alpha))."""

    def kernel(self, metric: Metric) -> Floats:
        return softmax(metric, float(self.epsilon / self.alpha))


class PlusSign(Product):
    """The paper's exp(+eps d / (2 alpha)): farther is likelier, and just as private."""

    def kernel(self, metric: Metric) -> Floats:
        return softmax(metric, -float(self.epsilon / (2 * self.alpha)))

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw as floats; for the fit of the sampler."""
        return by_floats(self.kernel(metric), sites, noise)


class PermuteAndFlip(Product):
    """What OpenDP's noisy max samples under pure differential privacy."""

    def kernel(self, metric: Metric) -> Floats:
        accept = np.exp(-float(self.epsilon / (2 * self.alpha)) * metric.matrix())
        return np.array([permute_and_flip(row) for row in accept])

    def draw(self, sites: Ints, metric: Metric, noise: NoiseSource) -> Ints:
        """Draw as floats; for the fit of the sampler."""
        return by_floats(self.kernel(metric), sites, noise)


def permute_and_flip(accept: Floats) -> Floats:
    """Go through all orders: the first that accepts is taken; the nearest site always accepts."""
    n = len(accept)
    taken, orders = np.zeros(n), list(permutations(range(n)))
    for order in orders:
        left = 1.0
        for s in order:
            taken[s] += left * accept[s]
            left *= 1 - accept[s]
    return taken / len(orders)


class FloatAcceptance(Product):
    """Propose a site, accept if a float u < exp(-eps d / (2 alpha)): u has 53 bits.

    Beyond 53 ln 2 the site is never accepted: u = 0 aside, which a careful code leaves out.
    """

    def kernel(self, metric: Metric) -> Floats:
        accept = np.exp(-float(self.epsilon / (2 * self.alpha)) * metric.matrix())
        accept[accept < 2.0**-53] = 0.0
        return np.asarray(accept / accept.sum(axis=1, keepdims=True))


def by_floats(kernel: Floats, sites: Ints, noise: NoiseSource) -> Ints:
    """Draw from a kernel by 53-bit floats."""
    u = np.array([noise.bits(53) for _ in sites]) / 2.0**53
    return np.asarray((np.cumsum(kernel, axis=1)[sites] < u[:, None]).sum(axis=1))


# -------------------------------------------------------------------------- location: placements


def assigned(cost: Floats) -> Ints:
    """Return for each column the row that it gets."""
    rows, columns = linear_sum_assignment(cost)
    placed = np.empty(len(rows), dtype=np.int64)
    placed[columns] = rows
    return placed


@dataclass(frozen=True)
class TieBreakByTruth(Product):
    """Among assignments of equal cost the one that keeps elements nearer to where they stand."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        order = np.lexsort((names, drawn))
        hops = metric.matrix()
        cost = hops[drawn[order]] + 1e-3 * hops[standing[order]]
        return np.asarray(names[order][assigned(cost)])


@dataclass(frozen=True)
class CostByTruth(Product):
    """The assignment counts hops from the true site and from the draw alike."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        order = np.lexsort((names, drawn))
        hops = metric.matrix()
        return np.asarray(names[order][assigned(hops[drawn[order]] + hops[standing[order]])])


@dataclass(frozen=True)
class FlowInSourceOrder(Product):
    """Beyond 2,000 sites: who keeps a site, and how a flow is cut, follow the source's rows."""

    hops: Hops | None = None

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        del metric, standing
        assert self.hops is not None
        unsorted = Draws(drawn, names, names[:, None].astype(np.float64))
        return np.asarray(names[assign_by_flow(unsorted, self.hops)])


@dataclass(frozen=True)
class ColumnsInTrueOrder(Product):
    """The assignment's columns are the sites in the order of the source's rows."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        order = np.lexsort((names, drawn))
        placed = np.empty_like(names)
        cost = metric.matrix()[drawn[order]][:, standing]
        placed[standing] = names[order][assigned(cost)]
        return placed


@dataclass(frozen=True)
class RowsInSourceOrder(Product):
    """The records are not sorted: ties fall as the source's rows do."""

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        del standing
        return np.asarray(names[assigned(metric.matrix()[drawn])])


@dataclass(frozen=True)
class CollisionsByTruth(Product):
    """Of those who drew one site, the one who truly stands nearest keeps it."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        hops, n = metric.matrix(), len(names)
        placed = np.full(n, -1, dtype=np.int64)
        for i in np.lexsort((names, hops[standing, drawn])):
            if placed[drawn[i]] < 0:
                placed[drawn[i]] = names[i]
        left = sorted(set(range(n)) - set(placed.tolist()))
        free = np.flatnonzero(placed < 0)
        where = np.argsort(names)
        placed[free] = np.array(left, dtype=np.int64)[assigned(hops[drawn[where[left]]][:, free])]
        return placed


@dataclass(frozen=True)
class AnewByTruth(Reassigned):
    """Draws placed anew with the true sites in view."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        placed = super().place(drawn, names, metric, None)
        first = Product.place(self, drawn, names, metric, None)
        if np.array_equal(placed, first):
            return placed
        order = np.lexsort((names, drawn))
        cost = metric.matrix()[drawn[order]] + 0.5 * metric.matrix()[standing[order]]
        return np.asarray(names[order][assigned(cost)])


@dataclass(frozen=True)
class FailsByTruth(Product):
    """Nothing is released where an element moved too far."""

    sees_truth: ClassVar[bool] = True

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        placed = super().place(drawn, names, metric, None)
        at = np.argsort(placed)[names]
        far = metric.matrix()[standing, at].max() > 2
        return np.full(len(names), NOTHING) if far else placed


# ------------------------------------------------------------------------------ location: choices


def best_of(found: Laws, score: Floats, tries: int) -> Laws:
    """Of so many releases the one with the lowest score under the truth is published."""
    chosen = np.empty_like(found.probability)
    for t, law in enumerate(found.probability):
        for value in np.unique(score[t]):
            ties, above = score[t] == value, score[t] > value
            at_least = law[ties | above].sum()
            share = law[ties] / law[ties].sum()
            chosen[t, ties] = share * (at_least**tries - law[above].sum() ** tries)
    return replace(found, probability=chosen)


def retried(found: Laws, allowed: Mask) -> Laws:
    """Release again until the output is among those allowed (by output, or by truth and output)."""
    kept = found.probability * allowed
    return replace(found, probability=kept / kept.sum(axis=1, keepdims=True))


def hops_from_truth(found: Laws) -> Floats:
    """Sum of hops between each truth and each output: a stand-in for true cost or damage."""
    n = len(found.metric)
    placed = np.array(list(permutations(range(n))))  # output o: the element at each site
    element_site = np.argsort(placed, axis=1)
    hops = found.metric.matrix()
    return np.array([hops[truth, element_site].sum(axis=1) for truth in found.truths], dtype=float)


def worst_feasible_set(found: Laws, t: int, other: int) -> float:
    """Return the worst loss between two truths over all public sets that one may retry for.

    For an output o, the set that hurts most is o with all outputs whose ratio is over a threshold.
    """
    p, q = found.probability[t], found.probability[other]
    order = np.argsort(p / q)
    with_p, with_q = np.cumsum(p[order]), np.cumsum(q[order])
    o = int(np.argmax(p / q))
    inside = np.log(p[o] / q[o]) + np.log((with_q + q[o]) / (with_p + p[o]))
    return float(inside[order != o].max())


# ----------------------------------------------------------------------------------------- values

FAR, NEAR = 60, 30
"""Laws of values are written out for so many scales on both sides, and compared within so many."""


@dataclass(frozen=True)
class ValueLaw:
    """The law of one noisy value: probabilities of first, first + 1, ..."""

    first: int
    probability: Floats


def laplace_law(value: int, scale: Fraction) -> ValueLaw:
    """Discrete Laplace noise."""
    reach = int(FAR * scale)
    k = np.arange(-reach, reach + 1)
    weight = np.exp(-np.abs(k) / float(scale))
    return ValueLaw(value - reach, weight / weight.sum())


def clamped(law: ValueLaw) -> ValueLaw:
    """The product's: what falls under zero is zero."""
    below = max(0, 1 - law.first)
    at_zero = law.probability[:below].sum()
    rest = law.probability[below:]
    return ValueLaw(0, np.concatenate([[at_zero], rest])) if below else law


def resampled(law: ValueLaw) -> ValueLaw:
    """Draw again until the value is not negative."""
    kept = law.probability[max(0, -law.first) :]
    return ValueLaw(max(0, law.first), kept / kept.sum())


def nearest_of(law: ValueLaw, value: int, tries: int) -> ValueLaw:
    """Draw several times and keep the one nearest to the truth."""
    k = np.abs(law.first + np.arange(len(law.probability)) - value)
    tail = np.cumsum(np.bincount(k, law.probability)[::-1])[::-1]
    beyond = np.append(tail[1:], 0.0)
    total = tail**tries - beyond**tries
    return ValueLaw(law.first, total[k] * law.probability / np.bincount(k, law.probability)[k])


def value_loss(a: ValueLaw, b: ValueLaw, scale: int) -> float:
    """Return the exact worst |ln a(k) / b(k)|, the far ends left out: there laws are cut off."""
    first = max(a.first, b.first, -NEAR * scale)
    last = NEAR * scale
    p = a.probability[first - a.first : last - a.first]
    q = b.probability[first - b.first : last - b.first]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(p) - np.log(q))
    return float(np.max(ratio, initial=0.0))


def half_away(values: Floats, step: float) -> Ints:
    """Round half away from zero."""
    return (np.sign(values) * np.floor(np.abs(values) / step + 0.5)).astype(np.int64)


def half_even(values: Floats, step: float) -> Ints:
    """Round as numpy does."""
    return np.rint(values / step).astype(np.int64)


def float_laplace(value: float, scale: float, draws: int, seed: int) -> Floats:
    """Laplace noise as floats, as numpy makes it."""
    return np.random.default_rng(seed).laplace(value, scale, draws)
