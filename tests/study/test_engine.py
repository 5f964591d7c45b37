# SPDX-License-Identifier: MIT
"""However many workers there are and however they end: the same results, each of them once."""

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from tests.study.poison import Poison

from pocin.errors import InputError, UsageError
from pocin.study import store
from pocin.study.engine import carry_out
from pocin.study.executors import GIVEN_UP, Processes
from pocin.study.grid import load
from pocin.study.store import Store, read
from pocin.study.work import Work


def test_two_workers_give_the_same_to_the_last_bit(small, by_one, same, tmp_path):
    turned = replace(small, tasks=small.tasks[::-1])
    carry_out(turned, tmp_path / "two", Processes(2))
    same(by_one, tmp_path / "two")
    assert read(tmp_path / "two", "timings")["worker"].n_unique() == 2


def test_this_process_gives_the_same_too(small, by_one, same, tmp_path, monkeypatch):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    with Store.open(tmp_path / "here") as folder:
        for task in small.tasks:
            folder.add(Work(small.root)(task))
    same(by_one, tmp_path / "here")


def test_started_again_it_repeats_nothing(small, by_one):
    before = {path: path.read_bytes() for path in by_one.rglob("*.parquet")}
    again = carry_out(small, by_one, Processes(2))
    assert (again.found, again.made) == (len(small.tasks), 0)
    assert {path: path.read_bytes() for path in by_one.rglob("*.parquet")} == before


SCRIPT = """
import sys
from pathlib import Path
from pocin.study.engine import carry_out
from pocin.study.executors import Processes
from pocin.study.grid import load

if __name__ == "__main__":
    say = lambda done, of: print(done, flush=True)
    carry_out(load(sys.argv[1]), Path(sys.argv[2]), Processes(2), say)
"""


def test_killed_and_started_again_it_repeats_nothing_and_loses_nothing(
    small, by_one, same, tmp_path
):
    script, folder = tmp_path / "script.py", tmp_path / "killed"
    script.write_text(SCRIPT, encoding="utf-8")
    arguments = [sys.executable, script, f"{small.root}/small.toml", folder]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            if int(line) >= 3:
                break
        workers = _children(run.pid)
        run.kill()
    assert workers
    assert _gone(workers)
    again = carry_out(small, folder, Processes(1))
    assert 3 <= again.found < len(small.tasks)
    assert again.found + again.made == len(small.tasks)
    assert read(folder)["task"].is_unique().all()
    same(by_one, folder)


def _children(parent):
    """Return the processes that a process started."""
    return [int(pid) for pid in _ps("-o", "pid=", "--ppid", str(parent))]


def _ps(*words):
    """Return what the system says of processes, word by word."""
    asked = [shutil.which("ps"), *words]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()


def _gone(processes, patience=20.0):
    """Return whether processes end in time; one that waits for its parent to notice has ended."""
    ends = time.monotonic() + patience
    while time.monotonic() < ends:
        listed = _ps("-o", "stat=", "-p", ",".join(map(str, processes)))
        if all(state.startswith("Z") for state in listed):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("moment", ["before the parts", "between the parts", "after the parts"])
def test_killed_while_the_journal_is_emptied(by_one, same, tmp_path, monkeypatch, moment):
    """What a kill leaves at each moment: nothing is lost, nothing stands twice."""
    rows = {name: [] for name in store.TABLES}
    for table in rows:
        rows[table] = read(by_one, table).to_dicts()
    tasks = sorted({row["task"] for row in rows["releases"]})

    class Killed(BaseException):
        pass

    def dying(path, table, write=store._write):
        if moment == "between the parts" and path.parent.name == "sites":
            raise Killed
        if moment != "before the parts":
            write(path, table)
        if moment != "between the parts" and path.parent.name == "timings":
            raise Killed

    opened = Store.open(tmp_path / "study")
    for task in tasks:
        mine = {name: [r for r in all_rows if r["task"] == task] for name, all_rows in rows.items()}
        opened.add(_done(task, mine))
    with monkeypatch.context() as patch:
        patch.setattr(store, "_write", dying)
        with pytest.raises(Killed):
            opened.empty()
    opened.journal.close()
    with Store.open(tmp_path / "study") as again:
        assert again.done == set(tasks)
    same(by_one, tmp_path / "study")


