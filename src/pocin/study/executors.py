# SPDX-License-Identifier: MIT
"""The seam between a study and what carries it out; processes of this machine are the default.

An executor runs one function on many tasks and yields what comes back, in any order. A worker that
dies costs the time it spent: its tasks are done again, and one that kills its worker each time it
is tried alone is given up with the reason.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.connection import Connection

    from pocin.study.task import Task
    from pocin.study.work import Done

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
"""One thread in every worker: the linear algebra is small, and sums keep their order."""

GIVEN_UP = "its worker died each time; try this task alone, with more memory"
_QUEUED = 2  # tasks in flight per worker: none waits for the next


class Executor(Protocol):
    """Carries out a study."""

    def run(self, work: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Yield what comes of every task, as it comes."""


@dataclass(frozen=True)
class Processes:
    """Processes of this machine."""

    workers: int = 1

    def run(self, work: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Yield what comes of every task; begin anew after a death, the suspects one by one."""
        left: deque[Task] = deque(tasks)
        suspects: deque[Task] = deque()
        while left or suspects:
            with self._pool(min(self.workers, len(left) + len(suspects))) as pool:
                alone = bool(suspects)
                died = yield from _drain(pool, work, suspects or left, 1 if alone else self._room)
            if alone and died:
                yield lost(died.pop())
            suspects.extend(died)

    @property
    def _room(self) -> int:
        """How many tasks are in flight."""
        return _QUEUED * self.workers

    @contextmanager
    def _pool(self, workers: int) -> Iterator[ProcessPoolExecutor]:
        """Start workers that end with this process, however it ends."""
        context = mp.get_context("spawn")
        ear, leash = context.Pipe(duplex=False)
        with _one_thread():
            pool = ProcessPoolExecutor(workers, context, initializer=_heed, initargs=(ear,))
            try:
                yield pool
            except BaseException:
                leash.close()
                raise
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
                leash.close()
                ear.close()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that start meanwhile compute on one thread each."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _drain(
    pool: ProcessPoolExecutor, work: Callable[[Task], Done], left: deque[Task], room: int
) -> Generator[Done, None, list[Task]]:
    """Yield what comes of the tasks; return those that were in flight when a worker died."""
    flying: dict[Future[Done], Task] = {}
    while left or flying:
        broken = False
        try:
            while left and len(flying) < room:
                flying[pool.submit(work, left[0])] = left[0]
                left.popleft()
        except BrokenProcessPool:
            broken = True
        for future in wait(flying, return_when=FIRST_COMPLETED).done:
            if isinstance(future.exception(), BrokenProcessPool):
                broken = True
            else:
                del flying[future]
                yield future.result()
        if broken:
            return [*flying.values()]
    return []


def _heed(ear: Connection) -> None:
    """End this worker when the other end of the pipe closes, as it does when its holder dies."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def listen() -> None:
        try:
            ear.recv()
        except EOFError:
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()


def lost(task: Task) -> Done:
    """Say that a task's worker died."""
    from pocin.study.work import Done

    return Done(task.name, {}, GIVEN_UP)
