# SPDX-License-Identifier: MIT
r"""Gate: lower bounds on epsilon from draws, which must stay below the claim.

Two elements h hops apart, swapped or not; the claim is eps h / alpha. An event that falls k times
in n runs has a probability within Clopper and Pearson's interval, so

    eps >= ln(low(Pr[event | one truth]) / high(Pr[event | the other])).

One run audits many pairs at once (Steinke, Nasr and Jagielski 2023): a coin for each of m disjoint
pairs says whether it is swapped, and the coins are guessed from the output of phase 1. Under
eps-differential privacy the number of right guesses is at most Binomial(r, e^eps / (1 + e^eps)) in
stochastic order, so many right guesses bound eps from below. Both bounds are wrong with probability
at most 1e-7, which is how often a sound product fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, binom

from pocin.audit.finding import Finding
from pocin.audit.runs import drawn_sites, together
from pocin.privacy.draws import seal
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats, Ints
    from pocin.audit.runs import Locations, Values
    from pocin.privacy.metric import Metric
    from pocin.privacy.noise import NoiseSource

    Place = Callable[[Ints, Metric, Ints], Ints]

CHANCE = 1e-7
PAIR_RUNS, RUNS, GUESSES, MOST_ELEMENTS = 20_000, 5_000, 60_000, 200
TOGETHER_RUNS = 4_000


def clopper_pearson(hits: int, runs: int, chance: float) -> tuple[float, float]:
    """Return bounds of a probability; each is wrong with probability at most ``chance``."""
    low = float(beta.ppf(chance, hits, runs - hits + 1)) if hits else 0.0
    high = float(beta.isf(chance, hits + 1, runs - hits)) if hits < runs else 1.0
    return low, high


def lower_bound(hits: int, other_hits: int, runs: int) -> float:
    """Return the epsilon that two counts of an event prove, at least 0."""
    low, _ = clopper_pearson(hits, runs, CHANCE / 2)
    _, high = clopper_pearson(other_hits, runs, CHANCE / 2)
    return max(0.0, float(np.log(low / high))) if low else 0.0


def pairs(metric: Metric, alpha: int) -> list[tuple[int, int, int]]:
    """Return disjoint pairs of sites 1 to alpha hops apart, and their hops; the far ones first."""
    taken: set[int] = set()
    found = []
    for site in range(min(len(metric), MOST_ELEMENTS)):
        hops = metric.row(site)
        near = [t for t in np.argsort(-hops, kind="stable").tolist() if 1 <= hops[t] <= alpha]
        partner = next((t for t in near if t not in taken and t < MOST_ELEMENTS), None)
        if site not in taken and partner is not None:
            taken |= {site, partner}
            found.append((site, partner, int(hops[partner])))
    return found


def locations_bound(locations: Locations, metric: Metric, noise: NoiseSource) -> Finding:
    """Bound epsilon by raw draws of one pair: both stay, against the same with the two swapped."""
    gate = "lower bound, phase 1"
    known = pairs(metric, int(locations.alpha))
    if not known:
        return Finding(gate, None, "skipped: no two sites are within alpha-location")
    a, b, hops = max(known, key=lambda pair: pair[2])
    claim = float(locations.epsilon * hops / locations.alpha)

    hops_a, hops_b = metric.row(a), metric.row(b)
    runs = TOGETHER_RUNS if together(locations) else PAIR_RUNS

    def scores(first: int, second: int) -> Ints:
        at, beside = drawn_sites(locations, [first, second], runs, metric, noise).T
        return np.asarray(hops_b[at] - hops_a[at] + hops_a[beside] - hops_b[beside])

    found = bound_by_score(scores(a, b), scores(b, a))
    return _judged(gate, found, claim, f"two elements {hops} hops apart, {runs} runs each", runs)


def bound_by_score(score: Ints, other: Ints) -> float:
    """Bound epsilon by the event that the score reaches a level, chosen on the first half."""
    half = len(score) // 2

    def proves(part: slice, level: int) -> float:
        hits, others = (int(np.sum(found[part] >= level)) for found in (score, other))
        return lower_bound(hits, others, len(score[part]))

    levels = np.unique(score).tolist()
    best = max(levels, key=lambda level: proves(slice(half), level))
    return proves(slice(half, None), best)


def values_bound(values: Values, noise: NoiseSource) -> Finding:
    """Bound epsilon by a value of zero against one of alpha: what is not noised shows at once."""
    more, less = (
        int(np.sum(values.draw(np.full(PAIR_RUNS, value), noise) >= values.alpha))
        for value in (values.alpha, 0)
    )
    found = max(
        lower_bound(more, less, PAIR_RUNS),
        lower_bound(PAIR_RUNS - less, PAIR_RUNS - more, PAIR_RUNS),
    )
    what = f"values 0 and alpha, {PAIR_RUNS} runs each"
    return _judged("lower bound, phase 2", found, float(values.epsilon), what, PAIR_RUNS)


def product(drawn: Ints, metric: Metric, standing: Ints) -> Ints:
    """Return the element that each site gets, by the product's seal and assignment."""
    del standing
    names = np.arange(len(drawn))
    draws, _ = seal(drawn, names, names[:, None].astype(np.float64))
    return np.asarray(draws.values[assign(draws, metric)])


