# SPDX-License-Identifier: MIT
"""Where the ways into the band end: no more steps, no more time, nothing that a cut could tell."""

from dataclasses import replace

import numpy as np
import pytest
from tests.power.test_tighten import GOAL, Desk, case

from pocin.power import tighten
from pocin.power.clock import Clock
from pocin.power.tighten import CUTS, SQUEEZES, Tightening, below

NEVER, OVER = Clock(), Clock.start(0.0)


class Low(Desk):
    """Finds every optimum far below the band, whatever the solver says."""

    def __call__(self, placed, v):
        made = super().__call__(placed, v)
        told = replace(made.certificate, own_optimum=1000.0, within=False)
        return replace(made, certificate=told)


def lowest(desk):
    placed = case((90, 60))
    return placed, desk(placed, placed.noisy)


@pytest.mark.parametrize("way", ["project", "restore"])
def test_steps_by_cuts_are_counted(way):
    desk = Low()
    placed, start = lowest(desk)
    low, made = getattr(Tightening(placed, GOAL, desk, NEVER), way)(start)
    assert low is made
    assert below(made, GOAL)
    assert len(desk.tried) == 1 + CUTS


def test_squeezes_are_counted_where_no_cut_tells_anything(monkeypatch):
    monkeypatch.setattr(tighten, "tells", lambda *_: False)
    desk = Low()
    placed, start = lowest(desk)
    low, made = Tightening(placed, GOAL, desk, NEVER).squeeze(start)
    assert low is made
    assert len(desk.tried) == 1 + len(SQUEEZES)
    # each leaves the cheap unit less
    cheap = np.array([v[0] for v in desk.tried[1:]])
    assert (np.diff(cheap) <= 0).all()
    assert cheap[-1] < cheap[0]


@pytest.mark.parametrize("way", ["project", "restore", "squeeze", "halve"])
def test_no_way_goes_on_once_the_time_is_up(way):
    desk = Desk()
    placed, start = lowest(desk)
    low, made = getattr(Tightening(placed, GOAL, desk, OVER), way)(start)
    assert low is start
    assert made is start
    assert len(desk.tried) == 1


def test_nothing_comes_nearer_without_time_or_by_a_flat_cut(monkeypatch):
    desk = Desk()
    placed = case((90, 60))
    made = desk(placed, np.array([60.0, 60.0]))
    assert made.within
    assert Tightening(placed, GOAL, desk, OVER).nearer(made) is made
    monkeypatch.setattr(tighten, "tells", lambda *_: False)
    assert Tightening(placed, GOAL, desk, NEVER).nearer(made) is made
    assert len(desk.tried) == 1