def _done(name, rows):
    from pocin.study.work import Done

    return Done(name, rows)


def test_no_two_runs_write_into_one_folder(tmp_path):
    with (
        Store.open(tmp_path / "study"),
        pytest.raises(UsageError, match="another run is writing into this study"),
    ):
        Store.open(tmp_path / "study")


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="holds other files"):
        Store.open(tmp_path / "mine")
    with pytest.raises(UsageError, match="is a file"):
        Store.open(tmp_path / "mine" / "letter.txt")
    with pytest.raises(InputError, match="holds no study"):
        read(tmp_path / "mine")
    with pytest.raises(UsageError, match="a study has releases"):
        read(tmp_path / "mine", "release")


def test_results_of_another_version_are_refused(tmp_path, monkeypatch):
    Store.open(tmp_path / "study").journal.close()
    monkeypatch.setattr(store, "VERSION", "9.9")
    with pytest.raises(UsageError, match=r"and this is 9\.9; name a new folder"):
        Store.open(tmp_path / "study")


def test_the_folder_is_the_curators(by_one):
    assert by_one.stat().st_mode & 0o777 == 0o700


def test_a_worker_that_dies_costs_nothing_but_its_time(small, tmp_path):
    work = Poison(small.tasks[3].number, tmp_path)
    tasks = small.tasks[:6]
    done = list(Processes(2).run(work, tasks))
    assert sorted(d.name for d in done) == sorted(task.name for task in tasks)
    assert not any(d.failure for d in done)


def test_a_task_that_kills_every_worker_is_given_up_alone(small):
    tasks = small.tasks[:6]
    done = {d.name: d.failure for d in Processes(2).run(Poison(tasks[2].number), tasks)}
    assert done == {task.name: GIVEN_UP * (task is tasks[2]) for task in tasks}


def test_a_release_that_cannot_be_is_a_row_with_its_reason(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        '[[grid]]\ncase = "ieee14"\nruns = 2\npolicy = ["unit", "derived"]\n'
        'alpha_value = ["10MW", "500MW"]\nbeta = 0.001\ngamma = "1"\n'
        '[[grid]]\ncase = "ieee14"\nruns = 3\nalpha_value = "300MW"\nbeta = 1e-6\n',
        encoding="utf-8",
    )
    made = load(path)
    with Store.open(tmp_path / "results") as folder:
        for task in made.tasks:
            folder.add(Work(made.root)(task))
    rows = read(tmp_path / "results")
    refused = rows.filter(rows["outcome"] == "refused")
    assert len(refused) == 8  # gamma is for roads
    assert all("--gamma: is for roads" in reason for reason in refused["reason"])
    failed = rows.filter(rows["outcome"] == "not faithful")
    assert len(failed) >= 1
    assert all(reason for reason in failed["reason"])
    assert failed["mean_hops"].null_count() == 0


def test_an_error_of_ours_fails_one_task_and_is_tried_again(small, here, tmp_path, monkeypatch):
    from pocin.study import work

    real = work.prepare

    def failing(settings, *more):
        if settings.case == "ieee57":
            raise ZeroDivisionError("of ours")
        return real(settings, *more)

    some = replace(small, tasks=(small.tasks[0], small.tasks[4]))
    assert [task.settings.case for task in some.tasks] == ["ieee14", "ieee57"]
    with monkeypatch.context() as patch:
        patch.setattr(work, "prepare", failing)
        ended = carry_out(some, tmp_path / "study", here)
    assert (ended.made, ended.failures) == (
        1,
        (f"{some.tasks[1].name}: ZeroDivisionError: of ours",),
    )
    assert carry_out(some, tmp_path / "study", here).made == 1


def test_ctrl_c_ends_the_workers(small):
    """A run that is left early does not wait for what is in flight."""
    running = Processes(1).run(Poison(-1), small.tasks)
    worker = next(running).rows["timings"][0]["worker"]
    running.close()
    assert _gone([worker])
    with pytest.raises(ProcessLookupError):
        os.kill(worker, signal.SIGCONT)
