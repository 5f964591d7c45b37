# SPDX-License-Identifier: MIT
r"""Rankings: which sites an attacker hits, what that takes, and whether chance would take as much.

Sites are hit by their score, the highest first; of equal scores the lowest public id, so that the
truth breaks no tie. The share of an attack H is the worth that it takes of what the informed one
takes,

    share(H) = sum_{s in H} worth_s / max_{|H'| = |H|} sum_{s in H'} worth_s                     (1)

Of several columns an attacker is granted the best, which it could not know: so the chance that it
is compared with is granted the same. The worth is put on the sites in random orders; p is the share
of the orders in which the best column takes as much as it does of the real one (and the real order
counts among them, so that p is never 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pocin.arrays import Floats, Ints
    from pocin.targets import Scores

SHUFFLES = 2_000
PUBLIC_SEED = 0
_AS_MUCH = 1e-12


def hits(score: Floats, k: int) -> Ints:
    """Return the k sites that score highest, the highest first; NaN scores lowest."""
    known = np.where(np.isnan(score), -np.inf, score)
    return np.lexsort((np.arange(len(known)), -known))[:k]


def random_order(sites: int, draw: int) -> Ints:
    """Return a random order of the sites, the same on every run: budgets of a draw are nested."""
    return SeededNoise(draw).generator.permutation(sites)


@dataclass(frozen=True, eq=False)
class Prize:
    """What there is to take, and what k sites can take of it at most."""

    worth: Floats
    k: int

    @property
    def most(self) -> float:
        """The worth of the k sites that are worth most."""
        return float(np.sort(self.worth)[-self.k :].sum())

    def share(self, hit: Ints) -> float:
        """Return (1); 0 where there is nothing to take."""
        most = self.most
        return float(self.worth[hit].sum()) / most if most > 0 else 0.0

    def holds_top(self, hit: Ints) -> bool:
        """Return whether the site that is worth most is hit."""
        return bool(np.any(hit == np.argmax(self.worth)))

    def best(self, scores: Scores) -> tuple[str, Ints]:
        """Return the column that takes most, and its sites; of equals the first."""
        found = {name: hits(score, self.k) for name, score in scores.items()}
        name = max(found, key=lambda column: self.share(found[column]))
        return name, found[name]


@dataclass(eq=False)
class Chance:
    """The same random orders of a prize for every question; answers are kept."""

    prize: Prize

    def __post_init__(self) -> None:
        """Draw nothing yet."""
        self._known: dict[bytes, float] = {}

    def p(self, columns: Sequence[Ints]) -> float:
        """Return how often the best of these hits takes as much of a worth in random order."""
        table = np.unique(np.sort(np.array(columns), axis=1), axis=0)
        key = table.tobytes()
        if key not in self._known:
            self._known[key] = self._counted(table)
        return self._known[key]

    def _counted(self, table: Ints) -> float:
        """Shuffle and count."""
        worth, generator = self.prize.worth, SeededNoise(PUBLIC_SEED).generator
        real = float(worth[table].sum(axis=1).max())
        bar = real - _AS_MUCH * abs(real)
        reached = sum(
            float(generator.permutation(worth)[table].sum(axis=1).max()) >= bar
            for _ in range(SHUFFLES)
        )
        return (1 + reached) / (1 + SHUFFLES)


def shares(prize: Prize, scores: Scores) -> Mapping[str, float]:
    """Return the share that every column takes."""
    return {name: prize.share(hits(score, prize.k)) for name, score in scores.items()}
