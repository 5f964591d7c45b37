# SPDX-License-Identifier: MIT
"""From draws to a certified grid: place, restore, certify. Blind to the truth like its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pocin.kinds import Finished
from pocin.power.certificate import certify
from pocin.power.fidelity import candidates, place, restore
from pocin.power.public import MEGAWATT
from pocin.privacy.location import assign

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.kinds import Document, Goal
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid
    from pocin.privacy.secret import Draws


def finish(
    public: PublicGrid,
    draws: Draws,
    goal: Goal,
    document: Callable[[Grid], Document],
    say: Callable[[str], None],
) -> Finished:
    """Restore the draws to fidelity and certify what would be written."""
    record = assign(draws, public.metric)
    placed = place(public, MEGAWATT.real(draws.values), draws.moved, record)
    say("restoring fidelity")
    restored = restore(placed, goal)
    certifying = 0.0
    for v in candidates(placed, restored):
        say("certifying")
        grid = placed.grid(v)
        written = document(grid)
        certificate = certify(written, goal)
        certifying += certificate.seconds
        if certificate.within:
            break
    reason = certificate.reason
    if not restored.solve.solved and not certificate.within:
        reason = f"phase 3 ended with {restored.solve.status}, and {reason}"
    return Finished(
        content=grid,
        document=written,
        certificate=certificate,
        bilevel="certified" if certificate.within else "failed",
        record=record,
        noisy=placed.noisy,
        released=v,
        distance=float(np.linalg.norm(v - placed.noisy)),
        bound=None,
        reason=reason,
        seconds={"phase3": restored.solve.seconds, "certify": certifying},
        diagnostics={
            "phase3": {"solved": restored.solve.solved, "status": restored.solve.status},
        },
    )
