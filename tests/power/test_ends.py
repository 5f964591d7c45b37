# SPDX-License-Identifier: MIT
"""Grids that readers, advice and attacks meet at the edge of what they are for."""

from dataclasses import replace

import numpy as np
import pytest

from pocin import api
from pocin.errors import InputError, UsageError
from pocin.kinds import Certificate, Goal
from pocin.plan import Request, plan
from pocin.power.advice import RATIOS, advice
from pocin.power.clock import Clock
from pocin.power.damage.target import GridTarget
from pocin.power.dc.certificate import certify as certify_dc
from pocin.power.figure import merit_order_cost
from pocin.power.matpower import format_matpower, parse_matpower
from pocin.power.opf import optimum
from pocin.power.placed import Attempt, place
from pocin.power.reader import reader_view
from pocin.power.surrogate import surrogate
from pocin.power.twins import twins

NEVER = Clock()


def too_cheap(policy="derived", share=0.5):
    """A grid that is much cheaper than it should be, as an attempt below the band."""
    network = api.read("ieee14")
    planned = plan(network, Request(policy=policy, seed=0))
    values = planned.kind.values.real(planned.secret.values)
    placed = place(planned.public, values, planned.secret.moved, np.arange(len(values)))
    own = optimum(placed.grid(values)).cost
    goal = Goal(own / share, 0.01)
    certificate = Certificate(own, within=False, reason="", seconds=0.0)
    return placed, Attempt(values, placed.grid(values), {}, certificate), goal


def test_advice_tries_ratios_of_pmin_until_one_is_enough():
    placed, made, goal = too_cheap(share=0.97)
    said = " ".join(advice(placed, made, goal, NEVER))
    ratio = next(r for r in RATIOS if f"--pmin-ratio {r:g} brings these draws" in said)
    values = made.v

    def own(r):
        slopes = np.full(len(values), r)
        rules = replace(placed.rules, pmin=(0 * slopes, slopes))
        return optimum(replace(placed, rules=rules).grid(values)).cost

    low = (1 - goal.beta) * goal.figure
    assert own(ratio) >= low
    assert all(own(smaller) < low for smaller in RATIOS if smaller < ratio)


def test_advice_is_silent_on_pmin_where_it_is_not_derived():
    placed, made, goal = too_cheap("unit")
    said = " ".join(advice(placed, made, goal, NEVER))
    assert "--pmin-ratio" not in said
    assert "--beta 0.51 would have held" in said


def test_advice_tries_nothing_once_the_time_is_over():
    placed, made, goal = too_cheap()
    late = replace(goal, time_limit=3.0)
    said = " ".join(advice(placed, made, late, Clock.start(0.0)))
    assert "--time-limit above 3" in said
    assert "--pmin-ratio" not in said


def test_advice_stops_at_a_ratio_that_cannot_be_solved():
    placed, made, goal = too_cheap(share=0.1)
    huge = replace(made, v=100 * made.v)  # a tenth of it is far more than the load
    assert "--pmin-ratio" not in " ".join(advice(placed, huge, goal, NEVER))


def test_there_is_nothing_to_change_where_it_held():
    placed, made, goal = too_cheap()
    held = replace(made, certificate=replace(made.certificate, within=True))
    assert advice(placed, held, goal, NEVER) == []


# -------------------------------------------------------------------------------- readers of files


def test_a_grid_without_costs_is_written_and_read_again():
    grid = api.read("ieee14").content
    bare = replace(grid, costs=grid.costs.take(np.arange(0)))
    text = format_matpower(bare, (), "bare")
    assert "gencost" not in text
    with pytest.raises(InputError, match=r"no cost curves \(mpc.gencost\); give them by --costs"):
        parse_matpower(text, "bare")


