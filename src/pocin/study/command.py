# SPDX-License-Identifier: MIT
"""The command line that makes a release with the settings of a study's row.

Every field of ``Settings`` but the case and the fault is a flag of ``pocin release`` by the same
name; what a row leaves to the default is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pocin.study.task import Settings

_FLAGS = (
    "alpha_location",
    "alpha_value",
    "beta",
    "policy",
    "cost_figure",
    "cost_epsilon",
    "pmin_ratio",
    "model",
    "reading",
    "trip_times",
    "gamma",
)


def command(settings: Settings, output: str, seed: int | None = None) -> list[str] | None:
    """Return the words of a command; with a seed it repeats a release of the study.

    No command has a fault: None.
    """
    if settings.fault is not None:
        return None
    words = ["pocin", "release", settings.case, "-o", output, *_epsilons(settings)]
    if settings.mechanism != "softmax":
        words += ["--mechanism", settings.mechanism]
    for name in _FLAGS:
        value = getattr(settings, name)
        if value is not None:
            words += [_flag(name), f"{value!r}" if isinstance(value, float) else value]
    return words if seed is None else [*words, "--research", "--seed", str(seed)]


def _epsilons(settings: Settings) -> list[str]:
    """Return one epsilon where both are the same, else both."""
    location, value = settings.epsilon_location, settings.epsilon_value
    if location == value:
        return ["--epsilon", value]
    return ["--epsilon-location", location, "--epsilon-value", value]


def _flag(name: str) -> str:
    """Return the flag of a field."""
    return f"--{name.replace('_', '-')}"
