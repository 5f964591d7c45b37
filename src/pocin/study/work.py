# SPDX-License-Identifier: MIT
"""What a worker does with a task: draw, look at what was drawn, restore, certify, measure.

The steps are the product's own; what differs is that the noise is seeded, that nothing is spent,
and that a release which cannot be made faithful is a row with its reason.
"""

from __future__ import annotations

import os
import platform
import threading
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin import flow
from pocin.attack.ranking import Prize, hits
from pocin.errors import InputError, PocinError, UsageError
from pocin.kinds import Goal
from pocin.privacy.noise import SeededNoise
from pocin.record import moves
from pocin.study.faults import unclamped
from pocin.study.prepared import Prepared, attacked, prepare
from pocin.study.tables import BEFORE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pocin.attack import Simulation
    from pocin.kinds import Finished
    from pocin.privacy.draws import Draws
    from pocin.record import Moves
    from pocin.study.tables import Row, Rows
    from pocin.study.task import Task

_ONE_AT_A_TIME = threading.Lock()  # models are kept and are not for two threads


@dataclass(frozen=True)
class Done:
    """What came of a task: rows by table, or why there are none."""

    name: str
    rows: Rows = field(repr=False)
    failure: str = ""


@dataclass(frozen=True)
class Work:
    """The function that executors call; ``root`` is where files that a study names are."""

    root: str

    def __call__(self, task: Task) -> Done:
        """Measure a release; an error of ours fails this task and no other."""
        with _ONE_AT_A_TIME:
            began = perf_counter(), process_time()
            try:
                found, seconds = _measured(task, self.root)
            except (UsageError, InputError) as error:
                found, seconds = _refused(error), {}
            except Exception as error:  # noqa: BLE001  (one task's fault must not end a study)
                return Done(task.name, {}, f"{type(error).__name__}: {error}")
            seconds |= {
                "total": perf_counter() - began[0],
                "processor": process_time() - began[1],
            }
            found["timings"] = [seconds | {"worker": f"{platform.node()}:{os.getpid()}"}]
            return Done(task.name, _headed(task, found))


def _headed(task: Task, found: Rows) -> Rows:
    """Put the settings before every row."""
    head = task.columns
    return {name: [head | row for row in rows] for name, rows in found.items()}


def _refused(error: PocinError) -> Rows:
    """Say why a release of these settings cannot be."""
    return {"releases": [{"outcome": "refused", "reason": str(error)}]}


def _measured(task: Task, root: str) -> tuple[Rows, dict[str, Any]]:
    """Make a release and measure it."""
    prepared = prepare(task.settings, task.source, root)
    planned, noise = prepared.planned, SeededNoise(task.seed)
    figure = prepared.figure
    if figure is None:
        figure = planned.private_figure(noise)
    goal = Goal(figure, task.settings.beta)
    if task.settings.fault is None:
        draws, trace, seconds = flow.draw(planned, noise, _quiet)
    else:
        (draws, trace), seconds = unclamped(planned, noise), {}
    row = _planned(prepared) | {"figure": figure}
    found: Rows = {"releases": [row]}
    began = perf_counter()
    if task.measures.unrestored:
        row |= _before(prepared, draws)
    seconds["before"] = perf_counter() - began
    if not task.measures.restore:
        return found | {"releases": [row | {"outcome": "not restored"}]}, seconds
    promise = planned.guarantee
    finished = flow.finish(flow.OpenSide(planned.kind, planned.public, promise), draws, goal)
    seconds |= finished.seconds
    came = moves(planned, finished, trace)
    row |= _finished(finished, goal) | _moved(came)
    if task.measures.sites:
        found["sites"] = list(_sites(came, finished))
    if task.measures.answers:
        found["answers"] = list(_answers(prepared, draws, finished))
    began = perf_counter()
    if task.measures.budgets and finished.certificate.within:
        found["attacks"] = list(_attacks(task, prepared, draws, finished))
    seconds["attack"] = perf_counter() - began
    return found, seconds


def _quiet(step: str) -> None:
    """Say nothing of the steps."""


def _planned(prepared: Prepared) -> Row:
    """Return what was promised."""
    planned = prepared.planned
    location, value = planned.guarantee.location, planned.guarantee.value
    return {
        "kind": planned.kind.name,
        "policy_used": planned.public.policy.name,
        "elements": location.elements,
        "covered": location.covered,
        "alpha_hops": float(location.alpha),
        "alpha_amount": float(value.alpha),
    }


