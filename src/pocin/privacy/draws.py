# SPDX-License-Identifier: MIT
"""The only form in which a secret leaves the draws: noisy records, sorted by their own contents.

One record an element of (drawn site, noisy value, moved columns). Which element a record came
from cannot be told from it; ``Trace`` keeps that for the curator's own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Draws:
    """The noisy records, in an order that is a function of the records alone."""

    sites: Ints
    values: Ints
    moved: Floats

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.sites)


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The curator's: ``element[k]`` is the row of the secret behind record k."""

    element: Ints


def seal(sites: Ints, values: Ints, moved: Floats) -> tuple[Draws, Trace]:
    """Sort raw draws by (drawn site, noisy value, moved columns) and forget whose they are.

    Records that agree in every column are interchangeable: no output can depend on which is which.
    A negative zero sorts as a zero and is written otherwise, so that there is none.
    """
    moved = moved + 0.0
    keys = (*moved.T[::-1], values, sites)
    order = np.lexsort(keys)
    return Draws(sites[order], values[order], moved[order]), Trace(order)
