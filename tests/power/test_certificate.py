# SPDX-License-Identifier: MIT
"""The certificate: what is solved is what is written, as a reader would, for as long as allowed."""

import os
import signal

import pytest

from pocin import api
from pocin.kinds import Goal
from pocin.power import certificate
from pocin.power.certificate import certify, solve
from pocin.power.clock import Clock
from pocin.power.files import read_grid
from pocin.power.matpower import format_matpower
from pocin.power.opf import LATE, optimum


def written(name):
    grid, figure = read_grid(name)
    return {"": format_matpower(grid, (), "released").encode()}, Goal(figure, 0.01)


def test_it_solves_the_bytes_that_are_written():
    document, goal = written("ieee14")
    made = certify(document, goal)
    assert made.within
    assert made.own_optimum == pytest.approx(goal.figure, rel=1e-4)
    text = document[""].decode()
    assert "\t340\t" in text  # the capacity of the cheap unit
    starved = certify({"": text.replace("\t340\t", "\t240\t").encode()}, goal)
    assert not starved.within
    assert starved.reason.endswith("above the cost figure")


@pytest.mark.parametrize(("beta", "within"), [(0.0501, True), (0.0499, False)])
def test_the_band_is_where_it_is_said_to_be(beta, within):
    document, goal = written("ieee14")
    exact = certify(document, goal).own_optimum
    for figure in (exact / 1.05, exact / 0.95):
        assert certify(document, Goal(figure, beta)).within is within


def test_a_solve_that_needs_another_option_says_so(monkeypatch):
    document, goal = written("ieee14")
    monkeypatch.setattr(certificate, "PATIENCE", {"ipopt.max_iter": 2})
    made = certify(document, goal)
    assert made.within
    assert made.needs == "mu_strategy=adaptive"
    monkeypatch.undo()
    assert certify(document, goal).needs == ""


def test_default_options_are_the_solvers_own():
    grid, _ = read_grid("ieee57")
    assert set(certificate.PATIENCE) == {"ipopt.max_iter"}
    assert solve(grid).cost == optimum(grid, {}).cost


def test_a_clock_that_is_over_ends_the_solve_and_nothing_else_is_tried():
    document, goal = written("ieee118")
    made = certify(document, goal, Clock.start(0.0))
    assert made.own_optimum is None
    assert not made.within
    assert made.reason == f"its AC-OPF ended with {LATE}"


def test_a_clock_ends_a_solve_in_the_middle_and_the_next_one_runs_free():
    grid, figure = read_grid("ieee118")
    free = optimum(grid)

    class Third(Clock):
        asked = 0

        def over(self):
            Third.asked += 1
            return Third.asked > 3

    cut = optimum(grid, None, Third())
    assert cut.status == LATE
    assert not cut.solved
    assert cut.iterations <= 4 < free.iterations
    assert optimum(grid).cost == free.cost == pytest.approx(figure, rel=1e-4)


@pytest.mark.skipif(os.name == "nt", reason="SIGINT is POSIX's")
def test_ctrl_c_is_no_time_limit(capfd):
    grid, _ = read_grid("ieee14")
    before, asked = signal.getsignal(signal.SIGINT), 0

    class Interrupting(Clock):
        def over(self):
            nonlocal asked
            asked += 1
            if asked == 3:
                os.kill(os.getpid(), signal.SIGINT)
            return False

    with pytest.raises(KeyboardInterrupt):
        optimum(grid, None, Interrupting())
    assert asked <= 4
    assert signal.getsignal(signal.SIGINT) is before
    assert capfd.readouterr() == ("", "")
    assert optimum(grid).solved


def test_a_release_is_certified_by_its_file(tmp_path):
    made = api.write(api.release(api.read("ieee30"), seed=2), tmp_path / "released.m")
    again = optimum(read_grid(tmp_path / "released.m")[0])
    assert again.cost == pytest.approx(made.diagnostics.finished.certificate.own_optimum, rel=1e-9)
