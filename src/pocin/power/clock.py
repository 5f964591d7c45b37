# SPDX-License-Identifier: MIT
"""The time limit: one clock for phase 3 and the certificate together.

It starts when phase 3 does. How long the draws took, which saw the secret, cannot be told from it;
what runs against it is a function of the draws, the public part and the figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import casadi as ca

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Clock:
    """When the work must end; None is never."""

    ends: float | None = None

    @classmethod
    def start(cls, seconds: float | None) -> Clock:
        """Start a clock that is over after some seconds."""
        return cls(None if seconds is None else perf_counter() + seconds)

    def over(self) -> bool:
        """Whether the time is up."""
        return self.ends is not None and perf_counter() >= self.ends


class Watch(ca.Callback):
    """Asks after every iteration of a solver whether it must stop.

    IPOPT's own limit is an option that a solver is built with; one solver serves many calls here,
    each with what is left of the time.
    """

    def __init__(self, problem: dict[str, ca.MX], over: Callable[[], bool]) -> None:
        super().__init__()
        x, g, p = (problem[name].numel() for name in "xgp")
        self.sizes = {"x": x, "f": 1, "g": g, "lam_x": x, "lam_g": g, "lam_p": p}
        self.over = over
        self.construct("watch", {})

    def get_n_in(self) -> int:
        """Return how many results of an iteration are passed."""
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        """Return 1: whether to stop."""
        return 1

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        """Return the size of a result."""
        return ca.Sparsity.dense(self.sizes[ca.nlpsol_out(i)], 1)

    def eval(self, _: Any) -> list[int]:
        """Stop the solver where the time is up."""
        return [int(self.over())]
