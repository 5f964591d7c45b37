# SPDX-License-Identifier: MIT
"""Gate: what of the source is left in a released file, whoever wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from pocin.audit.finding import Finding

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.audit.finding import Figure
    from pocin.kinds import Document, Exposure
    from pocin.plan import Plan

CHANCE = 1e-7


def leaks(
    planned: Plan, name: str, released: object, document: Document, shown: Exposure
) -> Finding:
    """Gather what the kind finds, and the secret values that stand unchanged at their sites."""
    original, policy = planned.network.content, planned.public.policy
    told = planned.kind.leaks(planned.network.name, original, released, document, policy)
    real = values_by_site(planned)
    same, allowed = int(np.sum(shown.released == real)), allowed_same(planned)
    if same > allowed:
        told += (f"{same} of {len(real)} secret values stand unchanged at their site",)
    missing = int(np.sum(np.isnan(shown.released)))
    beside = f"; {missing} of {len(real)} sites are not in it" if missing else ""
    sentence = f"{name}: " + ("; ".join(told) if told else "nothing of the source is left in it")
    figures: dict[str, Figure] = {
        "file": name,
        "leaks": list(told),
        "unchanged": same,
        "missing_sites": missing,
    }
    return Finding("leaks", not told, sentence + beside, figures)


def values_by_site(planned: Plan) -> Floats:
    """Return the real values in the order of the sites."""
    real = np.empty(len(planned.secret))
    real[planned.secret.sites] = planned.kind.values.real(planned.secret.values)
    return real


def allowed_same(planned: Plan) -> int:
    """Return how many values chance may leave unchanged: more of them has probability 1e-7.

    A noisy value meets a given one with probability at most tanh(eps / (2 alpha)), in grid steps.
    """
    value = planned.guarantee.value
    steps = planned.kind.values.steps(value.alpha)
    meets = float(np.tanh(float(value.epsilon) / (2 * steps)))
    return int(binom.isf(CHANCE, len(planned.secret), meets))
