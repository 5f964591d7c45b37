# SPDX-License-Identifier: MIT
"""What a result may depend on: the numbers; not the threads; the clock where a user sets one."""

from __future__ import annotations

from itertools import count

import pytest
from tests.roads.restoring import gaps, lattice, total_of

import pocin
from pocin import flow
from pocin.errors import NotFaithfulError
from pocin.plan import Request
from pocin.roads.choice import Effort
from pocin.roads.fidelity import restore


@pytest.mark.parametrize("reading", ["per-trip", "total"])
def test_any_number_of_threads_gives_the_same_bytes(reading: str) -> None:
    """Over 256 trips, from which on work is spread; improvement, bound and branching too."""
    problem, true = lattice(2, rows=9, columns=10, trips=300, beta=0.2)
    if reading == "total":
        problem = total_of(problem, true, 1.3)
    effort = Effort(nodes=3, ascent=40)
    first, *others = (restore(problem, effort=effort, threads=n) for n in (1, 2, 3, 1))
    assert first.converged
    for other in others:
        assert other.w.tobytes() == first.w.tobytes()
        assert other.bound == first.bound
        assert other.diagnostics == first.diagnostics


class Ticking(Effort):
    """The time is up at the n-th question."""

    asked = count()

    def over(self) -> bool:
        return next(self.asked) >= self.ends


@pytest.mark.parametrize("factor", [None, 0.8, 1.3])
def test_a_limit_leaves_the_best_so_far_or_nothing(factor: float | None) -> None:
    problem, true = lattice(1, rows=6, columns=6, trips=60, beta=0.05)
    if factor is not None:
        problem = total_of(problem, true, factor)
    whole, found = restore(problem, effort=Effort(nodes=1)), []
    for ends in (0, 1, 3, 10, 30, 100):
        Ticking.asked = count()
        solution = restore(problem, effort=Ticking(nodes=1, ends=ends))
        assert solution.diagnostics["cut"] == (next(Ticking.asked) > ends)
        if solution.converged:
            assert gaps(problem, solution.w).max() <= problem.beta
            assert solution.distance >= whole.distance * (1 - 1e-3)
            assert solution.bound is None or solution.bound <= solution.distance * (1 + 1e-9)
        found.append(solution.converged)
    assert found == sorted(found)  # more time never loses an answer
    assert found[-1]


def test_a_release_out_of_time_says_so() -> None:
    request = Request(
        choices=(("reading", "per-trip"), ("trip_times", "computed")), seed=0, time_limit=1e-9
    )
    with pytest.raises(NotFaithfulError, match=r"the time limit of 1e-09 s is over"):
        flow.release(pocin.read("siouxfalls"), request)


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    choices = (("reading", "per-trip"), ("trip_times", "computed"))
    made = [
        flow.release(pocin.read("siouxfalls"), Request(choices=choices, seed=3, time_limit=limit))
        for limit in (None, 3600.0)
    ]
    assert made[0].document == made[1].document
    finished = made[0].diagnostics.finished
    assert finished.bound == made[1].diagnostics.finished.bound
    told = finished.diagnostics
    assert told["converged"]
    assert not told["cut"]
    assert told["optimality_gap"] == pytest.approx(finished.distance / finished.bound - 1, abs=1e-5)
    assert told["improved"] == sorted(told["improved"], reverse=True)
    assert finished.distance <= told["improved"][-1] * (1 + 1e-5)
