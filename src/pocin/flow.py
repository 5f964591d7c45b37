# SPDX-License-Identifier: MIT
"""The flow: read, split, relocate, perturb, restore, certify, write.

    plan    = what would be promised and spent; draws nothing
    spend   = written to the ledger before the first draw
    draws   = phase 1 and phase 2; the last place that sees the secret
    finish  = phase 3 and the certificate; sees the public part, the draws and the figure

``Release`` holds what may be published; its ``Diagnostics`` are the curator's alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pocin.errors import NotFaithfulError
from pocin.header import header, with_statement
from pocin.kinds import Goal
from pocin.plan import Plan, Request, plan
from pocin.privacy.draws import seal
from pocin.privacy.location import mechanism
from pocin.privacy.noise import SeededNoise, SystemNoise
from pocin.privacy.spending import Spend
from pocin.privacy.value import LaplaceValues

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pocin.kinds import Document, Finished, Kind, Network, Public
    from pocin.privacy.draws import Draws, Trace
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.ledger import Ledger
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.spending import Receipt


@dataclass(frozen=True, eq=False)
class OpenSide:
    """All that phase 3, the certificate and the writer get besides the draws and the goal."""

    kind: Kind
    public: Public
    promise: Guarantee


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """The curator's: how the release came about. Nothing of it may be published."""

    plan: Plan = field(repr=False)
    finished: Finished = field(repr=False)
    trace: Trace = field(repr=False)
    draws: Draws = field(repr=False)
    goal: Goal
    seconds: Mapping[str, float] = field(repr=False)
    receipt: Receipt | None


@dataclass(frozen=True, eq=False)
class Release:
    """A released network, the bytes of its files, and its guarantee."""

    network: Any = field(repr=False)
    document: Document = field(repr=False)
    guarantee: Guarantee = field(repr=False)
    diagnostics: Diagnostics = field(repr=False)


def release(
    network: Network,
    request: Request | None = None,
    *,
    ledger: Ledger | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Release:
    """Make a private and faithful release of a network, or raise NotFaithfulError."""
    began = perf_counter()
    planned = plan(network, request or Request())
    known = planned.known_figure()
    promise, receipt = spend(planned, ledger)
    noise = noise_of(planned.request)
    figure = planned.private_figure(noise) if known is None else known
    goal = Goal(figure, planned.request.beta, planned.request.time_limit)
    draws, trace, seconds = draw(planned, noise, say)
    finished = finish(OpenSide(planned.kind, planned.public, promise), draws, goal, say)
    seconds |= {"read": network.seconds, **finished.seconds}
    seconds["total"] = network.seconds + perf_counter() - began
    if not finished.certificate.within:
        raise NotFaithfulError(_failure(finished, promise))
    diagnostics = Diagnostics(planned, finished, trace, draws, goal, seconds, receipt)
    return Release(finished.content, finished.document, promise, diagnostics)


def spend(planned: Plan, ledger: Ledger | None) -> tuple[Guarantee, Receipt | None]:
    """Write the spend to the ledger, before anything is drawn; research spends nothing."""
    promise = planned.guarantee
    if ledger is None or not promise.private:
        return promise, None
    receipt = ledger.spend(
        planned.network_id,
        Spend(
            promise.location.epsilon,
            promise.value.epsilon,
            promise.figure.epsilon,
            ", ".join(promise.figure.exact),
        ),
    )
    so_far = receipt.statement.sentence.partition(": ")[2].rstrip(".")
    return replace(promise, spent=so_far), receipt


def noise_of(request: Request) -> NoiseSource:
    """Return the operating system's randomness, or the seeded one of research."""
    return SystemNoise() if request.seed is None else SeededNoise(request.seed)


def draw(
    planned: Plan, noise: NoiseSource, say: Callable[[str], None]
) -> tuple[Draws, Trace, dict[str, float]]:
    """Relocate and perturb, and seal the records."""
    say("drawing")
    secret = planned.secret
    location, value = planned.guarantee.location, planned.guarantee.value
    began = perf_counter()
    relocate = mechanism(planned.request.mechanism)(location.epsilon, location.alpha)
    sites = relocate.draw(secret.sites, planned.public.metric, noise)
    relocated = perf_counter()
    steps = planned.kind.values.steps(value.alpha)
    values = LaplaceValues(value.epsilon, steps).draw(secret.values, noise)
    draws, trace = seal(sites, values, secret.moved)
    seconds = {"phase1": relocated - began, "phase2": perf_counter() - relocated}
    return draws, trace, seconds


def finish(
    side: OpenSide, draws: Draws, goal: Goal, say: Callable[[str], None] = lambda _: None
) -> Finished:
    """Restore, certify and format: a function of what everybody may see, and of the draws."""
    said = side.kind, side.promise, goal, side.public
    lines = header(*said)

    def document(content: Any) -> Document:
        return with_statement(*said, side.kind.write(content, lines))

    return side.kind.finish(side.public, draws, goal, document, say)


def _failure(finished: Finished, promise: Guarantee) -> str:
    """Say why, and what stands spent."""
    stands = "the privacy spent stays spent" if promise.private else "nothing was spent"
    return f"no faithful release: {finished.reason}; {stands}, and no file was written"