def test_cost_curves_without_their_numbers(tmp_path):
    text = format_matpower(api.read("ieee14").content, (), "short")
    head, rest = text.split("mpc.gencost = [\n")
    body, tail = rest.split("];", 1)
    rows = "\n".join("\t".join(row.split()[:4]).rstrip(";") + ";" for row in body.splitlines())
    (tmp_path / "short.m").write_text(f"{head}mpc.gencost = [\n{rows}\n];{tail}")
    with pytest.raises(InputError, match=r"short\.m:\d+: gencost has no columns for the curves"):
        api.read(tmp_path / "short.m")


def test_empty_lines_in_a_table_of_costs(tmp_path):
    from pocin.power.files import read_grid

    grid = api.read("ieee14").content
    bare = replace(grid, costs=grid.costs.take(np.arange(0)))
    (tmp_path / "bare.m").write_text(format_matpower(bare, (), "bare"))
    rows = [f"{bus},0.01,20,0" for bus in grid.units.bus]
    read = []
    for gap in ("\n", "\n\n, ,\n"):
        (tmp_path / "costs.csv").write_text(gap.join(["bus,c2,c1,c0", *rows, ""]))
        read.append(read_grid(tmp_path / "bare.m", tmp_path / "costs.csv")[0].costs.matrix)
    assert (read[0] == read[1]).all()
    assert (read[0][:, 5] == 20).all()


# -------------------------------------------------------------------------- what cannot be solved


def starved():
    """A grid whose load is more than its units have."""
    network = api.read("ieee14")
    grid = network.content
    return replace(network, content=replace(grid, buses=replace(grid.buses, pd=20 * grid.buses.pd)))


def test_an_original_that_cannot_be_solved_has_no_attack():
    target = GridTarget.of(starved().content, "starved")
    with pytest.raises(InputError, match=r"starved: the AC optimal power flow of the original"):
        _ = target.worth


def test_a_certificate_of_nothing():
    document = {"": format_matpower(starved().content, (), "starved").encode()}
    certificate = certify_dc(document, Goal(100.0, 0.1))
    assert (certificate.own_optimum, certificate.within) == (None, False)
    assert certificate.reason == "its load cannot be served within the limits"


def test_a_surrogate_is_made_even_where_none_can_be_solved():
    network = starved()
    planned = plan(network, Request(cost_figure=1.0, seed=0))
    tight = replace(planned.public.branches, rate_a=np.full(len(planned.public.branches), 1e-3))
    grid = surrogate(replace(planned.public, branches=tight), 1, network.kind.solve)
    assert network.kind.solve(grid).cost is None
    assert sorted(grid.units.bus) == sorted(planned.network.content.units.bus)


def test_a_private_figure_needs_a_load():
    grid = api.read("ieee14").content
    idle = replace(grid, buses=replace(grid.buses, pd=0 * grid.buses.pd))
    planned = plan(replace(api.read("ieee14"), content=idle), Request(cost_figure=1.0, seed=0))
    values = planned.kind.values.real(planned.secret.values)
    with pytest.raises(UsageError, match=r"--cost-epsilon: needs a positive load"):
        merit_order_cost(planned.public, values, planned.secret.moved)


def test_readers_of_a_grid_without_ratings_are_told_nothing_of_loading():
    grid = api.read("ieee14").content
    free = replace(grid.branches, rate_a=np.zeros(len(grid.branches)))
    unrated = replace(grid, branches=free)
    view = reader_view(unrated, unrated, None)
    assert view["loading"] == {}
    assert reader_view(grid, grid, None)["loading"]


def test_a_grid_with_one_generating_bus_keeps_its_reference():
    # No other bus with units could be the reference: the twin is as good without.
    grid = api.read("ieee14").content
    one = np.flatnonzero(grid.units.pmax > 0)[:1]
    alone = replace(
        grid,
        buses=replace(grid.buses, type=np.where(grid.buses.type == 3, 3, 1)),
        units=grid.units.take(one),
        costs=grid.costs.take(one),
    )
    policy = api.read("ieee14").kind.book.find("derived")
    told = dict(twins(alone, policy))
    resolved = told["solution and unreleased columns changed"]
    assert (resolved.buses.type == alone.buses.type).all()
