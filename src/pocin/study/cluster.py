# SPDX-License-Identifier: MIT
"""A study on a Dask cluster: the same function, the same seeds, the same results."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError, UsageError
from pocin.study.executors import lost
from pocin.study.extras import needs
from pocin.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pocin.study.task import Task
    from pocin.study.work import Done

PATIENCE = 60.0
"""Seconds to wait for the scheduler and its first worker."""

_FLYING = 500  # tasks that the scheduler holds: enough for any worker to find its next


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask scheduler, such as tcp://10.0.0.1:8786."""

    address: str
    patience: float = PATIENCE

    def run(self, work: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Yield what comes of every task; the scheduler gives a dead worker's to others."""
        needs("cluster", "distributed")
        dask: Any = import_module("distributed")
        with self._client() as client:
            waiting = iter(tasks)
            flying = dask.as_completed(loop=client.loop)
            names = {}

            def submit(count: int) -> None:
                for task in islice(waiting, count):
                    future = client.submit(work, task, key=f"pocin-{task.name}", pure=False)
                    names[future.key] = task
                    flying.add(future)

            submit(_FLYING)
            for future in flying:
                task = names.pop(future.key)
                try:
                    yield future.result()
                except dask.KilledWorker:
                    yield lost(task)
                submit(1)

    def _client(self) -> Any:
        """Connect, wait for a worker, and see that all have this version."""
        dask: Any = import_module("distributed")
        try:
            client = dask.Client(self.address, timeout=self.patience, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"--cluster {self.address}: no scheduler answers there ({type(error).__name__}); "
                "start one by dask scheduler, and workers by dask worker, or check the address"
            ) from None
        try:
            client.wait_for_workers(1, timeout=self.patience)
            _same_versions(client)
        except TimeoutError:
            client.close()
            raise UsageError(
                f"--cluster {self.address}: no worker came in {self.patience:g} s; start some by "
                f"dask worker {self.address} --nthreads 1"
            ) from None
        except BaseException:
            client.close()
            raise
        return client


def _same_versions(client: Any) -> None:
    """Refuse workers of another version: their results could differ."""
    found = client.run(version)
    other = sorted({f"{where} has {said}" for where, said in found.items() if said != VERSION})
    if other:
        raise InputError(
            f"--cluster: workers have another pocin than {VERSION} ({'; '.join(other)}); "
            "install the same on all of them"
        )


def version() -> str:
    """Return the version of the process that is asked."""
    return VERSION
