# SPDX-License-Identifier: MIT
"""What a curator asks for: epsilons and alphas, as exact numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from pocin.errors import UsageError

if TYPE_CHECKING:
    from pocin.privacy.metric import Hops

_LARGEST_EPSILON = 1000


class Scale(StrEnum):
    """What the number in an alpha-location counts."""

    HOPS = "hops"
    DIAMETER = "%"
    NODES = "%nodes"


@dataclass(frozen=True)
class Radius:
    """An alpha-location as asked for: an amount of a scale."""

    amount: Fraction
    scale: Scale

    @classmethod
    def parse(cls, text: str) -> Radius:
        """Read ``2hops``, ``5%`` (of the diameter) or ``1%nodes`` (of the number of nodes)."""
        number, suffix = quantity(text, "--alpha-location", tuple(Scale))
        return cls(number, Scale(suffix))

    def hops(self, metric: Hops, node_count: int) -> Fraction:
        """Return the radius in hops on a topology."""
        if self.scale is Scale.HOPS:
            return self.amount
        whole = metric.diameter if self.scale is Scale.DIAMETER else node_count
        hops = self.amount * whole / 100
        if not hops:
            raise UsageError("--alpha-location: comes to 0 hops on this network; give it in hops")
        return hops


@dataclass(frozen=True)
class Privacy:
    """The privacy asked for. None leaves an alpha to the default."""

    epsilon_location: Fraction = Fraction(1)
    epsilon_value: Fraction = Fraction(1)
    alpha_location: Radius | None = None
    alpha_value: str | None = None
    epsilon_cost: Fraction | None = None


def epsilon(text: str | float | Fraction, flag: str = "--epsilon") -> Fraction:
    """Read a positive epsilon exactly."""
    value = _number(str(text))
    if value is None or not 0 < value <= _LARGEST_EPSILON:
        raise UsageError(f"{flag}: expected a number over 0 and at most {_LARGEST_EPSILON}")
    return value


def quantity(text: str, flag: str, units: tuple[str, ...]) -> tuple[Fraction, str]:
    """Read a positive number with one of these units behind it."""
    match = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([%a-zA-Z]+[23]?)\s*", text)
    value = _number(match[1]) if match else None
    if match is None or match[2] not in units or value is None or value <= 0:
        shown = " or ".join(f"5{unit}" for unit in units)
        raise UsageError(f"{flag} '{text}': expected a positive number with its unit, as {shown}")
    return value, match[2]


def _number(text: str) -> Fraction | None:
    """Read a finite decimal or a ratio of whole numbers, or return None."""
    try:
        if "/" in text:
            return Fraction(text)
        value = Decimal(text)
    except (InvalidOperation, ValueError, ZeroDivisionError):
        return None
    small = value.is_finite() and abs(value.adjusted()) <= 30  # noqa: PLR2004  (no 1e999999999)
    return Fraction(value) if small else None
