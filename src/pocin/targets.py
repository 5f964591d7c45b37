# SPDX-License-Identifier: MIT
"""The seam for attacks: what a kind of network brings, so that one simulator attacks them all.

A target is the real network in the curator's hands. Its sites are those of elements with capacity,
in the order of their public ids; everything here is indexed by that order. Attackers rank sites by
columns, the highest first; what they know decides which columns they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from pocin.arrays import Floats

if TYPE_CHECKING:
    from pocin.arrays import Ints

Scores: TypeAlias = Mapping[str, Floats]
"""Columns to rank the sites by, by their names; of several, the best is meant."""

Variants: TypeAlias = Mapping[str, Scores]
"""One attacker's ways, each with its columns; every way is reported by itself."""


def varying(columns: Scores) -> dict[str, Floats]:
    """Keep the columns that tell sites apart."""
    return {name: column for name, column in columns.items() if np.ptp(column) > 0}


@dataclass(frozen=True)
class Harm:
    """What an attack does to the real network.

    ``objective`` is O*(A(G)) - O*(G), in the unit of the problem; ``details`` are the kind's own.
    """

    damage: float
    objective: float
    details: Mapping[str, float] = field(default_factory=dict)


class Target(Protocol):
    """A real network, and what attackers of it know. The curator's: it handles the truth.

    ``unit`` is damage's; ``element`` is what a site holds, ``worth_meaning`` what there is to take;
    ``beside`` has the meanings of details that people are shown too, where a harm has them.
    """

    unit: str
    element: str
    worth_meaning: str

    @property
    def beside(self) -> Mapping[str, str]:
        """Details that people are shown too."""

    @property
    def name(self) -> str:
        """The network's name."""

    @property
    def meaning(self) -> str:
        """What damage is."""

    @property
    def count(self) -> int:
        """How many sites can be hit; known before anything is solved."""

    @property
    def worth(self) -> Floats:
        """What an informed attacker would take, at every site."""

    @property
    def optimum(self) -> float:
        """O*(G), to which the objective of an attacked network is compared."""

    def check(self, released: Any, name: str) -> None:
        """Refuse what is no release of this network."""

    def informed(self) -> Variants:
        """Return what ranks the sites of the real network."""

    def public(self) -> Variants:
        """Return what ranks the sites on the public part alone, by its optimum."""

    def obfuscated(self, released: Any, solve: Any = None) -> Variants:
        """Return what ranks the sites of a released network, by its own optimum.

        ``solve`` is a certificate's account of that optimum, where there is one.
        """

    def residual(self, released: Any) -> Variants:
        """Return what ranks the sites without the noise.

        ``left`` is what the release leaves of the elements, ``floor`` what the public part tells
        whatever becomes of them.
        """

    def harm(self, hit: Ints) -> Harm:
        """Attack the real network at these sites."""
