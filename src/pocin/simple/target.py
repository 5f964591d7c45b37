# SPDX-License-Identifier: MIT
"""A network of a simple kind as attackers meet it.

informed     the real values
public       how near a site is to all others
obfuscated   the released values
residual     floor: what the public attacker has; nothing is left of the elements at the sites
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pocin.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints
    from pocin.simple.kind import SimpleKind
    from pocin.simple.tables import Tables
    from pocin.targets import Harm, Variants


@dataclass(frozen=True, eq=False)
class SimpleTarget:
    """Answers ``pocin.targets.Target``; sites are sorted by public id."""

    kind: SimpleKind
    content: Tables = field(repr=False)
    name: str
    beside: ClassVar[Mapping[str, str]] = {}

    @property
    def unit(self) -> str:
        """The unit of damage."""
        return self.kind.damage_unit

    @property
    def element(self) -> str:
        """What a site holds."""
        return self.kind.element

    @property
    def worth_meaning(self) -> str:
        """What there is to take."""
        return self.kind.worth

    @property
    def meaning(self) -> str:
        """What damage is."""
        return self.kind.damage

    @property
    def count(self) -> int:
        """How many sites there are."""
        return len(self.content.elements)

    @property
    def worth(self) -> Floats:
        """The real values."""
        return self.kind.standing(self.content)[1]

    @cached_property
    def optimum(self) -> float:
        """The optimum before any attack."""
        return self.kind.optimum(self.content)

    def check(self, released: Tables, name: str) -> None:
        """Refuse a network with other sites."""
        ours, theirs = (np.sort(it.elements[:, 0]) for it in (self.content, released))
        if not np.array_equal(ours, theirs):
            raise InputError(
                f"{name}: has other sites than {self.name}; name a release of {self.name}"
            )

    def informed(self) -> Variants:
        """Rank by the real values."""
        return {"": {self.worth_meaning: self.worth}}

    def public(self) -> Variants:
        """Rank by place."""
        hops = self.kind.standing(self.content)[0].metric.matrix()
        return {"": {"nearness to the other sites": -hops.sum(axis=1).astype(np.float64)}}

    def obfuscated(self, released: Tables, solve: object = None) -> Variants:
        """Rank by the released values."""
        del solve
        return {"": {self.worth_meaning: self.kind.standing(released)[1]}}

    def residual(self, released: Tables) -> Variants:
        """Rank by place once more."""
        del released
        return {"left": {}, "floor": self.public()[""]}

    def harm(self, hit: Ints) -> Harm:
        """Attack the real network."""
        return self.kind.harm(*self.kind.standing(self.content), hit)
