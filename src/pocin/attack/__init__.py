# SPDX-License-Identifier: MIT
"""What attackers gain by a release: rankings and budgets, the same for every kind of network.

    simulation = attack.simulation(pocin.read("ieee118"), "10%,20%")
    rows = simulation.release(0, made.network)      one release; rows are plain and frozen
    simulation.originals                            what no release changes, worked out once
    attack.measure(simulation, [made.network, ...]) both, as means with standard errors

Everything here handles the real network: it is the curator's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pocin.attack.budgets import DEFAULT, parse
from pocin.attack.result import AtBudget, Average, Mean, Result, as_object
from pocin.attack.simulate import BEST, DRAWS, RANKINGS, Row, Simulation
from pocin.errors import UsageError
from pocin.kinds import refuse_others

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pocin.kinds import Choices, Network

__all__ = [
    "BEST",
    "DEFAULT",
    "DRAWS",
    "RANKINGS",
    "AtBudget",
    "Average",
    "Mean",
    "Result",
    "Row",
    "Simulation",
    "as_object",
    "measure",
    "result",
    "simulation",
]


def simulation(
    network: Network,
    budgets: str | Sequence[str] = DEFAULT,
    *,
    draws: int = DRAWS,
    choices: Choices = (),
) -> Simulation:
    """Prepare attacks on a real network; ``choices`` are flags of its kind, such as slowdown."""
    refuse_others(network, choices, lambda kind: kind.attacks)
    if draws < 1:
        raise UsageError("--draws: expected a count of at least 1, such as 50")
    target = network.kind.target(network.content, network.name, dict(choices))
    made = Simulation(target, parse(budgets), draws)
    assert made.counts  # refuses a budget that is too large, before anything is solved
    return made


def measure(
    prepared: Simulation,
    released: Iterable[Any],
    say: Callable[[str], None] = lambda _: None,
) -> Result:
    """Attack with each released content in turn, and gather everything."""
    say("attacking as whoever has no release")
    rows, count = [*prepared.originals], 0
    for count, content in enumerate(released, start=1):
        say(f"attacking with release {count}")
        rows += prepared.release(count - 1, content)
    return result(prepared, rows, count)


def result(prepared: Simulation, rows: Iterable[Row], releases: int) -> Result:
    """Gather rows that were made one release at a time."""
    target = prepared.target
    return Result(
        network=target.name,
        meaning=target.meaning,
        unit=target.unit,
        element=target.element,
        worth_meaning=target.worth_meaning,
        beside=target.beside,
        elements=target.count,
        optimum=target.optimum,
        releases=releases,
        rows=tuple(rows),
    )
