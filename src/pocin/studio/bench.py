# SPDX-License-Identifier: MIT
"""The bench: the process that tries parameters on surrogates. It is never given a real network.

A trial is a seeded release of the surrogate of the same seed: the same flow, the same phase 3, the
same certificate, on made-up values. Its cost figure is the surrogate's own optimum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin import flow
from pocin.errors import NotFaithfulError, UsageError
from pocin.kinds import Network
from pocin.studio.opened import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pocin.arrays import Floats
    from pocin.flow import Release
    from pocin.kinds import Kind, Public
    from pocin.plan import Request

BUDGET = 0.2  # of the sites: what an attacker hits
_KEPT = 8  # surrogates


class Bench:
    """Keeps the last surrogates, which cost an optimum each."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, int], tuple[Network, float]] = {}

    def trial(
        self,
        key: str,
        side: tuple[Kind, Public],
        request: Request,
        seed: int,
        say: Callable[[str], None],
    ) -> Trial:
        """Release a surrogate with these parameters; ``key`` names the public part."""
        say("making a surrogate")
        network, figure = self._surrogate(key, side, seed)
        say("trying the parameters on it")
        asked = replace(request, seed=seed, network_id=None)
        if request.privacy.epsilon_cost is None:
            asked = replace(asked, cost_figure=figure)
        try:
            return measured(flow.release(network, asked), figure)
        except NotFaithfulError as error:
            return Trial(None, reason=str(error).partition(";")[0])

    def _surrogate(self, key: str, side: tuple[Kind, Public], seed: int) -> tuple[Network, float]:
        """Return the surrogate of a seed and its optimum."""
        if (key, seed) not in self._made:
            kind, public = side
            content = kind.surrogate(public, seed)
            solved = kind.solve(content)
            if solved.cost is None or not solved.cost > 0:
                raise UsageError(
                    "preview: none of the made-up networks could be solved, so nothing can be "
                    "foretold; the release itself is not touched by this"
                )
            while len(self._made) >= _KEPT:
                del self._made[next(iter(self._made))]
            self._made[key, seed] = Network(kind, content, "the surrogate"), solved.cost
        return self._made[key, seed]


def measured(made: Release, figure: float) -> Trial:
    """Compare a surrogate's release with the surrogate."""
    d = made.diagnostics
    secret, finished = d.plan.secret, d.finished
    before = np.empty(len(secret))
    before[secret.sites] = d.plan.kind.values.real(secret.values)
    after = np.asarray(finished.released, dtype=np.float64)
    own = finished.certificate.own_optimum
    assert own is not None
    standing = secret.sites[d.trace.element[finished.record]]
    moved = float(np.mean(standing != np.arange(len(secret))))
    figures = {"moved": moved, **found(before, after)}
    return Trial(own / figure - 1, finished.bilevel, before=before, after=after, figures=figures)


def found(before: Floats, after: Floats) -> Mapping[str, float]:
    """Return what attackers find who believe the release, and who guess.

    Both as shares of what one finds who knows all, when a fifth of the sites is hit:
    sum of v over the k largest released / sum over the k largest, and k mean(v) / the same.
    ``change`` is the mean of |released - v| over the mean of v.
    """
    k = max(1, round(BUDGET * len(before)))
    most = float(np.sum(np.sort(before)[-k:]))
    believed = np.argsort(-after, kind="stable")[:k]
    mean = float(np.mean(before))
    return {
        "found": float(np.sum(before[believed])) / most if most else 0.0,
        "guessed": k * mean / most if most else 0.0,
        "change": float(np.mean(np.abs(after - before))) / mean if mean else 0.0,
    }