def _before(prepared: Prepared, draws: Draws) -> Row:
    """Return what readers would find on the draws as they fell, without phase 3."""
    kind, public = prepared.planned.kind, prepared.planned.public
    if np.any(draws.values < 0):
        said = "a capacity came out negative: no output lies between zero and it"
        return {"feasible_before": False, "optimum_before": None, "reason_before": said}
    found = kind.solve(kind.unrestored(public, draws))
    return {
        "feasible_before": found.cost is not None,
        "optimum_before": found.cost,
        "reason_before": found.reason,
    }


def _finished(finished: Finished, goal: Goal) -> Row:
    """Return how phase 3 and the certificate ended."""
    own, within = finished.certificate.own_optimum, finished.certificate.within
    return {
        "outcome": "faithful" if within else "not faithful",
        "reason": finished.reason,
        "own_optimum": own,
        "gap": None if own is None else goal.gap(own),
        "bilevel": finished.bilevel,
        "distance": finished.distance,
        "bound": finished.bound,
    }


def _moved(came: Moves) -> Row:
    """Return how far elements moved and how far their values are off, as the record tells it."""
    return {
        "mean_hops": came.mean_hops,
        "stayed": came.stayed,
        "noise": came.noise,
        "error": came.error,
        "error_to_noise": came.error_to_noise,
    }


def _sites(came: Moves, finished: Finished) -> Iterator[Row]:
    """Yield what stood and what stands at every site."""
    original = np.empty(len(came.true))
    original[came.home] = came.true
    columns = {
        "site": np.arange(len(came.true)),
        "came_from": came.home,
        "original": original,
        "moved": came.true,
        "noisy": np.asarray(finished.noisy, dtype=float),
        "released": np.asarray(finished.released, dtype=float),
    }
    return _rows(columns)


def _answers(prepared: Prepared, draws: Draws, finished: Finished) -> Iterator[Row]:
    """Yield what readers are told: of the original, of the draws as they fell, of the release."""
    kind, public = prepared.planned.kind, prepared.planned.public
    original = prepared.answers
    before = kind.answers(public, kind.unrestored(public, draws))
    released = kind.answers(public, finished.content, finished.certificate.solve)
    for name, values in original.items():
        none = np.full(len(values), np.nan)
        yield from (
            {"answer": name} | row
            for row in _rows(
                {
                    "index": np.arange(len(values)),
                    "original": values,
                    "before": before.get(name, none),
                    "released": released.get(name, none),
                }
            )
        )


def _attacks(task: Task, prepared: Prepared, draws: Draws, finished: Finished) -> Iterator[Row]:
    """Yield what attackers do to the real network who have this release, and who have none.

    The random attacker's order is that of the run, so that its rows differ as the releases do.
    """
    settings, measures = task.settings, task.measures
    simulation = attacked(
        task.source, settings.model, settings.gamma, measures.budgets, measures.slowdown
    )
    solve = finished.certificate.solve
    rows = [
        *simulation.random(task.number),
        *simulation.certain,
        *simulation.release(task.number, finished.content, solve),
    ]
    unit = {"unit": simulation.target.unit}
    for row in rows:
        yield {name: value for name, value in row.flat().items() if name != "run"} | unit
    if measures.unrestored:
        unrestored = prepared.planned.kind.unrestored(prepared.planned.public, draws)
        yield from (row | unit for row in _before_phase_3(simulation, unrestored))


def _before_phase_3(simulation: Simulation, unrestored: Any) -> Iterator[Row]:
    """Yield what whoever has the draws as they fell does: what phase 3 gives back is the rest."""
    for variant, scores in simulation.target.obfuscated(unrestored).items():
        ((by, score),) = scores.items()
        for budget, k in zip(simulation.budgets, simulation.counts, strict=True):
            hit, prize = hits(score, k), Prize(simulation.target.worth, k)
            harm = simulation.harm(hit)
            yield {
                "budget": budget.text,
                "k": k,
                "ranking": BEFORE,
                "variant": variant,
                "by": by,
                "share": prize.share(hit),
                "top": prize.holds_top(hit),
                "damage": harm.damage,
                "objective": harm.objective,
                **harm.details,
            }


def _rows(columns: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of some columns of numbers."""
    lists = [values.tolist() for values in columns.values()]
    for values in zip(*lists, strict=True):
        yield dict(zip(columns, values, strict=True))
