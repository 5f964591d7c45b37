# SPDX-License-Identifier: MIT
"""Sums whose last digits do not depend on a machine's cores.

A library of linear algebra adds long vectors in as many parts as it has threads. These add in one
order, pairwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats


def dot(a: Floats, b: Floats) -> float:
    """Return a . b."""
    return float(np.sum(a * b))


def norm(a: Floats) -> float:
    """Return ||a||."""
    return float(np.sqrt(np.sum(a * a)))


def triangle(rows: Floats) -> Floats:
    """Return R of the QR factors of the columns that are these rows (modified Gram-Schmidt)."""
    left, found = np.array(rows), np.zeros((len(rows), len(rows)))
    for i in range(len(rows)):
        found[i, i] = norm(left[i])
        if found[i, i] > 0:
            left[i] /= found[i, i]
        found[i, i + 1 :] = np.sum(left[i + 1 :] * left[i], axis=1)
        left[i + 1 :] -= found[i, i + 1 :, None] * left[i]
    return found
