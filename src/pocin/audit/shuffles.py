# SPDX-License-Identifier: MIT
"""Location mechanisms in the form in which they can be enumerated: a law of draws, a placement.

The law is the one that is claimed (the samplers are held to it elsewhere); the placement is the
product's own code. Phase 3 may put the same draws elsewhere, or fail: ``Reassigned`` covers that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from pocin.privacy.draws import seal
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Floats, Ints
    from pocin.privacy.metric import Metric

NOTHING = -1
"""Stands for the element at every site of an output without a release: it is an output too."""


class Shuffle(Protocol):
    """A location mechanism of draws and a placement; a faulty one may see the truth."""

    sees_truth: ClassVar[bool]

    def kernel(self, metric: Metric) -> Floats:
        """Return K: row l holds the weights of the sites that an element at l draws."""

    def law(self, rows: Floats) -> Floats:
        """Return the probability of every vector of draws, given every element's row of K."""

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        """Return the element that each site gets.

        Row i of the source is element ``names[i]`` and drew ``drawn[i]``. ``standing[i]`` is its
        true site, None for a mechanism that does not see the truth. ``NOTHING`` everywhere: no
        release.
        """


def softmax(metric: Metric, rate: float) -> Floats:
    """Return the rows exp(-rate d(l, s)) / sum_t exp(-rate d(l, t))."""
    weights = np.exp(-rate * metric.matrix().astype(np.float64))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class Product:
    """The product's phase 1: the law that it claims, its own ``seal`` and its own ``assign``."""

    epsilon: Fraction
    alpha: Fraction
    sees_truth: ClassVar[bool] = False

    def kernel(self, metric: Metric) -> Floats:
        """Return the claimed probabilities of the draws; the sampler is held to them elsewhere."""
        return softmax(metric, float(self.epsilon / (2 * self.alpha)))

    def law(self, rows: Floats) -> Floats:
        """Return the product law: draws are independent."""
        return np.asarray(reduce(np.multiply.outer, rows).ravel())

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        """Seal and assign."""
        del standing
        draws, _ = seal(drawn, names, names[:, None].astype(np.float64))
        return np.asarray(draws.values[assign(draws, metric)])


@dataclass(frozen=True)
class WholePermutation(Product):
    """The mechanism that draws whole permutations: no two draws are the same."""

    def law(self, rows: Floats) -> Floats:
        """Return prod_e K[pi(e), r_e] over the vectors r without a repetition, normalised."""
        n = len(rows)
        drawn = np.array(np.unravel_index(np.arange(n**n), (n,) * n))
        repeats = (np.diff(np.sort(drawn, axis=0), axis=0) == 0).any(axis=0)
        weights = np.where(repeats, 0.0, super().law(rows))
        return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class Reassigned(Product):
    """The product where phase 3 puts the same draws elsewhere, again and again, and may give up.

    It stands in for any kind's: element e has the price e + 1 and the size n - e, so that contents
    decide. The first placement settles how much each site is to serve, cheapest records first;
    the cost of a record at a site, weighed by eta, joins the hops; the first placement whose cost
    is within ``limit`` is released, and after ``DOUBLINGS`` of eta nothing is.
    """

    limit: float = 1.1
    doublings: ClassVar[int] = 5

    def place(self, drawn: Ints, names: Ints, metric: Metric, standing: Ints | None) -> Ints:
        """Seal, assign, and assign anew with costs in view: a function of the sealed draws."""
        del standing
        n = len(names)
        draws, _ = seal(drawn, names, names[:, None].astype(np.float64))
        price, size = draws.values + 1.0, n - draws.values.astype(np.float64)
        record = assign(draws, metric)
        asked = np.zeros(n)  # by site: what the cheapest serve until half of all is served
        by_price = np.argsort(price[record])
        served = np.cumsum(size[record][by_price])
        asked[by_price] = np.clip(served[-1] / 2 - served + size[record][by_price], 0, None)
        asked = np.minimum(asked, size[record]) + (np.arange(n) % 2)  # and what sites ask for
        cost = np.outer(price, asked)
        goal = self.limit * float(np.sort(price) @ np.sort(asked)[::-1])
        for k in range(self.doublings):
            if cost[record, np.arange(n)].sum() <= goal:
                return np.asarray(draws.values[record])
            record = assign(draws, metric, 2.0**k / 8 * n * cost / goal)
        return np.full(n, NOTHING)


@dataclass(frozen=True)
class ReassignedPermutation(Reassigned, WholePermutation):
    """The same on draws of whole permutations."""


SHUFFLES: dict[str, tuple[type[Product], type[Reassigned]]] = {
    "softmax": (Product, Reassigned),
    "permutation": (WholePermutation, ReassignedPermutation),
}
"""By the name of the mechanism: as phase 1 places the draws, and as phase 3 may place them."""
