# SPDX-License-Identifier: MIT
"""The tables of a study's results: their columns, and what each one means.

Every table begins with the settings, so that it can be read without any other. ``timings`` is
apart: all others are equal to the last bit on whatever machines and however many workers.
"""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]
Rows = dict[str, list[Row]]

BEFORE = "before"
"""The ranking by the draws as they fell, which no attacker has: what phase 3 gives back is told."""

SETTINGS: dict[str, type] = {
    "task": str,
    "case": str,
    "policy": str,
    "mechanism": str,
    "epsilon_location": str,
    "epsilon_value": str,
    "alpha_location": str,
    "alpha_value": str,
    "beta": float,
    "cost_figure": str,
    "cost_epsilon": str,
    "pmin_ratio": float,
    "model": str,
    "reading": str,
    "trip_times": str,
    "gamma": str,
    "fault": str,
    "run": int,
    "seed": int,
}

RELEASES: dict[str, type] = {
    "outcome": str,  # faithful, not faithful, not restored, refused
    "reason": str,
    "kind": str,
    "policy_used": str,
    "elements": int,
    "covered": int,
    "alpha_hops": float,
    "alpha_amount": float,
    "mean_hops": float,
    "stayed": int,
    "feasible_before": bool,
    "optimum_before": float,
    "reason_before": str,
    "figure": float,
    "own_optimum": float,
    "gap": float,
    "bilevel": str,
    "distance": float,
    "bound": float,
    "noise": float,
    "error": float,
    "error_to_noise": float,
}

SITES: dict[str, type] = {
    "site": int,
    "came_from": int,  # the true site of what stands here in the release
    "original": float,
    "moved": float,  # the true value of what stands here
    "noisy": float,
    "released": float,
}

ANSWERS: dict[str, type] = {
    "answer": str,
    "index": int,
    "original": float,
    "before": float,
    "released": float,
}

ATTACKS: dict[str, type] = {
    "budget": str,
    "k": int,
    "ranking": str,
    "variant": str,  # the way of ranking, and the column of it that took most
    "by": str,
    "share": float,  # of what the informed attacker takes
    "top": bool,
    "p": float,  # how often chance takes as much: of the variant, of all columns of the ranking
    "p_any": float,
    "damage": float,
    "unit": str,
    "objective": float,
    "shed_mw": float,
    "unsolved": float,
    "mean_over_trips": float,
}

TIMINGS: dict[str, type] = {
    "phase1": float,
    "phase2": float,
    "before": float,
    "phase3": float,
    "certify": float,
    "attack": float,
    "total": float,
    "processor": float,
    "worker": str,
}

TABLES: dict[str, dict[str, type]] = {
    name: SETTINGS | own
    for name, own in {
        "releases": RELEASES,
        "sites": SITES,
        "answers": ANSWERS,
        "attacks": ATTACKS,
        "timings": TIMINGS,
    }.items()
}
