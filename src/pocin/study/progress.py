# SPDX-License-Identifier: MIT
"""How far a study is, and how long it will take: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from pocin.errors import aside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVERY = 15.0  # seconds between lines


@contextmanager
def bar(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield what hears how many of how many tasks are done."""
    if quiet:
        yield lambda done, of: None  # noqa: ARG005
    elif sys.stderr is not None and sys.stderr.isatty():
        with _terminal(title) as tick:
            yield tick
    else:
        yield Lines()


@contextmanager
def _terminal(title: str) -> Iterator[Callable[[int, int], None]]:
    """Draw a bar with the time left."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        line = progress.add_task(title, total=None)
        yield lambda done, of: progress.update(line, completed=done, total=of)


@dataclass
class Lines:
    """Lines for a log: how much is done, and at this pace how long the rest takes."""

    began: float = field(default_factory=perf_counter)
    said: float = field(default_factory=perf_counter)

    def __call__(self, done: int, of: int) -> None:
        """Say so, at most every few seconds and not at the very start."""
        now = perf_counter()
        if not done or now - self.said < EVERY:
            return
        self.said = now
        left = (now - self.began) / done * (of - done)
        aside(f"pocin: {done} of {of}, about {duration(left)} left")


def duration(seconds: float) -> str:
    """Say a time as people do."""
    if seconds < 90:  # noqa: PLR2004
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"
