# SPDX-License-Identifier: MIT
"""Gate: the samplers follow the laws that the guarantee is proved for.

Phase 1: chi-square of the sites drawn against exp(-eps d / (2 alpha)) / Z, or against the law of
one element's site where whole permutations are drawn. Cells are pooled until
each expects 100 draws; a sound sampler falls under p = 1e-10 with probability below 1e-8 a site
(the far tail of a cell of 100 is heavier than chi-square's, by a factor under 100).

Phase 2: the largest distance between the drawn and the exact distribution function, of noise and
of values clamped at zero. By the Dvoretzky-Kiefer-Wolfowitz inequality, which holds for any law,
a sound sampler is beyond sqrt(ln(2 / 1e-8) / (2 n)) with probability at most 1e-8.

All together a sound product fails here with probability under 1e-6.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from pocin.audit.exact import PUBLIC_SEED
from pocin.audit.finding import Finding
from pocin.audit.runs import drawn_sites, together
from pocin.privacy.noise import SeededNoise, below

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.audit.runs import Locations, Values
    from pocin.privacy.metric import Metric
    from pocin.privacy.noise import NoiseSource

LEAST_P = 1e-10
LEAST_EXPECTED = 100
CHANCE = 1e-8
SITES, SITE_DRAWS, VALUE_DRAWS = 4, 10_000, 30_000
TOGETHER_DRAWS = 4_000
FAR_FROM_ZERO = 2**40


def locations_fit(locations: Locations, metric: Metric, noise: NoiseSource) -> Finding:
    """Compare draws at a few sites, chosen by a public seed, with the exact probabilities."""
    chooser = SeededNoise(PUBLIC_SEED)
    rate = float(locations.epsilon / (2 * locations.alpha))
    chosen = sorted({below(chooser, len(metric)) for _ in range(SITES)})
    runs, law = (TOGETHER_DRAWS, matched) if together(locations) else (SITE_DRAWS, alone)
    drawn = drawn_sites(locations, chosen, runs, metric, noise)
    found = [
        chi_square(np.bincount(sites, minlength=len(metric)), law(metric, site, rate))
        for site, sites in zip(chosen, drawn.T, strict=True)
    ]
    worst = min(found)
    return Finding(
        "fit of phase 1",
        worst >= LEAST_P,
        f"{len(chosen)} sites, {runs} draws each: the least p of chi-square is {worst:.2g}, "
        f"and {LEAST_P:g} is allowed",
        {"sites": len(chosen), "draws": runs, "least_p": worst, "allowed": LEAST_P},
    )


def alone(metric: Metric, site: int, rate: float) -> Floats:
    """Return the law of what an element at a site draws by itself."""
    weights = np.exp(-rate * metric.row(site))
    return np.asarray(weights / weights.sum())


def matched(metric: Metric, site: int, rate: float) -> Floats:
    r"""Return the law of what an element at a site draws where whole permutations are drawn.

    Its probability of s is proportional to w(site, s) times the permanent of w without that row and
    column, here by Ryser's formula, which shares nothing with the sampler's recursion: the sum over
    the sets S of columns without s of

        (-1)^(n - 1 - |S|)  prod_{i other than site}  sum_{j in S} w(i, j)
    """
    n = len(metric)
    weights = np.exp(-rate * metric.matrix())
    products = np.where((n - 1 - np.bitwise_count(np.arange(1 << n))) % 2, -1.0, 1.0)
    for i in range(n):
        if i != site:
            sums = np.zeros(1)
            for j in range(n):
                sums = np.concatenate([sums, sums + weights[i, j]])
            products *= sums
    minors = [products.reshape(-1, 2, 1 << s)[:, 0].sum() for s in range(n)]
    law = weights[site] * np.array(minors)
    return np.asarray(law / law.sum())


def chi_square(counts: Ints, probability: Floats) -> float:
    """Return the p-value of counts under exact probabilities, with cells pooled."""
    draws = counts.sum()
    order = np.argsort(-probability)
    expected = draws * probability[order]
    beyond = np.cumsum(expected[::-1])[::-1]
    alone = max(1, int(np.sum((expected >= LEAST_EXPECTED) & (beyond >= 2 * LEAST_EXPECTED))))
    seen = np.append(counts[order][:alone], counts[order][alone:].sum())
    hoped = np.append(expected[:alone], expected[alone:].sum())
    if hoped[-1] < LEAST_EXPECTED:
        seen, hoped = _merge_last(seen), _merge_last(hoped)
    statistic = float(np.sum((seen - hoped) ** 2 / hoped))
    return float(chi2.sf(statistic, len(hoped) - 1)) if len(hoped) > 1 else 1.0


def _merge_last(cells: Floats) -> Floats:
    """Pool the last two cells."""
    return np.append(cells[:-2], cells[-2:].sum()) if len(cells) > 1 else cells


def values_fit(values: Values, noise: NoiseSource) -> Finding:
    """Compare noisy values far from zero, and at zero where they are clamped, with their laws."""
    scale = float(Fraction(values.alpha) / values.epsilon)
    allowed = float(np.sqrt(np.log(2 / CHANCE) / (2 * VALUE_DRAWS)))
    far = values.draw(np.full(VALUE_DRAWS, FAR_FROM_ZERO), noise) - FAR_FROM_ZERO
    near = values.draw(np.zeros(VALUE_DRAWS, dtype=np.int64), noise)
    whole = all(np.issubdtype(drawn.dtype, np.integer) for drawn in (far, near))
    apart = {"far from zero": distance(far, scale), "at zero": distance(near, scale, least=0)}
    worst = max(apart.values())
    grid = "" if whole else "; the values are not on the public grid"
    return Finding(
        "fit of phase 2",
        worst <= allowed and whole,
        f"2 x {VALUE_DRAWS} draws of scale {scale:g} steps: their distribution is at most "
        f"{worst:.4f} from the exact one, and {allowed:.4f} is allowed{grid}",
        {"draws": VALUE_DRAWS, "scale": scale, "distance": apart, "allowed": allowed},
    )


def laplace_cdf(k: Ints, scale: float) -> Floats:
    """Return Pr[noise <= k] where Pr[k] is proportional to exp(-|k| / scale)."""
    q = np.exp(-1 / scale)
    tail = np.exp(-np.abs(np.where(k >= 0, k + 1, k)) / scale) / (1 + q)
    return np.asarray(np.where(k >= 0, 1 - tail, tail))


def distance(drawn: Ints, scale: float, least: int | None = None) -> float:
    """Return the largest distance between the drawn and the exact distribution function.

    Both are steps on whole numbers, so it is reached at a drawn value or just before one.
    ``least`` is where the law is clamped: all below falls there.
    """
    points, counts = np.unique(np.floor(drawn).astype(np.int64), return_counts=True)
    after = np.cumsum(counts) / len(drawn)
    before = after - counts / len(drawn)
    at, under = laplace_cdf(points, scale), laplace_cdf(points - 1, scale)
    if least is not None:
        at, under = np.where(points < least, 0.0, at), np.where(points <= least, 0.0, under)
    return float(max(np.max(np.abs(after - at)), np.max(np.abs(before - under))))
