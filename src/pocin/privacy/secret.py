# SPDX-License-Identifier: MIT
"""The secret part of a network, and the only form in which it leaves the draws.

``Secret`` is what nothing after the draws may see. ``Draws`` is what they may: one record an
element of (drawn site, noisy value, moved columns), sorted by its own contents. Which source row
a record came from cannot be told from it; ``Trace`` keeps that for the curator's own record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Secret:
    """Which element stands where, and its value. Row i is element i, in the source's order.

    ``sites`` are positions in the public list of sites; ``values`` are whole public grid units
    (0.01 MW, one vehicle); ``moved`` are the columns that travel with the element.
    """

    sites: Ints
    values: Ints
    moved: Floats

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.sites)


@dataclass(frozen=True, eq=False)
class Draws:
    """The noisy records, in an order that is a function of the records alone."""

    sites: Ints
    values: Ints
    moved: Floats

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.sites)


@dataclass(frozen=True, eq=False)
class Trace:
    """The curator's: ``element[k]`` is the source row behind record k."""

    element: Ints


def seal(sites: Ints, values: Ints, moved: Floats) -> tuple[Draws, Trace]:
    """Sort raw draws by (drawn site, noisy value, moved columns) and forget the source order.

    Records that agree in every column are interchangeable: no output can depend on which is which.
    """
    keys = (*moved.T[::-1], values, sites)
    order = np.lexsort(keys)
    return Draws(sites[order], values[order], moved[order]), Trace(order)
