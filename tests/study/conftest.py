# SPDX-License-Identifier: MIT
"""What tests of studies share: one small study, and what it gives on one worker."""

import pytest

from pocin.study.engine import carry_out
from pocin.study.executors import Processes
from pocin.study.grid import load
from pocin.study.store import read

SMALL = """
title = "Small"
[[grid]]
case = ["ieee14", "ieee57"]
alpha_location = "10%"
runs = 4
unrestored = true
sites = true
answers = true
budgets = ["50%"]
[[grid]]
case = "siouxfalls"
runs = 3
unrestored = true
answers = true
"""


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    return load(path)


@pytest.fixture(scope="session")
def by_one(small, tmp_path_factory):
    """The folder of the small study, by one worker of this machine."""
    folder = tmp_path_factory.mktemp("one") / "results"
    ended = carry_out(small, folder, Processes(1))
    assert (ended.made, ended.failures) == (len(small.tasks), ())
    return folder


class Here:
    """Carries a study out in this process."""

    @staticmethod
    def run(work, tasks):
        return map(work, tasks)


@pytest.fixture(scope="session")
def here():
    return Here()


RESULTS = ("releases", "sites", "answers", "attacks")


@pytest.fixture(scope="session")
def same():
    """Return a function that asserts that two folders hold the same results to the last bit."""

    def check(folder, other):
        for table in RESULTS:
            one, two = read(folder, table), read(other, table)
            assert len(one)
            assert one.equals(two, null_equal=True)

    return check
