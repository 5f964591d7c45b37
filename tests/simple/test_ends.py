# SPDX-License-Identifier: MIT
"""What a small kind refuses, each in one sentence, and what it leaves out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.metamorphic.networks import TUTORIAL, drawn, network, water

from pocin.errors import InputError, UsageError
from pocin.kinds import Goal
from pocin.plan import Request, plan


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda k: k.read("x.water", Path("costs.csv")), "--costs: is for power grids"),
        (lambda k: k.split(network("town").content, None, Path("o")), "--only: every well is"),
        (lambda k: k.surrogate(None, 1), "a made-up network: water networks bring none"),
        (lambda k: k.private_figure(None, None, None, None), "--cost-epsilon: water networks"),
        (lambda k: k.figure_width(None, None, None, 0.1), "declare the figure by --cost-figure"),
    ],
)
def test_what_it_has_no_use_for(call, said):
    with pytest.raises(UsageError, match=said):
        call(water())


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match=r"gone\.water: there is no such file; check the path"):
        water().read("gone.water", None)


def test_what_it_leaves_out():
    kind, town = water(), network("town")
    assert list(kind.cases()) == []
    assert kind.notes(town.content) == ()
    assert list(kind.given_away(town.content, None)) == []
    assert kind.answers(None, town.content) == {}
    assert kind.figure_reach(None) is None
    assert kind.holds(town.content)
    assert kind.claims("A.WATER")
    assert not kind.claims(TUTORIAL / "index.md")


def test_no_supply_is_no_optimum():
    kind, town = water(), network("town").content
    dry = town.elements.copy()
    dry[:, 1] = 0
    found = kind.solve(replace(town, elements=dry))
    assert (found.cost, found.reason) == (None, "there is no solution")


def test_a_release_of_another_town_is_refused():
    kind, town = water(), network("town")
    target = kind.target(town.content, "town", {})
    target.check(town.content, "itself")
    fewer = replace(town.content, elements=town.content.elements[1:])
    with pytest.raises(InputError, match="fewer: has other sites than town; name a release"):
        target.check(fewer, "fewer")


def test_exposure_matches_sites_by_their_node():
    kind, town = water(), network("town")
    made = plan(town, Request(cost_figure=1.0, seed=0))
    same = kind.exposure(made.public, made.secret, town.content, town.content)
    assert (same.released == made.secret.values).all()
    fewer = replace(town.content, elements=town.content.elements[1:])
    shown = kind.exposure(made.public, made.secret, town.content, fewer)
    gone = town.content.elements[0, 0]
    rest = made.public.site_ids != gone
    assert np.isnan(shown.released[~rest]).all()
    assert (shown.released[rest] == same.released[rest]).all()


def test_an_optimum_beyond_the_band_is_said():
    kind, town = water(), network("town")
    made = plan(town, Request(cost_figure=1.0, seed=0))
    noisy = kind.unrestored(made.public, drawn(made, 0))
    assert len(noisy.elements) == len(town.content.elements)
    assert not Goal(1.0, 0.1).met_by(kind.optimum(noisy))
