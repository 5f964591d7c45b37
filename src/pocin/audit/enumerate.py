# SPDX-License-Identifier: MIT
r"""The exact output law of phase 1 with its assignment, on a small network.

Element e stands at pi(e). It draws site s with probability K[pi(e), s], or all draw together; the
draws are sealed and assigned by the product's own code; the output omega says which element's
record stands at which site. Every vector of draws r is gone through:

    Pr_pi[omega] = sum over r with place(r) = omega of  prod_e K[pi(e), r_e]

Noisy values only fix the order in which records are sealed, and a truth pi goes through all
permutations, so every order is among them. The loss between two truths is the largest
|ln Pr_pi[omega] - ln Pr_pi'[omega]|. All figures are 64-bit floats: sums of at most n^n products
of n positive terms each, right to a relative n^n 2^-52 (1e-12 at 5 elements).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np

from pocin.audit.shuffles import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pocin.arrays import Floats, Ints
    from pocin.audit.shuffles import Shuffle
    from pocin.privacy.metric import Metric

MOST = 5
"""With more elements than this, all draws and all pairs of truths take minutes."""


@dataclass(frozen=True, eq=False)
class Table:
    """A metric given by its matrix of hops: a few sites of a larger network."""

    hops: Ints

    @classmethod
    def of(cls, metric: Metric, sites: Sequence[int] | None = None) -> Table:
        """Take some sites of a metric, or all."""
        chosen = list(range(len(metric))) if sites is None else list(sites)
        return cls(np.array([metric.row(site)[chosen] for site in chosen], dtype=np.int64))

    def __len__(self) -> int:
        """Return the number of sites."""
        return len(self.hops)

    def row(self, site: int) -> Ints:
        """Return the hops from one site to every site."""
        return np.asarray(self.hops[site])

    def matrix(self) -> Ints:
        """Return the hops between all sites."""
        return self.hops

    def partners(self, hops: int) -> Ints:
        """Count, for each site, the sites at 1 to ``hops`` hops."""
        return np.asarray(((self.hops >= 1) & (self.hops <= hops)).sum(axis=1))


def as_named(truth: Ints) -> Ints:
    """Source rows in the order of the elements' names, whatever stands where."""
    return np.arange(len(truth))


def by_site(truth: Ints) -> Ints:
    """Source rows in the order of the sites, as grid files mostly are: the order is the truth."""
    return np.argsort(truth)


@dataclass(frozen=True, eq=False)
class Laws:
    """The law of the outputs under every truth: ``probability[t, o]``.

    Outputs are the permutations in lexicographic order, and last the release that fails.
    """

    metric: Metric
    truths: Ints
    probability: Floats

    @cached_property
    def logs(self) -> Floats:
        """The logarithms; minus infinity where an output is impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.probability)

    def losses(self, t: int) -> Floats:
        """Return the exact loss between truth t and every truth: 0 between equal laws."""
        with np.errstate(invalid="ignore"):
            apart = np.abs(self.logs[t] - self.logs)
        apart[np.isneginf(self.logs[t]) & np.isneginf(self.logs)] = 0.0
        return np.asarray(apart.max(axis=1))

    def moved(self, t: int) -> tuple[Ints, Ints]:
        """Return how many elements stand elsewhere than under t, and the sum of hops moved."""
        elsewhere = self.truths != self.truths[t]
        hops = self.metric.matrix()[self.truths[t], self.truths]
        return np.asarray(elsewhere.sum(axis=1)), np.asarray(hops.sum(axis=1))


@dataclass(frozen=True)
class ExactLoss:
    """What enumeration found.

    ``worst`` is the loss of the worst swap of two elements at most alpha hops apart; ``by_hops``
    that of the worst swap at each distance; ``graded`` the largest ratio, over all pairs of truths
    and not only swaps, of the loss to epsilon (sum of hops moved) / (2 alpha).
    """

    elements: int
    truths: int
    worst: float
    graded: float
    by_hops: dict[int, float]


def laws(
    mechanism: Shuffle,
    metric: Metric,
    order: Callable[[Ints], Ints] = as_named,
    truths: Ints | None = None,
) -> Laws:
    """Return the exact law under every truth, or under those given."""
    n = len(metric)
    every = np.array(list(permutations(range(n))), dtype=np.int64)
    asked = every if truths is None else truths
    kernel, scale = mechanism.kernel(metric), n ** np.arange(n)
    codes = every @ scale
    rank = np.argsort(codes)
    outputs: dict[bytes, Ints] = {}
    probability = np.empty((len(asked), len(every) + 1))
    for t, truth in enumerate(asked):
        rows = order(truth)
        key = rows.tobytes() + (truth.tobytes() if mechanism.sees_truth else b"")
        if key not in outputs:
            standing = truth[rows] if mechanism.sees_truth else None
            placed = np.array(list(_placements(mechanism, metric, rows, standing)))
            found = rank[np.searchsorted(codes, placed @ scale, sorter=rank) % len(every)]
            outputs[key] = np.where(placed[:, 0] == NOTHING, len(every), found)
        weights = mechanism.law(kernel[truth])
        probability[t] = np.bincount(outputs[key], weights, minlength=len(every) + 1)
    return Laws(metric, asked, probability)


def _placements(
    mechanism: Shuffle, metric: Metric, rows: Ints, standing: Ints | None
) -> Iterator[Ints]:
    """Place every vector of draws, the last element's draw running fastest."""
    for vector in product(range(len(metric)), repeat=len(metric)):
        drawn = np.array(vector, dtype=np.int64)[rows]
        yield mechanism.place(drawn, rows, metric, standing)


def exact_loss(found: Laws, epsilon: float, alpha: float) -> ExactLoss:
    """Return the exact worst loss of swaps, and of any two truths beside what is claimed."""
    graded = 0.0
    by_hops: dict[int, float] = {}
    for t in range(len(found.truths)):
        loss = found.losses(t)
        count, hops = found.moved(t)
        bound = epsilon * hops / (2 * alpha)
        some = hops > 0
        graded = max(graded, float(np.max(loss[some] / bound[some], initial=0.0)))
        if np.any(loss[~some] > 0):
            graded = np.inf
        for h in np.unique(hops[count == 2]) // 2:  # noqa: PLR2004  (a swap moves two)
            swaps = (count == 2) & (hops == 2 * h)  # noqa: PLR2004
            by_hops[int(h)] = max(by_hops.get(int(h), 0.0), float(loss[swaps].max()))
    worst = max((loss for h, loss in by_hops.items() if h <= alpha), default=0.0)
    return ExactLoss(
        len(found.metric), len(found.truths), worst, graded, dict(sorted(by_hops.items()))
    )


def source_orders_seen(mechanism: Shuffle, metric: Metric, orders: Ints | None = None) -> int:
    """Count the vectors of draws whose placement changes with the order of the source's rows.

    Every order of the rows is tried unless some are given; 0 means that all laws are one.
    """
    n = len(metric)
    tried = np.array(list(permutations(range(n)))) if orders is None else orders
    natural = list(_placements(mechanism, metric, np.arange(n), None))
    changed = np.zeros(len(natural), dtype=bool)
    for rows in tried:
        placed = _placements(mechanism, metric, rows, None)
        changed |= [not np.array_equal(a, b) for a, b in zip(natural, placed, strict=True)]
    return int(changed.sum())
