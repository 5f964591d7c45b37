# SPDX-License-Identifier: MIT
"""The definition's third wish, for the curator's record: what an attacker gains by this release.

The paper asks that |O*(G) - O*(A(G~))| be small, G~ the release and A the attack that its own
optimum suggests. No mechanism can aim at it, for only the real network tells it; so it is looked at
here, after the written bytes are fixed, and goes nowhere else.

The paper expects a single attack to hit the top element with a chance near 1/n. That is found by
further draws of phases 1 and 2, which never leave this function: the attacker hits the site with
the largest noisy value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pocin import flow
from pocin.attack.budgets import Budget
from pocin.attack.ranking import Prize, hits
from pocin.privacy.location import assign
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from pocin.flow import Release
    from pocin.plan import Plan

BUDGET = Budget.parse("10%")
DRAWS = 100
MOST_SITES = 100
"""Draws are made up to so many sites: some tenths of a second."""

PUBLIC_SEED = 0


def robustness(release: Release) -> dict[str, Any]:
    """Attack the real network as whoever has this release would, once with the budget of 10 %."""
    d = release.diagnostics
    network, solve = d.plan.network, d.finished.certificate.solve
    target = network.kind.target(network.content, network.name, {})
    k = BUDGET.of(target.count, target.element)
    ways = target.obfuscated(release.network, solve).values()
    ranked = [hits(score, k) for scores in ways for score in scores.values()]
    harms = [target.harm(np.sort(hit)) for hit in ranked]
    worst = int(np.argmax([harm.damage for harm in harms]))
    prize = Prize(target.worth, k)
    return {
        "hit": k,
        "damage": harms[worst].damage,
        "meaning": f"{target.meaning} ({target.unit})",
        "objective_difference": abs(harms[worst].objective),
        "relative": abs(harms[worst].objective) / abs(target.optimum),
        "share_of_informed": prize.share(ranked[worst]),
        "one_attack": {
            "hits_top": prize.holds_top(ranked[worst][:1]),
            **one_attack(d.plan),
        },
    }


def one_attack(planned: Plan) -> dict[str, Any]:
    """Return the chance that one attack hits the element with the largest value."""
    n = len(planned.secret)
    if n > MOST_SITES:
        return {"missing": f"drawn up to {MOST_SITES} sites"}
    noise, hit = SeededNoise(PUBLIC_SEED), 0
    top = planned.secret.sites[np.argmax(planned.secret.values)]
    for _ in range(DRAWS):
        draws, _, _ = flow.draw(planned, noise, lambda _: None)
        values = draws.values[assign(draws, planned.public.metric)]
        hit += int(hits(values.astype(np.float64), 1)[0] == top)
    return {"chance": hit / DRAWS, "draws": DRAWS, "uniform": 1 / n}
