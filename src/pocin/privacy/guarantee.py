# SPDX-License-Identifier: MIT
"""What a release promises, as an object that can be asked and printed.

Each phase carries its own guarantee; the release composes them. For two networks that share the
public part, the probability of any release differs by at most a factor exp(loss), with

    loss = eps_l * (sum of hops moved) / (2 alpha_l) + eps_v * (sum of |value change|) / alpha_v.

A private cost figure that depends on the values alone adds its own epsilon to eps_v; one that
depends on places too adds eps_c * (swaps + (sum of |value change|) / reach).
The proof stands in docs/guarantee.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pocin.privacy.spending import exact


@dataclass(frozen=True)
class LocationGuarantee:
    """Of phase 1: ``epsilon`` for two elements at most ``alpha`` hops apart swapped."""

    epsilon: Fraction
    alpha: Fraction
    elements: int
    covered: int

    def loss(self, hops_moved: Fraction | int) -> Fraction:
        """Return the loss when elements move by this many hops in total."""
        return self.epsilon * hops_moved / (2 * self.alpha)


@dataclass(frozen=True)
class ValueGuarantee:
    """Of phase 2: ``epsilon`` for one value changed by at most ``alpha`` units."""

    epsilon: Fraction
    alpha: Fraction
    unit: str

    def loss(self, value_change: Fraction | int) -> Fraction:
        """Return the loss when values change by this much in total, on the public grid."""
        return self.epsilon * value_change / self.alpha


@dataclass(frozen=True)
class Disclosure:
    """A cost figure's origin: ``declared``, ``private`` (spends ``epsilon``) or ``computed``.

    ``exact`` are the exact disclosures beside it. ``reach`` is the value change that costs
    ``epsilon``, as a swap does; None where places play no part and it is alpha-value.
    """

    source: str
    epsilon: Fraction = Fraction(0)
    exact: tuple[str, ...] = ()
    reach: Fraction | None = None


@dataclass(frozen=True)
class Guarantee:
    """The composed guarantee of a release."""

    location: LocationGuarantee
    value: ValueGuarantee
    figure: Disclosure
    public_columns: tuple[str, ...]
    moved_columns: tuple[str, ...]
    fixed: str = "topology, lines, loads"
    only: bool = False
    private: bool = True
    spent: str | None = None

    def loss(
        self,
        hops_moved: Fraction | int = 0,
        value_change: Fraction | int = 0,
        swaps: Fraction | int = 0,
    ) -> Fraction:
        """Return the log of the factor between two networks this far apart.

        Additive in its arguments, so k changes cost the sum of what each costs.
        """
        if self.figure.reach is None:
            figure = self.figure.epsilon * value_change / self.value.alpha
        else:
            figure = self.figure.epsilon * (swaps + value_change / self.figure.reach)
        return self.location.loss(hops_moved) + self.value.loss(value_change) + figure

    @property
    def total(self) -> Fraction:
        """What a release with this guarantee takes from a budget."""
        return self.location.epsilon + self.value.epsilon + self.figure.epsilon

    @property
    def statement(self) -> str:
        """The text that the product prints, and no stronger one."""
        parts = [] if self.private else ["NOT A PRIVATE RELEASE: the draws repeat from a seed."]
        parts += [self._fixed(), self._bound(), self._coverage(), self._limits()]
        if self.figure.exact:
            parts.append(
                f"Disclosed exactly beside it, outside this bound: {', '.join(self.figure.exact)}."
            )
        if self.spent is not None:
            parts.append(f"Spent on this network so far: {self.spent}.")
        return "\n".join(parts)

    def _fixed(self) -> str:
        """The public part that the promise holds fixed."""
        moved = ", ".join(self.moved_columns)
        unplaced = f"the unplaced list of every moved column ({moved}), " if moved else ""
        origin = {
            "declared": ", and the cost figure as a number not taken from the secret",
            "private": f" (not the cost figure: it spent epsilon {exact(self.figure.epsilon)}, "
            + ("counted with the values)" if self.figure.reach is None else "counted below)"),
            "computed": ", and the cost figure, which was computed from the secret",
        }[self.figure.source]
        subset = " chosen by the curator" if self.only else ""
        return (
            f"Hold fixed the public part: {self.fixed}, the sites of secret elements"
            f"{subset} and how many stand at each, {unplaced}"
            f"everything the policy lists as public{origin}."
        )

    def _bound(self) -> str:
        """The bound with its numbers."""
        el, al = self.location.epsilon, self.location.alpha
        ev, av = self.value.epsilon, self.value.alpha
        unit = self.value.unit
        if self.figure.epsilon and self.figure.reach is not None:
            return self._bound_with_swaps(self.figure.epsilon, self.figure.reach)
        ev += self.figure.epsilon
        return (
            "Between any two networks that share it, the probability of any release differs by at "
            f"most a factor exp({exact(el)} x (sum of hops moved) / {exact(2 * al)} + "
            f"{exact(ev)} x (sum of |value change| on the grid) / {exact(av)} {unit}).\n"
            f"Two elements at most {exact(al)} hops apart swapped: {exact(el)}. "
            f"One value changed by at most {exact(av)} {unit}: {exact(ev)}. "
            f"Both: {exact(el + ev)}. k changes add up."
        )

    def _bound_with_swaps(self, ec: Fraction, reach: Fraction) -> str:
        """The bound where a private figure depends on places too."""
        el, al = self.location.epsilon, self.location.alpha
        ev, av, unit = self.value.epsilon, self.value.alpha, self.value.unit
        one = ev + ec * av / reach
        return (
            "Between any two networks that share it, the probability of any release differs by at "
            f"most a factor exp({exact(el)} x (sum of hops moved) / {exact(2 * al)} + "
            f"{exact(ev)} x (sum of |value change| on the grid) / {exact(av)} {unit} + "
            f"{exact(ec)} x (swaps of two elements + (sum of |value change|) / {exact(reach)} "
            f"{unit})).\n"
            f"Two elements at most {exact(al)} hops apart swapped: {exact(el + ec)}. "
            f"One value changed by at most {exact(av)} {unit}: {exact(one)}. "
            f"Both: {exact(el + ec + one)}. k changes add up."
        )

    def _coverage(self) -> str:
        """How many elements have a partner to be mistaken for."""
        return (
            f"{self.location.covered} of {self.location.elements} elements have a partner at "
            f"1 to {exact(self.location.alpha)} hops."
        )

    def _limits(self) -> str:
        """What the promise does not cover."""
        return (
            "Not hidden: which sites are occupied, how many elements there are, or what can be "
            "inferred from the public part."
        )
