# SPDX-License-Identifier: MIT
"""The five attackers on one real network.

    random       hits sites in a random order, the mean of some draws
    public       by the optimum on the public part
    obfuscated   by the released network's own optimum
    residual     by the best of what is left without the noise
    informed     by the real network's own optimum

What random, public and informed attackers do depends on the original alone: it is worked out once,
and so is the harm of every set of sites. All of it compares with the truth: it is the curator's.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.attack.ranking import Chance, Prize, hits, random_order, shares

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pocin.arrays import Ints
    from pocin.attack.budgets import Budget
    from pocin.targets import Harm, Scores, Target, Variants

RANKINGS = RANDOM, PUBLIC, OBFUSCATED, RESIDUAL, INFORMED = (
    "random",
    "public",
    "obfuscated",
    "residual",
    "informed",
)
BEST = "best"
"""The variant that ranks by the best of all columns of a ranking."""

DRAWS = 50


@dataclass(frozen=True)
class Row:
    """One attack: a run of a ranking at a budget.

    ``run`` numbers the releases, or the draws of the random attacker. ``variant`` is the way of
    ranking, ``by`` its column; ``share`` what it takes of what the informed attacker could, ``top``
    whether the site that is worth most is among those hit. ``p`` is of the variant, ``p_any`` of
    all columns of the ranking; both are None where nothing is tested.
    """

    run: int
    budget: str
    k: int
    ranking: str
    variant: str
    by: str
    share: float
    top: bool
    harm: Harm
    p: float | None = None
    p_any: float | None = None
    shares: Mapping[str, float] = field(default_factory=dict)

    def flat(self) -> dict[str, Any]:
        """Return the row as plain columns, for a table."""
        named = ("run", "budget", "k", "ranking", "variant", "by", "share", "top", "p", "p_any")
        plain = {name: getattr(self, name) for name in named}
        told = {"damage": self.harm.damage, "objective": self.harm.objective}
        return plain | told | dict(self.harm.details)


@dataclass(frozen=True, eq=False)
class Simulation:
    """Attacks on one real network, with what they have in common worked out once."""

    target: Target
    budgets: tuple[Budget, ...]
    draws: int = DRAWS
    _harms: dict[bytes, Harm] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many sites every budget hits."""
        n = self.target.count
        return tuple(budget.of(n, self.target.element) for budget in self.budgets)

    @cached_property
    def originals(self) -> tuple[Row, ...]:
        """The attacks that no release changes."""
        drawn = [row for draw in range(self.draws) for row in self.random(draw)]
        return (*drawn, *self.certain)

    @cached_property
    def certain(self) -> tuple[Row, ...]:
        """The attacks by the public part, and by the truth."""
        known = {PUBLIC: self.target.public(), INFORMED: self.target.informed()}
        return tuple(row for name, ways in known.items() for row in self._ranked(0, name, ways))

    def random(self, run: int) -> Iterator[Row]:
        """Yield the attacks of whoever knows nothing; the sites of budgets are nested."""
        order = random_order(self.target.count, run)
        for at, k in enumerate(self.counts):
            yield self._row(run, at, order[:k], ranking=RANDOM, variant="", by="order")

    def release(self, run: int, released: Any, solve: Any = None) -> tuple[Row, ...]:
        """Return the attacks of whoever has this release."""
        return (
            *self._ranked(run, OBFUSCATED, self.target.obfuscated(released, solve)),
            *self._residual(run, self.target.residual(released)),
        )

    def harm(self, hit: Ints) -> Harm:
        """Return what hitting these sites does; asked again, it is known."""
        key = np.sort(hit).tobytes()
        if key not in self._harms:
            self._harms[key] = self.target.harm(np.sort(hit))
        return self._harms[key]

    def _ranked(self, run: int, ranking: str, variants: Variants) -> Iterator[Row]:
        """Yield the attack of each variant's best column, at every budget."""
        for at in range(len(self.counts)):
            for name, scores in variants.items():
                if scores:
                    yield self._best(run, at, ranking, name, scores)

    def _residual(self, run: int, variants: Variants) -> Iterator[Row]:
        """Yield the same with the best of all columns before, each tested against chance."""
        every = {name: score for scores in variants.values() for name, score in scores.items()}
        ways = {BEST: every or {"nothing": 0 * self.target.worth}, **variants}
        for row in self._ranked(run, RESIDUAL, ways):
            at = self.counts.index(row.k)
            found = [hits(ways[row.variant][name], row.k) for name in row.shares]
            union = [hits(score, row.k) for score in ways[BEST].values()]
            chance = self._chances[at]
            yield replace(row, p=chance.p(found), p_any=chance.p(union))

    def _best(self, run: int, at: int, ranking: str, variant: str, scores: Scores) -> Row:
        """Attack by the column that takes most."""
        prize = self._chances[at].prize
        by, hit = prize.best(scores)
        told = {"ranking": ranking, "variant": variant, "by": by}
        return self._row(run, at, hit, shares=shares(prize, scores), **told)

    @cached_property
    def _chances(self) -> tuple[Chance, ...]:
        """What there is to take at every budget."""
        return tuple(Chance(Prize(self.target.worth, k)) for k in self.counts)

    def _row(self, run: int, at: int, hit: Ints, **told: Any) -> Row:
        """Attack, and say what it took."""
        prize, budget = self._chances[at].prize, self.budgets[at].text
        share, top, harm = prize.share(hit), prize.holds_top(hit), self.harm(hit)
        return Row(run, budget, self.counts[at], share=share, top=top, harm=harm, **told)
