# SPDX-License-Identifier: MIT
"""Numbers for links that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints


def numbered(tail: Ints, head: Ints, *columns: Floats | Ints) -> Ints:
    """Number links by what is public of them: their ends, then these columns.

    Links that agree in all of it are interchangeable: what decides between them is the order of
    the source, and two truths that differ in it are one swap apart.
    """
    keys = [np.nan_to_num(column) for column in reversed(columns)]
    ids = np.empty(len(tail), dtype=np.int64)
    ids[np.lexsort((*keys, head, tail))] = np.arange(1, len(tail) + 1)
    return ids
