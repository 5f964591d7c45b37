# SPDX-License-Identifier: MIT
"""What a reviewer runs: gates that must hold, and findings that only report.

    exact, blindness, fit, bounds, left     gates; one that fails fails the audit
    apart                                   findings

Nothing is spent, for nothing that is drawn here leaves the audit. Its report compares with the
truth, so it is the curator's alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from pocin.audit import apart, bounds, exact, fit
from pocin.audit.blindness import blindness
from pocin.audit.left import leaks, values_by_site
from pocin.audit.shuffles import SHUFFLES
from pocin.errors import InputError
from pocin.plan import plan
from pocin.privacy.location import mechanism
from pocin.privacy.noise import SystemNoise
from pocin.privacy.value import LaplaceValues
from pocin.sources import GRAPHS, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pocin.audit.finding import Finding
    from pocin.audit.runs import Locations
    from pocin.kinds import Document, Network
    from pocin.plan import Plan, Request

OWN = "a release of this network"
ENUMERATIONS = ("enumeration", "enumeration, placed anew")


@dataclass(frozen=True)
class Audit:
    """All findings, and the time they took."""

    planned: Plan
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def failed(self) -> tuple[str, ...]:
        """The gates that did not hold."""
        return tuple(finding.gate for finding in self.findings if finding.passed is False)


def audit(
    network: Network,
    released: tuple[Path, ...],
    request: Request,
    say: Callable[[str], None] = lambda _: None,
) -> Audit:
    """Audit the product on a network, and files released of it, whoever wrote them.

    ``request`` must be of research: it needs no cost figure and promises nothing.
    """
    began = perf_counter()
    planned = plan(network, request)
    read = [(path, planned.kind.read(path, None)[0], _document(path)) for path in released]
    findings = [*_mechanism(planned, say)]
    say("truth-blindness")
    figure = planned.known_figure()
    assert figure is not None  # a private figure is not research's
    blind, made = blindness(planned, figure)
    findings.append(blind)
    findings += _released(planned, OWN, made.content, made.document)
    for path, content, document in read:
        say(f"comparing {path}")
        findings += _released(planned, str(path), content, document)
    return Audit(planned, tuple(findings), perf_counter() - began)


def _mechanism(planned: Plan, say: Callable[[str], None]) -> Iterator[Finding]:
    """Yield the gates of the draws."""
    metric, promise, noise = planned.public.metric, planned.guarantee, SystemNoise()
    epsilon, alpha = promise.location.epsilon, promise.location.alpha
    locations = cast("Locations", mechanism(planned.request.mechanism)(epsilon, alpha))
    steps = planned.kind.values.steps(promise.value.alpha)
    values = LaplaceValues(promise.value.epsilon, steps)
    say("enumerating")
    for shuffle, gate in zip(SHUFFLES[planned.request.mechanism], ENUMERATIONS, strict=True):
        yield exact.enumeration(metric, promise.location, shuffle(epsilon, alpha), gate)
    say("fit of the samplers")
    yield fit.locations_fit(locations, metric, noise)
    yield fit.values_fit(values, noise)
    say("lower bounds")
    yield bounds.locations_bound(locations, metric, noise)
    yield bounds.values_bound(values, noise)
    yield bounds.one_run(locations, metric, noise)


def _released(planned: Plan, name: str, content: Any, document: Document) -> Iterator[Finding]:
    """Yield what a released network gives away."""
    original = planned.network.content
    shown = planned.kind.exposure(planned.public, planned.secret, original, content)
    real = values_by_site(planned)
    yield leaks(planned, name, content, document, shown)
    yield apart.fingerprints(name, shown)
    yield apart.residual(name, shown, real)
    yield apart.told_apart(name, shown, real)


def _document(path: Path) -> Document:
    """Return the bytes of a released file, or of the files of a folder."""
    try:
        if path.is_dir():
            files = sorted(file for file in path.iterdir() if file.is_file())
            return {file.name: read_bytes(file, GRAPHS) for file in files}
        return {"": read_bytes(path)}
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path") from None
