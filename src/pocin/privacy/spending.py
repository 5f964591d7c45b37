# SPDX-License-Identifier: MIT
"""What the ledger's rows say: a spend, a budget, and where a network stands with them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, Inexact
from fractions import Fraction
from typing import Any, Self, TypeAlias

from pocin.errors import UsageError

DIGITS = 30

Row: TypeAlias = tuple[Any, ...]


def exact(value: Fraction) -> str:
    """Write a number as people do: 0.25 where its decimals end, else 1/3, rounded up at last."""
    ratio = Decimal(value.numerator), Decimal(value.denominator)
    try:
        return f"{Context(prec=DIGITS, traps=[Inexact]).divide(*ratio):f}"
    except Inexact:
        if value.denominator < 10**DIGITS:
            return str(value)
        return f"about {Context(prec=6, rounding=ROUND_CEILING).divide(*ratio):g}"


@dataclass(frozen=True)
class Spend:
    """Privacy that one release uses up, and a public word on what it discloses exactly."""

    epsilon_location: Fraction
    epsilon_value: Fraction
    epsilon_cost: Fraction = Fraction(0)
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse what would give privacy back."""
        if min(self.epsilon_location, self.epsilon_value, self.epsilon_cost) < 0:
            raise UsageError("a spend cannot be negative: give an epsilon of at least 0")

    @property
    def total(self) -> Fraction:
        """The sum of the three parts."""
        return self.epsilon_location + self.epsilon_value + self.epsilon_cost


@dataclass(frozen=True)
class Entry:
    """One row: either a spend, or a budget that replaces those before it."""

    number: int
    time: str
    network: str
    spend: Spend | None
    budget: Fraction | None
    digest: str

    @classmethod
    def of(cls, row: Row) -> Self:
        """Read a row of the table."""
        number, time, network, location, value, cost, budget, note, digest = row
        if budget is not None:
            return cls(number, time, network, None, Fraction(budget), digest)
        spend = Spend(Fraction(location), Fraction(value), Fraction(cost), note)
        return cls(number, time, network, spend, None, digest)


@dataclass(frozen=True)
class Statement:
    """All that was ever recorded on one network, oldest first."""

    network: str
    entries: tuple[Entry, ...]

    @property
    def spends(self) -> tuple[Spend, ...]:
        """The spends alone."""
        return tuple(entry.spend for entry in self.entries if entry.spend)

    @property
    def spent(self) -> Spend:
        """The sum of all spends, part by part."""
        spends = self.spends
        return Spend(
            sum((s.epsilon_location for s in spends), Fraction(0)),
            sum((s.epsilon_value for s in spends), Fraction(0)),
            sum((s.epsilon_cost for s in spends), Fraction(0)),
            "; ".join(dict.fromkeys(s.note for s in spends if s.note)),
        )

    @property
    def budget(self) -> Fraction | None:
        """The newest budget, or None where none was ever opened: then nothing is refused."""
        budgets = [entry.budget for entry in self.entries if entry.budget is not None]
        return budgets[-1] if budgets else None

    @property
    def left(self) -> Fraction | None:
        """What the budget leaves, at least 0, or None where there is no budget."""
        return None if self.budget is None else max(self.budget - self.spent.total, Fraction(0))

    @property
    def sentence(self) -> str:
        """What was spent and what is left, for a person to read.

        Epsilons of several alphas add up to what is written off, not to a bound at one alpha.
        """
        spent, count = self.spent, len(self.spends)
        parts = (
            f"location {exact(spent.epsilon_location)}, value {exact(spent.epsilon_value)}, "
            f"cost figure {exact(spent.epsilon_cost)}"
        )
        text = f"Spent on this network so far: {exact(spent.total)} ({parts}) in {count} "
        text += "spend" if count == 1 else "spends"
        text += ", each for the alphas of its own release" if count > 1 else ""
        text += f"; further disclosed: {spent.note}" if spent.note else ""
        if self.budget is None or self.left is None:
            return f"{text}; no budget is set."
        return f"{text}; {exact(self.left)} of the budget of {exact(self.budget)} is left."

    def refusal(self, spend: Spend) -> str | None:
        """Say why this spend does not fit into the budget, or None where it does."""
        if self.budget is None or self.left is None:
            return None
        if self.spent.total + spend.total <= self.budget:
            return None
        return (
            f"this would spend {exact(spend.total)}, but {exact(self.left)} of the budget of "
            f"{exact(self.budget)} is left on this network: lower the epsilons, or raise the "
            "budget by `pocin ledger open`"
        )


@dataclass(frozen=True)
class Receipt:
    """The row just written, and where the network stands with it."""

    entry: Entry
    statement: Statement
