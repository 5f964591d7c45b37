# SPDX-License-Identifier: MIT
"""What releases of the same settings share, made once in a worker and kept.

A network is read and cut, its alphas are resolved and its cost figure is found once; the models
that its solves need are kept where they are built, one a topology.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pocin import api, attack
from pocin.kinds import chosen
from pocin.plan import Plan, Request, plan
from pocin.privacy.settings import Privacy, Radius, epsilon
from pocin.study.faults import faulty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats
    from pocin.attack import Simulation
    from pocin.kinds import Network
    from pocin.study.task import Settings

_KEPT = 4


@dataclass(frozen=True, eq=False)
class Prepared:
    """A plan for all seeds of some settings, with what the original network says."""

    planned: Plan = field(repr=False)

    @cached_property
    def figure(self) -> float | None:
        """The cost figure; None where every release draws its own."""
        return self.planned.known_figure()

    @cached_property
    def answers(self) -> Mapping[str, Floats]:
        """What readers of the original are told."""
        planned = self.planned
        return planned.kind.answers(planned.public, planned.network.content)


@lru_cache(maxsize=_KEPT)
def read(source: str, fault: str | None) -> Network:
    """Read a network, with what a fault does to it."""
    return faulty(api.read(source), fault)


@lru_cache(maxsize=_KEPT)
def prepare(settings: Settings, source: str, root: str) -> Prepared:
    """Plan the releases of some settings."""
    return Prepared(plan(read(source, settings.fault), request(settings, root)))


@lru_cache(maxsize=_KEPT)
def attacked(
    source: str, model: str | None, gamma: str | None, budgets: tuple[str, ...], slowdown: float
) -> Simulation:
    """Prepare attacks on a network: the harm of every set of sites is worked out once."""
    network = chosen(read(source, None), api.choices(model=model, gamma=gamma))
    given = {"slowdown": f"{slowdown:g}"}
    known = tuple(item for item in given.items() if item[0] in network.kind.attacks)
    return attack.simulation(network, budgets, choices=known)


def request(settings: Settings, root: str) -> Request:
    """Return what the settings ask for, as research."""
    privacy = Privacy(
        epsilon(settings.epsilon_location, "epsilon_location"),
        epsilon(settings.epsilon_value, "epsilon_value"),
        None if settings.alpha_location is None else Radius.parse(settings.alpha_location),
        settings.alpha_value,
        None if settings.cost_epsilon is None else epsilon(settings.cost_epsilon, "cost_epsilon"),
    )
    pmin = settings.pmin_ratio
    return Request(
        privacy=privacy,
        beta=settings.beta,
        policy=_at(root, settings.policy),
        cost_figure=settings.cost_figure,
        constants=() if pmin is None else (("pmin_ratio", pmin),),
        choices=api.choices(
            model=settings.model,
            reading=settings.reading,
            trip_times=_at(root, settings.trip_times),
            gamma=settings.gamma,
        ),
        seed=0,
        mechanism=settings.mechanism,
    )


def _at(root: str, name: str | None) -> str | None:
    """Return where a file named by the study is; other names stay as they are."""
    beside = None if name is None else Path(root) / name
    return str(beside) if beside is not None and beside.is_file() else name
