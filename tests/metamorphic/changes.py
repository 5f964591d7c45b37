# SPDX-License-Identifier: MIT
"""The same network told in another way: rows, numbers, units, parallel units."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from pocin.arrays import Columns, Ints
from pocin.power.grid import POLYNOMIAL, PV, REFERENCE, Grid
from pocin.roads.network import Roads
from pocin.simple.tables import Tables


def reordered(content: Any, seed: int | None = None) -> Any:
    """The rows of every table upside down, or shuffled; a unit keeps its cost curve."""
    mix = np.random.default_rng(seed)

    def order_of(table: Any) -> Any:
        return np.arange(len(table))[::-1] if seed is None else mix.permutation(len(table))

    def mixed(table: Any) -> Any:
        order = order_of(table)
        return table.take(order) if isinstance(table, Columns) else table[order]

    if isinstance(content, Grid):
        order = order_of(content.units)
        units, costs = content.units.take(order), content.costs.take(order)
        return replace(
            content,
            buses=mixed(content.buses),
            branches=mixed(content.branches),
            units=units,
            costs=costs,
        )
    if isinstance(content, Roads):
        tables = {name: mixed(getattr(content, name)) for name in ("nodes", "links", "trips")}
        return replace(content, **tables)
    return Tables(mixed(content.nodes), mixed(content.edges), mixed(content.elements))


class Numbers:
    """A bijection between the numbers of the nodes and others, and back."""

    def __init__(self, ids: Ints, others: Ints) -> None:
        assert len(np.unique(ids)) == len(np.unique(others)) == len(ids) == len(others)
        order = np.argsort(ids)
        self.ids, self.others = np.asarray(ids)[order], np.asarray(others)[order]

    def __call__(self, ids: Any) -> Any:
        return self.others[np.searchsorted(self.ids, ids)].astype(np.asarray(ids).dtype)

    @property
    def back(self) -> "Numbers":
        """The other way."""
        return Numbers(self.others, self.ids)


def in_order(ids: Ints) -> Numbers:
    """Other numbers in the same order, with gaps."""
    return Numbers(np.sort(ids), 7 + 3 * np.arange(len(ids)) ** 2)


def anyhow(ids: Ints, seed: int) -> Numbers:
    """Any other numbers."""
    mix = np.random.default_rng(seed)
    return Numbers(np.sort(ids), 5 + 2 * mix.permutation(len(ids)))


def relabelled(content: Any, nodes: Numbers, links: Numbers | None = None) -> Any:
    """The same network with other numbers for its nodes, and for its links where it has some."""
    if isinstance(content, Grid):
        lines = content.branches
        return replace(
            content,
            buses=replace(content.buses, id=nodes(content.buses.id)),
            branches=replace(lines, from_bus=nodes(lines.from_bus), to_bus=nodes(lines.to_bus)),
            units=replace(content.units, bus=nodes(content.units.bus)),
        )
    if isinstance(content, Roads):
        at, trips = content.links, content.trips
        ends = {"tail": nodes(at.tail), "head": nodes(at.head)}
        said = {"origin": nodes(trips.origin), "destination": nodes(trips.destination)}
        return replace(
            content,
            nodes=replace(content.nodes, id=nodes(content.nodes.id)),
            links=replace(at, id=at.id if links is None else links(at.id), **ends),
            trips=replace(trips, **said),
        )
    tables = [table.copy() for table in (content.nodes, content.edges, content.elements)]
    for table, columns in zip(tables, (1, 2, 1), strict=True):
        table[:, :columns] = nodes(table[:, :columns])
    return Tables(*tables)


def split(grid: Grid, parts: int) -> Grid:
    """Every unit in ``parts`` equal ones at its bus that together cost what it costs.

    c(p) = c_2 p^2 + c_1 p + c_0 is the least of sum_j c'(p_j), c'(p) = parts c_2 p^2 + c_1 p +
    c_0 / parts, over p_1 + ... = p: there, by convexity, all p_j are p / parts.
    """
    rows = np.repeat(np.arange(len(grid.units)), parts)
    units, costs = grid.units.take(rows), grid.costs.take(rows)
    assert (costs.model == POLYNOMIAL).all()
    assert (costs.n == 3).all()
    shared = {name: getattr(units, name) / parts for name in ("pg", "qg", "qmax", "qmin")}
    shared |= {name: getattr(units, name) / parts for name in ("pmax", "pmin", "mbase")}
    curves = costs.coefficients * np.array([parts, 1.0, 1.0 / parts])
    return replace(grid, units=replace(units, **shared), costs=replace(costs, coefficients=curves))


def merged(grid: Grid, parts: int) -> Grid:
    """Every ``parts`` rows of units as one: ``split`` undone."""
    units, costs = grid.units.take(np.arange(0, len(grid.units), parts)), grid.costs
    names = ("pg", "qg", "qmax", "qmin", "pmax", "pmin", "mbase")
    sums = {name: getattr(grid.units, name).reshape(-1, parts).sum(axis=1) for name in names}
    curves = costs.take(np.arange(0, len(costs), parts))
    whole = curves.coefficients / np.array([parts, 1.0, 1.0 / parts])
    return replace(grid, units=replace(units, **sums), costs=replace(curves, coefficients=whole))


def retimed(roads: Roads, factor: float) -> Roads:
    """The same roads with times in another unit, gamma with them."""
    links = roads.links
    assert roads.gamma is not None
    return replace(
        roads,
        gamma=roads.gamma * factor,
        links=replace(links, d=links.d * factor, cost=links.cost * factor),
    )


def told_tables(content: Any) -> dict[str, Any]:
    """The tables of a network as numbers, rows in an order that its numbers give.

    The reference is marked at the lowest number of a site, whatever stands there: it is left out.
    """
    if isinstance(content, Grid):
        buses = content.buses
        kept = replace(buses, type=np.where(buses.type == REFERENCE, PV, buses.type))
        units = np.column_stack([_columns(content.units), content.costs.matrix])
        lines = _columns(content.branches)
        return {
            "buses": _columns(kept)[np.argsort(buses.id)],
            "branches": lines[np.lexsort(lines.T[::-1])],
            "units": units[np.argsort(content.units.bus, kind="stable")],
        }
    if isinstance(content, Roads):
        trips = content.trips
        return {
            "nodes": _columns(content.nodes)[np.argsort(content.nodes.id)],
            "links": _columns(content.links)[np.argsort(content.links.id)],
            "trips": _columns(trips)[np.lexsort((trips.destination, trips.origin))],
        }
    return {
        "nodes": content.nodes[np.argsort(content.nodes[:, 0])],
        "edges": content.edges[np.lexsort(content.edges.T[::-1])],
        "elements": content.elements[np.argsort(content.elements[:, 0], kind="stable")],
    }


def _columns(table: Columns) -> Any:
    columns = [getattr(table, column.name) for column in fields(table)]
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])
