# SPDX-License-Identifier: MIT
"""What a released file says of itself: provenance and guarantee, and nothing else.

No time, no seed, no figure of the draws, no name of the source: all of it is a function of the
public part, the policy and the promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pocin.version import VERSION

if TYPE_CHECKING:
    from pocin.kinds import Goal, Kind
    from pocin.policy import Policy
    from pocin.privacy.guarantee import Guarantee


def header(kind: Kind, guarantee: Guarantee, goal: Goal, policy: Policy) -> tuple[str, ...]:
    """Return the lines of the header comment."""
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
    kind: Kind, guarantee: Guarantee, goal: Goal, policy: Policy, files: list[str]
) -> dict[str, Any]:
    """Return the statement that is stored beside the released file."""
    return {
        "pocin": VERSION,
        "kind": kind.name,
        "parameters": parameters(guarantee, goal, policy),
        "guarantee": guarantee_object(guarantee),
        "cost": {"figure": goal.figure, "source": guarantee.figure.source},
        "files": files,
    }


def parameters(guarantee: Guarantee, goal: Goal, policy: Policy) -> dict[str, Any]:
    """Return the parameters of a release."""
    return {
        "private": guarantee.private,
        "policy": policy.name,
        "columns": {name: str(treatment) for name, treatment in policy.treatments.items()},
        "constants": dict(policy.constants),
        "alpha_location_hops": float(guarantee.location.alpha),
        f"alpha_value_{guarantee.value.unit}": float(guarantee.value.alpha),
        "beta": goal.beta,
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
