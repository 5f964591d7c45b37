# SPDX-License-Identifier: MIT
"""How many elements an attack hits: ``10%`` of those with capacity, or a count."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from pocin.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT = "10%,20%"


@dataclass(frozen=True)
class Budget:
    """A share of the elements, or a count of them; ``text`` as it was asked for."""

    text: str
    share: Fraction | None
    count: int

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read ``10%`` or ``10``."""
        asked = text.strip()
        try:
            if asked.endswith("%"):
                share = Fraction(asked[:-1]) / 100
                if 0 < share <= 1:
                    return cls(asked, share, 0)
            elif int(asked) > 0:
                return cls(asked, None, int(asked))
        except (ValueError, ZeroDivisionError):
            pass
        raise UsageError(
            f"--budget {asked}: expected a share up to 100% or a count of at least 1, "
            "such as 10%,20% or 10,20,50"
        )

    def of(self, elements: int, element: str) -> int:
        """Return how many of the elements are hit: to the nearest, at least one."""
        if self.share is not None:
            return max(1, int(self.share * elements + Fraction(1, 2)))
        if self.count > elements:
            raise UsageError(
                f"--budget {self.text}: there are {elements} {element}s to hit; ask for fewer"
            )
        return self.count


def parse(texts: str | Sequence[str]) -> tuple[Budget, ...]:
    """Read budgets, several texts or one with commas; each once."""
    parts = texts.split(",") if isinstance(texts, str) else texts
    return tuple(dict.fromkeys(Budget.parse(part) for part in parts))
