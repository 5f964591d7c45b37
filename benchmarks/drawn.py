# SPDX-License-Identifier: MIT
"""Seeded releases by the product's own flow, with its draws, its finish and every solve watched."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np

from pocin import flow
from pocin.errors import NotFaithfulError
from pocin.plan import plan
from pocin.power import finish
from pocin.power.fidelity import restore
from pocin.power.opf import AcModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pocin.kinds import Finished, Goal, Network
    from pocin.plan import Plan, Request
    from pocin.power.fidelity import Restored
    from pocin.power.opf import Optimum

RESTORE = "restore"
"""The solver's name for P_CL."""


@dataclass(frozen=True)
class Solve:
    """One call of the solver, in seconds of the processor: whatever else runs beside it."""

    name: str
    solved: bool
    status: str
    seconds: float


@dataclass(frozen=True, eq=False)
class Drawn:
    """A seed's release, or its failure.

    ``restored`` is the first P_CL, on the assignment of phase 1; ``seconds`` are of the draws.
    """

    finished: Finished
    restored: Restored
    solves: list[Solve]
    seconds: Mapping[str, float]
    mean_hops: float
    noise: float
    error_to_noise: float
    goal: Goal

    def solver_seconds(self, *, restoring: bool) -> float:
        """Sum the solver's time in P_CL, or in all else."""
        return sum(s.seconds for s in self.solves if (s.name == RESTORE) is restoring)


@dataclass(frozen=True, eq=False)
class Releases:
    """A network and a request, to be drawn from many seeds."""

    network: Network
    planned: Plan

    @classmethod
    def of(cls, network: Network, request: Request) -> Releases:
        """Plan a request; its cost figure is computed once where none is published."""
        planned = plan(network, request)
        figure = planned.known_figure()
        return cls(network, replace(planned, request=replace(request, cost_figure=figure)))

    def opf_seconds(self) -> float:
        """Solve the original's AC-OPF once."""
        with watched() as seen:
            self.network.kind.solve(self.network.content)
        return seen.solves[-1].seconds

    def seed(self, number: int) -> Drawn:
        """Release the network from a seed; a failure is kept, not raised."""
        with watched() as seen, suppress(NotFaithfulError):
            flow.release(self.network, replace(self.planned.request, seed=number))
        _, trace, seconds = seen.draw
        finished, secret = seen.finish, self.planned.secret
        metric = self.planned.public.metric
        element = trace.element[finished.record]
        pairs = enumerate(secret.sites[element])
        hops = np.array([metric.row(int(true))[site] for site, true in pairs])
        true = self.planned.kind.values.real(secret.values)[element]
        noise = float(np.linalg.norm(finished.noisy - true))
        error = float(np.linalg.norm(finished.released - true))
        ratio, moved = error / noise, float(hops.mean())
        goal, restored = seen.goal, seen.restored[0]
        return Drawn(finished, restored, seen.solves, seconds, moved, noise, ratio, goal)


class Seen:
    """What the steps of the flow returned."""

    draw: Any
    finish: Any
    goal: Goal

    def __init__(self) -> None:
        self.solves: list[Solve] = []
        self.restored: list[Restored] = []


@contextmanager
def watched() -> Iterator[Seen]:
    """Keep what the flow's steps return, and account of every solve of an AC model."""
    seen = Seen()
    run = AcModel.run

    def watching(self: AcModel, solver: Any, *clock: Any, **arguments: Any) -> Optimum:
        began = process_time()
        found = run(self, solver, *clock, **arguments)
        seconds = process_time() - began
        seen.solves.append(Solve(solver.name(), found.solved, found.status, seconds))
        return found

    def restoring(*arguments: Any, **named: Any) -> Restored:
        seen.restored.append(restore(*arguments, **named))
        return seen.restored[-1]

    def keeping(name: str) -> Any:
        step = getattr(flow, name)

        def kept(*arguments: Any, **named: Any) -> Any:
            if name == "finish":
                seen.goal = arguments[2]
            setattr(seen, name, step(*arguments, **named))
            return getattr(seen, name)

        return patch.object(flow, name, kept)

    with ExitStack() as patches:
        patches.enter_context(patch.object(AcModel, "run", watching))
        patches.enter_context(patch.object(finish, "restore", restoring))
        for name in ("draw", "finish"):
            patches.enter_context(keeping(name))
        yield seen
