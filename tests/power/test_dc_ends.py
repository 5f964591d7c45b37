# SPDX-License-Identifier: MIT
"""How the exact DC search ends where it cannot go on: engines, time, and what it then says."""

from dataclasses import replace

import numpy as np
import pytest
from tests.power.dc_grids import bilevel, corners, three_buses
from tests.power.test_dc_exact import BELOW, NORMS, problem

from pocin import api, flow
from pocin.errors import UsageError
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.power.dc import engines
from pocin.power.dc.engines import Branched, Highs, Scip
from pocin.power.dc.exact import Nearest, nearest
from pocin.power.dc.finish import _nothing, cheapest
from pocin.power.dc.problem import Norm, own_optimum
from pocin.power.dc.relaxed import descend, half_space, project, tightened
from pocin.power.placed import place
from pocin.privacy.noise import SeededNoise


class Never:
    """An engine that says that nothing is nearer."""

    name = "never"

    @staticmethod
    def branch(_, known, __):
        return Branched(None, known, "infeasible", 1)


def quadratic():
    """A problem below the band whose costs are quadratic."""
    program = three_buses(second=(0.05, 0.02, 0.1))
    noisy = (60.0, 90.0, 60.0)
    figure = 1.15 * own_optimum(program, np.array(noisy)).cost
    return bilevel(program, noisy, 0.97 * figure, 1.03 * figure, 0.97)


def test_quadratic_costs_below_the_band_are_not_for_highs():
    with pytest.raises(UsageError, match=r"which takes SCIP: install pocin\[proof\]"):
        nearest(quadratic(), Norm.SUM, Highs())


def test_a_stopped_scip_proves_no_more_than_it_did():
    pytest.importorskip("pyscipopt", reason="the extra proof is not installed")
    p = quadratic()
    stopped = nearest(p, Norm.SUM, Scip(seconds=0.0))
    assert not stopped.proved
    assert stopped.status == "timelimit"
    # what the half-spaces found stands all the same
    assert own_optimum(p.program, stopped.v).cost >= p.low * (1 - 1e-6)
    assert 0 <= stopped.bound <= stopped.distance


def test_scip_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"SCIP is not installed; install pocin\[proof\]"):
        nearest(problem(BELOW[0], 0.97), Norm.SUM, Scip())


@pytest.mark.parametrize("norm", NORMS)
def test_nothing_nearer_leaves_what_is_known_and_proves_it(norm):
    p = problem(BELOW[0], 0.97)
    known = nearest(p, norm)
    found = nearest(p, norm, Never())
    assert found.proved
    assert found.bound == found.distance == pytest.approx(known.distance, rel=1e-3)


@pytest.mark.parametrize("norm", NORMS)
def test_highs_without_time_finds_nothing_and_claims_nothing(norm):
    p = problem(BELOW[0], 0.97)
    found = nearest(p, norm, Highs(seconds=0.0))
    assert not found.proved
    assert found.v is not None
    assert found.bound <= nearest(p, norm).distance * (1 + 1e-6)


def test_without_time_there_is_no_step():
    p = problem(BELOW[0], 0.97)
    relaxed = project(p, Norm.SUM)
    assert tightened(p, Norm.SUM, relaxed, lambda: 0.0) is None
    assert descend(p, Norm.SUM, relaxed, lambda: 0.0) is None
    assert tightened(p, Norm.SUM, relaxed) is not None


def test_no_half_space_where_the_load_cannot_be_served():
    p = problem(BELOW[0], 0.97)
    nothing = np.zeros(3)
    assert not np.isfinite(corners(nothing[None])[0])
    assert half_space(p, nothing) is None
    assert half_space(p, np.full(3, 200.0)) is not None


def test_capacities_below_their_least_do_not_stay():
    program = three_buses()
    noisy = np.array([80.0, 60.0, 50.0])
    figure = corners(noisy[None])[0]
    p = bilevel(program, noisy, 0.9 * figure, 1.1 * figure, 0.97)
    raised = replace(p, least=np.array([90.0, 0.0, 0.0]))
    found = nearest(raised, Norm.SUM)
    assert found.distance == pytest.approx(10)
    assert found.v == pytest.approx([90, 60, 50])


@pytest.mark.parametrize(
    ("how", "status", "said"),
    [
        ("too dear", "infeasible", "no capacities at these sites serve the load for"),
        ("too cheap", "infeasible", "no capacities at these sites cost as much as"),
        ("tightened", "late", "no capacities at these sites were found that cost as much as"),
    ],
)
def test_why_there_is_nothing(how, status, said):
    assert _nothing(Nearest(None, np.inf, 0.0, how, status)) == said + " the cost figure"


def made(figure, beta):
    """The draws of ieee14 under the DC model, at such a figure."""
    network = api.read("ieee14")
    request = Request(beta=beta, cost_figure=figure, seed=0, choices=(("model", "dc"),))
    planned = plan(network, request)
    draws, _, _ = flow.draw(planned, SeededNoise(0), lambda _: None)
    return planned, draws


def test_lines_that_carry_nothing_leave_no_dispatch():
    planned, draws = made(2051.5, 0.1)
    public = planned.public
    tight = replace(public.branches, rate_a=np.full(len(public.branches), 1e-3))
    record = np.arange(len(draws))
    values = planned.kind.values.real(draws.values)
    assert cheapest(place(public, values, draws.moved, record)) is not None
    closed = replace(public, branches=tight)
    assert cheapest(place(closed, values, draws.moved, record)) is None
    side = flow.OpenSide(planned.kind, closed, planned.guarantee)
    done = flow.finish(side, draws, Goal(2051.5, 0.1))
    assert done.bilevel == "failed"
    assert done.certificate.own_optimum is None
    assert "no capacities at these sites serve the load" in done.reason


def test_when_the_time_is_over_no_more_is_tried():
    planned, draws = made(20.0, 0.01)  # a hundredth of what it costs
    side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
    every = flow.finish(side, draws, Goal(20.0, 0.01))
    one = flow.finish(side, draws, Goal(20.0, 0.01, time_limit=1e-9))
    assert every.bilevel == one.bilevel == "failed"
    assert len(one.diagnostics["attempts"]) <= len(every.diagnostics["attempts"])
    assert len(one.diagnostics["attempts"]) <= 2
