# SPDX-License-Identifier: MIT
"""The secret part of a network: what nothing after the draws may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints


@dataclass(frozen=True, eq=False, repr=False)
class Secret:
    """Which element stands where, and its value. Row i is element i.

    ``sites`` are positions in the public list of sites; ``values`` are whole public grid units
    (0.01 MW, one vehicle); ``moved`` are the columns that travel with the element. Kinds sort the
    rows by what stands in them, so that the same seed draws the same whatever the source's order.
    """

    sites: Ints
    values: Ints
    moved: Floats

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.sites)
