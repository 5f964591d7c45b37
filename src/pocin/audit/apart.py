# SPDX-License-Identifier: MIT
"""Findings: how far released and real values can still be told apart, and by what without noise.

Shares are of the value that the fully informed attack takes: that of the largest fifth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from pocin.audit.exact import PUBLIC_SEED
from pocin.audit.finding import Finding
from pocin.privacy.noise import SeededNoise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Mask
    from pocin.kinds import Exposure

BUDGET = 0.2
SHUFFLES = 2_000


def fingerprints(name: str, shown: Exposure) -> Finding:
    """Say which share of sites and elements is unique on columns that carry no noise."""
    sites, elements = unique_share(shown.site_marks), unique_share(shown.element_marks)
    return Finding(
        "fingerprints",
        None,
        f"{name}: {sites:.0%} of the sites are unique on the public columns, {elements:.0%} of the "
        "elements on what travels with them unchanged",
        {"file": name, "sites": sites, "elements": elements},
    )


def unique_share(rows: Floats) -> float:
    """Return the share of rows that equal no other row."""
    _, back, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return float(np.mean(counts[back.ravel()] == 1))


def residual(name: str, shown: Exposure, real: Floats) -> Finding:
    """Rank sites by the best column without noise, against as many random rankings."""
    if not shown.standing:
        return Finding("residual ranking", None, f"{name}: no column is left to rank by")
    if not real.any():
        return Finding("residual ranking", None, f"{name}: every real value is 0: none to find")
    shares = found_shares(shown.standing, real)
    best = max(shares, key=lambda column: shares[column])
    noise = SeededNoise(PUBLIC_SEED).generator
    by_chance = [
        max(found_shares(shown.standing, noise.permutation(real)).values()) for _ in range(SHUFFLES)
    ]
    p = (1 + sum(other >= shares[best] for other in by_chance)) / (1 + SHUFFLES)
    chance = float(np.mean(by_chance))
    return Finding(
        "residual ranking",
        None,
        f"{name}: by '{best}' an attacker finds {shares[best]:.2f} of the informed attack's value "
        f"at {BUDGET:.0%}; the best of {len(shares)} random rankings finds {chance:.2f} on average "
        f"(p = {p:.3f})",
        {
            "file": name,
            "best": best,
            "share": shares[best],
            "random_best": chance,
            "random": taken(np.zeros(len(real)), real) / taken(real, real),
            "p": p,
            "shares": shares,
        },
    )


def found_shares(columns: Mapping[str, Floats], real: Floats) -> dict[str, float]:
    """Return the share of the informed attack's value that each column's ranking finds."""
    whole = taken(real, real)
    return {name: taken(column, real) / whole for name, column in columns.items()}


def taken(score: Floats, real: Floats) -> float:
    """Return the value at the fifth of sites that score highest, ties taken evenly."""
    k = max(1, round(BUDGET * len(real)))
    bar = np.sort(score)[-k]
    above, tied = score > bar, score == bar
    return float(real[above].sum() + (k - above.sum()) * real[tied].mean())


def told_apart(name: str, shown: Exposure, real: Floats) -> Finding:
    """Compare released with real values by site: rank correlation, AUC, value found."""
    there = ~np.isnan(shown.released)
    released, kept = shown.released[there], real[there]
    if len(kept) < 2 or np.ptp(released) == 0 or np.ptp(kept) == 0:  # noqa: PLR2004
        return Finding("told apart", None, f"{name}: too few values to compare")
    top = kept >= np.sort(kept)[-max(1, round(BUDGET * len(kept)))]
    rank, auc = rank_correlation(released, kept), auc_of(released, top)
    share = taken(released, kept) / taken(kept, kept)
    return Finding(
        "told apart",
        None,
        f"{name}: released and real values by site have rank correlation {rank:.2f}; the largest "
        f"fifth is told with AUC {'none' if auc is None else f'{auc:.2f}'} (0.5 is chance); "
        f"ranking by them finds {share:.2f} of the informed attack's value",
        {"file": name, "rank_correlation": rank, "auc": auc, "share": share},
    )


def rank_correlation(a: Floats, b: Floats) -> float:
    """Return Spearman's coefficient."""
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def auc_of(score: Floats, positive: Mask) -> float | None:
    """Return the probability that a positive scores above a negative, ties counted half."""
    yes, no = int(positive.sum()), int((~positive).sum())
    if not yes or not no:
        return None
    return float((rankdata(score)[positive].sum() - yes * (yes + 1) / 2) / (yes * no))
