# SPDX-License-Identifier: MIT
"""From draws to a certified release, for a simple kind. Blind to the truth, like all that it calls.

place      the records at the sites, by the assignment of phase 1
restore    the kind's own: values near the noisy ones, at the cost figure
certify    the optimum of the bytes that will be written, read back
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pocin.kinds import Certificate, Finished
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.arrays import Floats
    from pocin.kinds import Document, Goal
    from pocin.privacy.draws import Draws
    from pocin.privacy.value import ValueGrid
    from pocin.simple.tables import PublicPart, Tables


class Blind(Protocol):
    """What finishing asks of a kind."""

    @property
    def values(self) -> ValueGrid:
        """The public grid of the values."""

    def restore(self, public: PublicPart, noisy: Floats, moved: Floats, goal: Goal) -> Floats:
        """Return values near the noisy ones, at the cost figure."""

    def parse(self, document: Document, name: str) -> Tables:
        """Read a network."""

    def optimum(self, content: Tables) -> float:
        """Return a reader's optimum."""


def finish(  # noqa: PLR0917  (the seam's arguments, and the kind)
    kind: Blind,
    public: PublicPart,
    draws: Draws,
    goal: Goal,
    document: Callable[[Any], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws and certify what would be written."""
    began = perf_counter()
    record = assign(draws, public.metric)
    grid, moved = kind.values, draws.moved[record]
    noisy = grid.real(draws.values)[record]
    say("restoring fidelity")
    values = grid.real(grid.whole(kind.restore(public, noisy, moved, goal)))
    content = public.with_elements(values, moved)
    files = document(content)
    restored = perf_counter()
    say("certifying")
    certificate = certify(kind.optimum(kind.parse(files, "the release")), goal, restored)
    return Finished(
        content=content,
        document=files,
        certificate=certificate,
        bilevel="certified" if certificate.within else "failed",
        record=record,
        noisy=noisy,
        released=values,
        distance=float(np.linalg.norm(values - noisy)),
        bound=None,
        reason=certificate.reason,
        seconds={"phase3": restored - began, "certify": certificate.seconds},
    )


def certify(optimum: float, goal: Goal, began: float) -> Certificate:
    """Hold a reader's optimum to the figure."""
    found = math.isfinite(optimum)
    return Certificate(
        own_optimum=optimum if found else None,
        within=found and goal.met_by(optimum),
        reason=goal.told(optimum) if found else "the released network has no optimum",
        seconds=perf_counter() - began,
    )
