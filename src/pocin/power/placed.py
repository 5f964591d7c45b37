# SPDX-License-Identifier: MIT
"""What phase 3 starts from, the draws at their sites, and what it arrives at, an attempt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pocin.power.public import LimitRules, limit_rules
from pocin.power.written import released_grid

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.kinds import Certificate, Document
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid


@dataclass(frozen=True, eq=False)
class Placed:
    """The draws at their sites: noisy capacities (MW), cost curves, and the rules of the limits."""

    public: PublicGrid = field(repr=False)
    noisy: Floats
    costs: Floats = field(repr=False)
    rules: LimitRules = field(repr=False)

    def grid(self, v: Floats) -> Grid:
        """Return the grid with these capacities."""
        return released_grid(self.public, v, self.costs, self.rules)


@dataclass(frozen=True, eq=False)
class Attempt:
    """Capacities that were written and certified."""

    v: Floats
    grid: Grid = field(repr=False)
    document: Document = field(repr=False)
    certificate: Certificate

    @property
    def own(self) -> float | None:
        """The reader's own optimum; None where its solve did not converge."""
        return self.certificate.own_optimum

    @property
    def within(self) -> bool:
        """Whether it is in the band."""
        return self.certificate.within


def place(public: PublicGrid, noisy: Floats, moved: Floats, record: Ints) -> Placed:
    """Put record ``record[s]`` on site s."""
    columns = public.moved_columns(moved[record])
    rules = limit_rules(public, columns, noisy[record])
    return Placed(public, noisy[record], columns.costs, rules)
