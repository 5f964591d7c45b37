# SPDX-License-Identifier: MIT
"""What a release would promise and spend, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError, UsageError
from pocin.kinds import chosen
from pocin.policy import Treatment
from pocin.privacy import location
from pocin.privacy.guarantee import Disclosure, Guarantee, LocationGuarantee, ValueGuarantee
from pocin.privacy.settings import Privacy

if TYPE_CHECKING:
    from pathlib import Path

    from pocin.kinds import Choices, Kind, Network
    from pocin.policy import Policy
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret

COMPUTED = "computed"
_LARGEST_SCALE = 10**12  # grid steps: beyond it the solvers' numbers overflow


@dataclass(frozen=True)
class Request:
    """What a curator asks for. ``seed`` makes it research: repeatable, and not private."""

    privacy: Privacy = field(default_factory=Privacy)
    beta: float = 0.1
    policy: str | None = None
    only: Path | None = None
    cost_figure: float | str | None = None
    constants: tuple[tuple[str, float], ...] = ()
    choices: Choices = ()
    network_id: str | None = None
    time_limit: float | None = None
    seed: int | None = None
    mechanism: str = "softmax"

    @property
    def private(self) -> bool:
        """Whether the operating system's randomness is used."""
        return self.seed is None


@dataclass(frozen=True, eq=False)
class Plan:
    """A request made concrete on a network: its two parts, its promise, where the figure is from.

    ``declared`` is the cost figure where it is known without the secret; ``width`` is what the
    noise of a private one stays within 19 times in 20.
    """

    kind: Kind
    public: Any = field(repr=False)
    secret: Secret = field(repr=False)
    request: Request
    guarantee: Guarantee = field(repr=False)
    network_id: str
    declared: float | None
    width: float | None
    network: Network = field(repr=False)

    def known_figure(self) -> float | None:
        """Return the declared or the computed cost figure; None where it is yet to be drawn."""
        if self.declared is not None or self.guarantee.figure.source == "private":
            return self.declared
        found = self.kind.solve(self.network.content)
        if found.cost is None:
            raise InputError(
                f"{self.network.name}: the {self.kind.problem} of the original cannot be solved "
                f"({found.reason}); mend the network, or declare a figure by --cost-figure"
            )
        if not found.cost > 0:
            raise InputError(
                f"{self.network.name}: the optimum of the {self.kind.problem} is not positive, and "
                "beta is relative to it; add a constant to the elements' costs"
            )
        return found.cost

    def private_figure(self, noise: NoiseSource) -> float:
        """Draw the cost figure that spends its own epsilon."""
        return self.kind.private_figure(self.public, self.secret, self.guarantee, noise)


def plan(network: Network, request: Request) -> Plan:
    """Cut the network, resolve the alphas, and compose the promise. Draws nothing."""
    _check_beta(request)
    network = chosen(network, request.choices)
    kind = network.kind
    policy = _policy(kind, request)
    public, secret = kind.split(network.content, policy, request.only)
    location.mechanism(request.mechanism).check(len(secret))
    declared, figure = _figure(network, request, policy)
    if declared is not None:
        kind.check_figure(public, declared, request.beta)
    guarantee = Guarantee(
        location=_location(public, len(secret), request.privacy),
        value=_value(kind, network, request.privacy),
        figure=figure,
        public_columns=policy.having(Treatment.PUBLIC),
        moved_columns=policy.having(Treatment.MOVES),
        fixed=kind.fixed,
        only=request.only is not None,
        private=request.private,
    )
    key = request.network_id
    if key is None:
        key = kind.ledger_key(network.content)
    private = figure.source == "private"
    width = kind.figure_width(public, secret, guarantee, request.beta) if private else None
    return Plan(kind, public, secret, request, guarantee, key, declared, width, network)


def _policy(kind: Kind, request: Request) -> Policy:
    """Return the policy with the constants that the request changes."""
    for name, value in request.constants:
        flag = "--" + name.replace("_", "-")
        if name not in kind.book.bounds:
            raise UsageError(f"{flag}: is not for {kind.name} networks; leave it out")
        if not kind.book.allows(name, value):
            low, high = kind.book.bounds[name]
            raise UsageError(f"{flag}: expected a number from {low:g} to {high:g}")
    return kind.book.find(request.policy).with_constants(**dict(request.constants))


def _check_beta(request: Request) -> None:
    """Refuse a beta that means nothing."""
    if not 0 < request.beta < 1:
        raise UsageError("--beta: expected a number between 0 and 1, such as 0.1")
    if request.time_limit is not None and not request.time_limit > 0:
        raise UsageError("--time-limit: expected a positive number of seconds")


def _location(public: Any, elements: int, privacy: Privacy) -> LocationGuarantee:
    """Resolve alpha-location and count the elements that have a partner within it."""
    metric = public.metric
    if privacy.alpha_location is None:
        alpha = Fraction(metric.covering())
    else:
        alpha = privacy.alpha_location.hops(metric, public.node_count)
    covered = metric.covered(int(alpha))
    return LocationGuarantee(privacy.epsilon_location, alpha, elements, covered)


def _value(kind: Kind, network: Network, privacy: Privacy) -> ValueGuarantee:
    """Resolve alpha-value, which must lie on the public grid."""
    text = privacy.alpha_value or kind.default_alpha_value
    alpha = kind.amount(text, network.content)
    if kind.values.steps(alpha) / privacy.epsilon_value > _LARGEST_SCALE:
        raise UsageError(
            "--alpha-value, --epsilon-value: the noise would drown any value; "
            "choose a smaller alpha or a larger epsilon"
        )
    return ValueGuarantee(privacy.epsilon_value, alpha, kind.values.unit)


def _figure(network: Network, request: Request, policy: Policy) -> tuple[float | None, Disclosure]:
    """Say where the cost figure comes from: declared, private or computed."""
    asked, epsilon = request.cost_figure, request.privacy.epsilon_cost
    kind, beside = network.kind, network.kind.disclosed
    published = network.published if kind.holds(network.content) else None
    if kind.figure is not None:
        if asked is not None or epsilon is not None:
            raise UsageError(
                "--cost-figure, --cost-epsilon: the other choices bring the figure; leave them out"
            )
        source = "computed" if beside else "declared"
        return _positive(kind.figure), Disclosure(source, exact=beside)
    if asked is not None and epsilon is not None:
        raise UsageError("--cost-figure and --cost-epsilon exclude each other: give one")
    if epsilon is not None:
        return None, Disclosure("private", epsilon, beside, kind.figure_reach(policy))
    if asked is None and published is not None:
        return _positive(published), Disclosure("declared", exact=beside)
    if asked == COMPUTED or (asked is None and not request.private):
        optimum = f"the optimum of the {kind.problem}"
        return None, Disclosure("computed", exact=(optimum, *beside))
    if asked is None:
        raise UsageError(
            "the release must be tied to a cost figure, and none is known for this network: "
            "declare one by --cost-figure VALUE (a number known without the secret), or spend "
            "privacy on one by --cost-epsilon E, or disclose the exact optimum by "
            "--cost-figure computed"
        )
    return _positive(_as_number(asked)), Disclosure("declared", exact=beside)


def _as_number(asked: float | str) -> float:
    """Read a declared figure."""
    try:
        return float(asked)
    except ValueError:
        raise UsageError("--cost-figure: expected a positive number or 'computed'") from None


def _positive(figure: float) -> float:
    """Refuse a figure that beta cannot be relative to."""
    if not 0 < figure < float("inf"):
        raise UsageError("--cost-figure: expected a positive number; beta is relative to it")
    return figure
