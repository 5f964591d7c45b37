# SPDX-License-Identifier: MIT
"""The networks of the metamorphic tests, and the steps of a release on them."""

import importlib.util
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.roads.catalogue import CITIES, city

from pocin import api, flow
from pocin.arrays import Ints
from pocin.kinds import Choices, Finished, Goal, Network
from pocin.plan import Plan, Request, plan
from pocin.privacy.draws import Draws, seal
from pocin.privacy.noise import SeededNoise

ROOT = Path(__file__).resolve().parents[2]
RICH = ROOT / "tests" / "data" / "rich.m"
TUTORIAL = ROOT / "docs" / "tutorial"
PER_TRIP = (("reading", "per-trip"), ("trip_times", "computed"))
FIGURES = {
    "rich": 2690.8, "ieee14": 2178.1, "ieee30": 8208.5, "ieee57": 37589.3, "town": 10187.0,
    "block": 48.0, "odd": 50.0, "ring": 290.0, "islands": 41.0, "siouxfalls": 18.0,
}  # fmt: skip
BETAS = {"ring": 0.4, "rich": 0.05, "ieee14": 0.01, "ieee30": 0.05, "ieee57": 0.01}
POWER = ("rich", "ieee14", "ieee30", "ieee57")
ROADS = (*CITIES, "siouxfalls")


@dataclass(frozen=True)
class Asked:
    """A network by its name, and what is asked of its release beside the defaults."""

    name: str
    policy: str | None = None
    choices: Choices = ()

    def __str__(self) -> str:
        reading = "per-trip" if self.choices else ""
        return "-".join(word for word in (self.name, self.policy, reading) if word)


ALL = (
    *(Asked(name, policy) for name in ("rich", "ieee14") for policy in ("derived", "site", "unit")),
    *(Asked(name) for name in ("ieee30", "ieee57")),
    *(Asked(name, "pairs", choices) for name in ROADS for choices in ((), PER_TRIP)),
    Asked("block", "demand"),
    Asked("town"),
)


@cache
def network(name: str) -> Network:
    """Return a network of the catalogue."""
    if name == "rich":
        return replace(api.read(RICH), name=name)
    if name in CITIES:
        return city(name)
    if name != "town":
        return api.read(name)
    kind = water()
    content, _ = kind.read(TUTORIAL / "town.water", None)
    return Network(kind, content, name)


@cache
def water() -> Any:
    """Return the tutorial's kind."""
    spec = importlib.util.spec_from_file_location("water", TUTORIAL / "water.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.WATER


def planned(
    asked: Asked,
    content: Any = None,
    scale: float = 1.0,
    constants: dict[str, float] | None = None,
    **privacy: Any,
) -> Plan:
    """Plan a release of a network, or of another telling of it whose figure is so much larger."""
    told = network(asked.name)
    if content is not None:
        told = replace(told, content=content, published=None)
    figure = None if asked.choices else FIGURES[asked.name] * scale
    settings = api.privacy(**{"epsilon_location": "1/10", "epsilon_value": "1/2", **privacy})
    beta = BETAS.get(asked.name, 0.1)
    request = Request(settings, beta, asked.policy, cost_figure=figure, choices=asked.choices)
    return plan(told, replace(request, seed=0, constants=tuple((constants or {}).items())))


def drawn(made: Plan, seed: int) -> Draws:
    """Draw as a seeded release would."""
    return flow.draw(made, SeededNoise(seed), lambda _: None)[0]


def finished(made: Plan, draws: Draws) -> Finished:
    """Restore and certify draws."""
    figure = made.known_figure()
    assert figure is not None
    side = flow.OpenSide(made.kind, made.public, made.guarantee)
    return flow.finish(side, draws, Goal(figure, made.request.beta))


def one_each(draws: Draws, seed: int) -> Draws:
    """The same records, each drawn to a site of its own: the assignment is then the draw itself."""
    sites = np.random.default_rng(seed).permutation(len(draws))
    return seal(sites, draws.values, draws.moved)[0]


def at_other_sites(draws: Draws, place: Ints) -> Draws:
    """The same records where site s is called ``place[s]``."""
    return seal(place[draws.sites], draws.values, draws.moved)[0]
