# SPDX-License-Identifier: MIT
"""Other numbers for buses, nodes and links.

any numbers           the same plan: alphas, coverage, spend, statement; the same hops, hence the
                      same law of the draws
numbers in order      and the same seeded release, to the byte once the numbers are undone
any numbers, and      the same least hops of the assignment; where the assignment is the only one
the same draws        the same release once the numbers are undone

More cannot be: sites are sorted by their public numbers, so that other numbers draw in another
order, and they decide between assignments of equal hops.
"""

from typing import Any

import numpy as np
import pytest
from tests.metamorphic.changes import Numbers, anyhow, in_order, relabelled, told_tables
from tests.metamorphic.networks import (
    ALL,
    POWER,
    at_other_sites,
    drawn,
    finished,
    network,
    one_each,
    planned,
)

from pocin.arrays import Ints
from pocin.plan import Plan
from pocin.power.grid import Grid
from pocin.privacy.location import assign
from pocin.roads.network import Roads

asked_of_all = pytest.mark.parametrize("asked", ALL, ids=str)


def node_ids(content: Any) -> Ints:
    if isinstance(content, Grid):
        return content.buses.id
    return content.nodes.id if isinstance(content, Roads) else content.nodes[:, 0].astype(int)


def in_their_order(content: Any) -> tuple[Numbers, Numbers | None]:
    links = in_order(content.links.id) if isinstance(content, Roads) else None
    return in_order(node_ids(content)), links


def in_any_order(content: Any, seed: int) -> tuple[Numbers, Numbers | None]:
    links = anyhow(content.links.id, seed + 1) if isinstance(content, Roads) else None
    return anyhow(node_ids(content), seed), links


def places(made: Plan, other: Plan, numbers: tuple[Numbers, Numbers | None]) -> Ints:
    """What the sites are called under other numbers: of those of one bus each keeps its turn."""
    ids, nodes_or_links = made.public.site_ids, numbers[1] or numbers[0]
    turn = np.arange(len(ids)) - np.searchsorted(ids, ids)
    return np.searchsorted(other.public.site_ids, nodes_or_links(ids)) + turn


def undone(content: Any, numbers: tuple[Numbers, Numbers | None]) -> dict[str, Any]:
    nodes, links = numbers
    return told_tables(relabelled(content, nodes.back, None if links is None else links.back))


@asked_of_all
def test_any_numbers_have_the_same_plan(asked):
    made = planned(asked)
    for seed in range(2):
        numbers = in_any_order(network(asked.name).content, seed)
        other = planned(asked, relabelled(network(asked.name).content, *numbers))
        assert other.guarantee == made.guarantee
        place = places(made, other, numbers)
        assert sorted(place) == list(range(len(place)))
        hops = other.public.metric.matrix()[np.ix_(place, place)]
        assert (hops == made.public.metric.matrix()).all()
        assert other.public.metric.diameter == made.public.metric.diameter
        # the ledger knows a network by its numbers: whoever changes them names --network-id
        assert other.network_id != made.network_id


@asked_of_all
def test_numbers_in_order_have_the_same_seeded_release(asked):
    content = network(asked.name).content
    numbers = in_their_order(content)
    made, other = planned(asked), planned(asked, relabelled(content, *numbers))
    first, second = (finished(it, drawn(it, 4)) for it in (made, other))
    assert second.bilevel == first.bilevel
    assert second.certificate.own_optimum == first.certificate.own_optimum
    assert second.released.tobytes() == first.released.tobytes()
    back, tables = undone(second.content, numbers), told_tables(first.content)
    assert back.keys() == tables.keys()
    for name, table in tables.items():
        assert np.array_equal(back[name], table, equal_nan=True), name
    # and what is not a number of the network is the same in the files, letter by letter
    assert second.document.keys() == first.document.keys()
    for name, data in first.document.items():
        assert letters(second.document[name]) == letters(data), name


def letters(data: bytes) -> str:
    return "".join(filter(str.isalpha, data.decode()))


@asked_of_all
def test_any_numbers_and_the_same_draws_have_the_same_least_hops(asked):
    content = network(asked.name).content
    made = planned(asked)
    for seed in range(3):
        numbers = in_any_order(content, seed)
        other = planned(asked, relabelled(content, *numbers))
        place, draws = places(made, other, numbers), drawn(made, seed)
        hops = []
        for it, records in ((made, draws), (other, at_other_sites(draws, place))):
            record = assign(records, it.public.metric)
            sites = np.arange(len(record))
            hops.append(it.public.metric.matrix()[records.sites[record], sites].sum())
        assert hops[0] == hops[1]


@asked_of_all
def test_any_numbers_and_draws_to_sites_of_their_own_have_the_same_release(asked):
    content = network(asked.name).content
    made = planned(asked)
    # Two units of one bus are at no hops from each other: which of them an assignment of no hops
    # puts first is a question of the records alone, and these are sorted by site: by turn.
    step = float(made.kind.values.step) if asked.name in POWER else 0.001
    for seed in range(2):
        numbers = in_any_order(content, seed)
        other = planned(asked, relabelled(content, *numbers))
        place, draws = places(made, other, numbers), one_each(drawn(made, seed), seed)
        first = finished(made, draws)
        second = finished(other, at_other_sites(draws, place))
        assert second.bilevel == first.bilevel
        if not (asked.choices and proved_apart(first, second)):
            gap = np.abs(second.released[place] - first.released)
            assert gap.max() <= 1.01 * step
            own = first.certificate.own_optimum
            assert second.certificate.own_optimum == pytest.approx(own, rel=1e-6)
        back, tables = undone(second.content, numbers), told_tables(first.content)
        for name in tables.keys() - {"units", "links", "elements"}:
            assert np.array_equal(back[name], tables[name], equal_nan=True), name


def proved_apart(first: Any, second: Any) -> bool:
    """Whether two answers of a search are no nearer to each other than their proofs allow.

    Trip by trip phase 3 is a search that stops once its answer is known to be within a share of the
    nearest there is: the order of the trips decides which one it is.
    """
    gap = first.diagnostics.get("optimality_gap")
    if not gap:
        return False
    assert first.distance <= (1 + gap) * second.distance
    assert second.distance <= (1 + second.diagnostics["optimality_gap"]) * first.distance
    return True
