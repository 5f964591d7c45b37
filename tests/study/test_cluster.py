# SPDX-License-Identifier: MIT
"""A real scheduler and two workers on loopback, one of which is killed on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from pocin.errors import InputError, UsageError
from pocin.study import cluster
from pocin.study.cluster import Cluster
from pocin.study.engine import carry_out
from pocin.study.executors import THREADS
from pocin.study.store import read

pytest.importorskip("distributed")
DASK = Path(sys.executable).with_name("dask")
QUIET = dict.fromkeys(THREADS, "1") | {"DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a part of a cluster, which ends with the test."""
    with ExitStack() as stack:

        def run(*words):
            log = stack.enter_context((tmp_path / f"{words[0]}.log").open("ab"))
            arguments = [str(DASK), *map(str, words)]
            process = subprocess.Popen(
                arguments, env=os.environ | QUIET, stdout=log, stderr=log, cwd=tmp_path
            )
            stack.callback(process.wait, 20)
            stack.callback(process.kill)
            return process

        yield run


@pytest.fixture
def address(start, tmp_path):
    """The address of a scheduler with two workers."""
    file = tmp_path / "scheduler.json"
    start(
        "scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", file, "--no-dashboard"
    )
    ends = time.monotonic() + 60
    while not file.exists() and time.monotonic() < ends:
        time.sleep(0.1)
    found = json.loads(file.read_text())["address"]
    for _ in range(2):
        start(
            "worker", found, "--nthreads", 1, "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"
        )
    return found


def test_a_worker_killed_on_the_way_costs_nothing_but_its_time(
    small, by_one, same, address, tmp_path
):
    killed = []

    class Killing(Cluster):
        """Kills a worker once a few results are back from both."""

        def run(self, work, tasks):
            seen = set()
            for done in super().run(work, tasks):
                seen.add(int(done.rows["timings"][0]["worker"].rpartition(":")[2]))
                if len(seen) == 2 and not killed:
                    killed.append(min(seen))
                    os.kill(killed[0], signal.SIGKILL)
                yield done

    ended = carry_out(small, tmp_path / "cluster", Killing(address))
    assert killed
    assert (ended.made, ended.failures) == (len(small.tasks), ())
    same(by_one, tmp_path / "cluster")
    assert read(tmp_path / "cluster", "timings")["worker"].n_unique() == 2


def test_workers_of_another_version_are_refused(small, address, monkeypatch):
    monkeypatch.setattr(cluster, "VERSION", "9.9")
    with pytest.raises(InputError, match=r"another pocin than 9\.9"):
        next(Cluster(address).run(lambda task: task, small.tasks))


def test_no_scheduler_answers(small):
    with pytest.raises(UsageError, match="no scheduler answers there"):
        next(Cluster("tcp://127.0.0.1:1", patience=1).run(lambda task: task, small.tasks))