def one_run(
    locations: Locations, metric: Metric, noise: NoiseSource, place: Place = product
) -> Finding:
    """Guess the coins of many disjoint pairs from where phase 1 placed their elements."""
    known = pairs(metric, int(locations.alpha))
    if not known or len(metric) > MOST_ELEMENTS:
        why = "no two sites are within alpha" if not known else f"{len(metric)} elements"
        return Finding("one-run audit", None, f"skipped: {why}")
    a, b, hops = np.array(known).T
    claim = float(locations.epsilon * int(hops.max()) / locations.alpha)
    most = TOGETHER_RUNS if together(locations) else RUNS
    runs = max(200, min(most, GUESSES // len(known)))
    n, table = len(metric), metric.matrix()
    coins = np.array([[noise.bits(1) for _ in known] for _ in range(runs)], dtype=bool)
    truths = np.tile(np.arange(n), (runs, 1))
    truths[:, a], truths[:, b] = np.where(coins, b, a), np.where(coins, a, b)
    drawn = np.array([locations.draw(truth, metric, noise) for truth in truths])
    score = np.empty((runs, len(known)))
    for run in range(runs):
        at = np.argsort(place(drawn[run], metric, truths[run]))
        score[run] = table[a, at[a]] + table[b, at[b]] - table[a, at[b]] - table[b, at[a]]
    right, guesses = best_guesses(score / hops, coins)
    found = epsilon_of_guesses(right, guesses)
    what = f"{len(known)} disjoint pairs in {runs} runs, {right} of {guesses} guesses right"
    return _judged("one-run audit", found, claim, what, guesses)


def best_guesses(score: Floats, coins: Floats) -> tuple[int, int]:
    """Return the right guesses and all guesses: swapped where the score is high.

    How sure a guess must be is chosen on the first half of the runs and used on the second.
    """
    half = len(score) // 2
    levels = np.unique(np.abs(score[:half][score[:half] != 0]))
    counted = [(_count(score[:half], coins[:half], level), level) for level in levels]
    if not counted:
        return 0, 0
    best = max(counted, key=lambda pair: epsilon_of_guesses(*pair[0]))[1]
    return _count(score[half:], coins[half:], best)


def _count(score: Floats, coins: Floats, level: float) -> tuple[int, int]:
    """Count the right guesses among those at least this sure."""
    sure = np.abs(score) >= level
    return int(np.sum((score > 0)[sure] == coins[sure])), int(np.sum(sure))


def epsilon_of_guesses(right: int, guesses: int, chance: float = CHANCE) -> float:
    """Return the largest epsilon that so many right guesses rule out, at least 0."""

    def surprise(epsilon: float) -> float:
        return float(binom.logsf(right - 1, guesses, 1 / (1 + np.exp(-epsilon))) - np.log(chance))

    if not guesses or surprise(0.0) >= 0:
        return 0.0
    most = 40.0
    return most if surprise(most) < 0 else float(brentq(surprise, 0.0, most))


def _judged(gate: str, found: float, claim: float, what: str, runs: int) -> Finding:
    """Compare a lower bound with the claim."""
    return Finding(
        gate,
        found <= claim,
        f"{what}: epsilon is at least {found:.3f}, and {claim:g} is claimed",
        {"lower_bound": found, "claimed": claim, "runs": runs},
    )
