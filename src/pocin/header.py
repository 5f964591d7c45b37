# SPDX-License-Identifier: MIT
"""What a released file says of itself: provenance and guarantee, and nothing else.

No time, no seed, no figure of the draws, no name of the source: all of it is a function of the
public part, the policy and the promise.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pocin.kinds import STATEMENT
from pocin.version import VERSION

if TYPE_CHECKING:
    from pocin.kinds import Document, Goal, Kind, Public
    from pocin.privacy.guarantee import Guarantee


def header(kind: Kind, guarantee: Guarantee, goal: Goal, public: Public) -> tuple[str, ...]:
    """Return the lines of the header comment."""
    policy = public.policy
    constants = ", ".join(f"{name} {value:g}" for name, value in policy.constants.items())
    fidelity = (
        f"Fidelity: the optimum of the {kind.problem} is within {goal.beta:g} (relative) of "
        f"{goal.figure!r}, the {guarantee.figure.source} cost figure."
    )
    return (
        f"Obfuscated by pocin {VERSION}: {kind.name} network, policy {policy.name} ({constants}).",
        "Values and places of elements are not those of any real network.",
        *guarantee.statement.split("\n"),
        fidelity,
    )


def public_statement(
    kind: Kind, guarantee: Guarantee, goal: Goal, public: Public, files: list[str]
) -> dict[str, Any]:
    """Return the statement that is stored beside the released file."""
    return {
        "pocin": VERSION,
        "kind": kind.name,
        "problem": kind.problem,
        "parameters": parameters(guarantee, goal, public),
        "guarantee": guarantee_object(guarantee),
        "cost": {"figure": goal.figure, "source": guarantee.figure.source},
        "files": files,
    }


def with_statement(
    kind: Kind, guarantee: Guarantee, goal: Goal, public: Public, files: Document
) -> Document:
    """Return a release's files with its public statement among them, where it is a folder."""
    if not kind.folder:
        return files
    names = sorted([*files, STATEMENT])
    return {**files, STATEMENT: as_json(public_statement(kind, guarantee, goal, public, names))}


def as_json(data: dict[str, Any]) -> bytes:
    """Return readable JSON."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def parameters(guarantee: Guarantee, goal: Goal, public: Public) -> dict[str, Any]:
    """Return the parameters of a release."""
    policy = public.policy
    return {
        "private": guarantee.private,
        "policy": policy.name,
        "columns": {name: str(treatment) for name, treatment in policy.treatments.items()},
        "constants": dict(policy.constants),
        "alpha_location_hops": float(guarantee.location.alpha),
        f"alpha_value_{guarantee.value.unit}": float(guarantee.value.alpha),
        "beta": goal.beta,
        **public.parameters,
    }


def guarantee_object(guarantee: Guarantee) -> dict[str, Any]:
    """Return the guarantee as plain data."""
    return {
        "epsilon_location": float(guarantee.location.epsilon),
        "epsilon_value": float(guarantee.value.epsilon),
        "epsilon_cost": float(guarantee.figure.epsilon),
        "coverage": {
            "covered": guarantee.location.covered,
            "elements": guarantee.location.elements,
        },
        "statement": guarantee.statement,
    }
