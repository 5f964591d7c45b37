# SPDX-License-Identifier: MIT
"""A study from its tasks to its tables: what is done already is left, the rest is carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocin.study.store import Store
from pocin.study.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pocin.study.executors import Executor
    from pocin.study.grid import Study


@dataclass(frozen=True)
class Outcome:
    """How a study ended: tasks in all, found done, done now, and why others failed."""

    tasks: int
    found: int
    made: int
    failures: tuple[str, ...]


def carry_out(
    study: Study,
    folder: Path,
    executor: Executor,
    tick: Callable[[int, int], None] = lambda done, of: None,  # noqa: ARG005
) -> Outcome:
    """Do what is not done yet; ``tick`` hears how many of how many tasks are."""
    with Store.open(folder) as store:
        left = [task for task in study.tasks if task.name not in store.done]
        found, failures = len(study.tasks) - len(left), []
        tick(0, len(left))
        for count, done in enumerate(executor.run(Work(study.root), left), 1):
            if done.failure:
                failures.append(f"{done.name}: {done.failure}")
            else:
                store.add(done)
            tick(count, len(left))
    return Outcome(len(study.tasks), found, len(left) - len(failures), tuple(failures))
