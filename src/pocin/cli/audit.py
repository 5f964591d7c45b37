# SPDX-License-Identifier: MIT
"""``pocin audit``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin import api
from pocin.audit import inspect
from pocin.cli.console import print_json, print_text, progress
from pocin.errors import AuditError
from pocin.plan import Request
from pocin.privacy.settings import Privacy, Radius
from pocin.privacy.settings import epsilon as read_epsilon
from pocin.privacy.spending import exact

if TYPE_CHECKING:
    from pocin.audit.inspect import Audit

MARKS = {True: "pass", False: "FAIL", None: "    "}


def audit(
    source: str,
    /,
    *released: Path,
    epsilon: str = "1",
    alpha_location: str | None = None,
    alpha_value: str | None = None,
    mechanism: str = "softmax",
    policy: str | None = None,
    only: Path | None = None,
    costs: Path | None = None,
    model: str | None = None,
    reading: str | None = None,
    trip_times: str | None = None,
    gamma: str | None = None,
    json: Annotated[bool, Parameter(negative=())] = False,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Check the guarantee on a network, and what files released of it give away.

    Gates must hold (exit 6): exact loss by enumeration, truth-blindness, fit of the samplers,
    lower bounds on epsilon, leaks. What stands unmarked only reports. Nothing is spent. The report
    compares with the truth: it is the curator's, not for publication.

    Parameters
    ----------
    source
        The original network: a file, or a built-in case's name.
    released
        Files released of it, by pocin or by another tool.
    epsilon
        The epsilon claimed for locations and for values, each.
    alpha_location
        The alpha-location claimed: 2hops, 5%, 1%nodes.
    alpha_value
        The alpha-value claimed: 10MW, 0.1pu, 10veh.
    mechanism
        How locations are drawn: softmax, or permutation (at most 22 elements).
    policy
        The policy claimed: derived (default), unit, site; of roads pairs (default), demand; or a
        .toml file.
    only
        A file of the elements that are secret, one a line.
    costs
        A table of cost curves, for formats that carry none.
    model
        Power: the model of readers, ac (default) or dc.
    reading
        Roads: what beta is of, total (the mean trip time) or per-trip.
    trip_times
        Roads: the table of trip times of a per-trip release, or 'computed'.
    gamma
        Roads: travel time a vehicle adds to a link, or 'computed'.
    json
        Print one JSON object on stdout.
    quiet
        No progress on stderr.
    """
    claimed = read_epsilon(epsilon)
    radius = None if alpha_location is None else Radius.parse(alpha_location)
    request = Request(
        privacy=Privacy(claimed, claimed, radius, alpha_value),
        mechanism=mechanism,
        policy=policy,
        only=only,
        choices=api.choices(model=model, reading=reading, trip_times=trip_times, gamma=gamma),
        seed=0,
    )
    with progress(quiet=quiet) as say:
        found = inspect.audit(api.read(source, costs=costs), released, request, say)
    if json:
        print_json(_object(found))
    else:
        print_text(_told(found))
    if found.failed:
        raise AuditError(f"the audit failed: {', '.join(dict.fromkeys(found.failed))}")


def _told(found: Audit) -> str:
    """Say what was claimed, a line a finding, and the verdict."""
    location, value = found.planned.guarantee.location, found.planned.guarantee.value
    width = max(len(finding.gate) for finding in found.findings)
    claim = (
        f"Claimed: epsilon {exact(location.epsilon)} for locations within "
        f"{exact(location.alpha)} hops, {exact(value.epsilon)} for values within "
        f"{exact(value.alpha)} {value.unit}; mechanism {found.planned.request.mechanism}, "
        f"policy {found.planned.public.policy.name}."
    )
    lines = [f"{MARKS[f.passed]}  {f.gate:{width}}  {f.sentence}" for f in found.findings]
    gates = sum(finding.passed is not None for finding in found.findings)
    verdict = f"{gates - len(found.failed)} of {gates} gates hold ({found.seconds:.1f} s)."
    return "\n".join([claim, "", *lines, "", verdict])


def _object(found: Audit) -> dict[str, object]:
    """Return the report as plain data."""
    promise = found.planned.guarantee
    return {
        "kind": found.planned.kind.name,
        "source": found.planned.network.name,
        "claimed": {
            "epsilon_location": float(promise.location.epsilon),
            "alpha_location_hops": float(promise.location.alpha),
            "epsilon_value": float(promise.value.epsilon),
            f"alpha_value_{promise.value.unit}": float(promise.value.alpha),
            "mechanism": found.planned.request.mechanism,
            "policy": found.planned.public.policy.name,
        },
        "passed": not found.failed,
        "findings": [
            {
                "gate": finding.gate,
                "passed": finding.passed,
                "sentence": finding.sentence,
                "figures": dict(finding.figures),
            }
            for finding in found.findings
        ],
        "seconds": round(found.seconds, 2),
    }
