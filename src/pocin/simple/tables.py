# SPDX-License-Identifier: MIT
"""A network in three tables of numbers, and the public part of one.

    nodes      id, public columns
    edges      from, to, public columns
    elements   node, value (secret), what moves with the element

``PublicPart`` has no place for a value or for what moves with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.policy import Column, Policy, PolicyBook, Treatment
from pocin.privacy.metric import Hops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints

_LARGEST = 2.0**53
"""Whole numbers up to here are floats."""
_MOST = 1e12
"""What a value may be, so that in steps of its grid it is a whole number of 64 bits."""


@dataclass(frozen=True, eq=False)
class Tables:
    """A network as read; its rows are in the source's order."""

    nodes: Floats
    edges: Floats
    elements: Floats

    def check(self, name: str) -> None:
        """Refuse, with the source's name, what is no network."""
        ids = self.nodes[:, 0]
        named = np.concatenate([self.edges[:, :2].ravel(), self.elements[:, 0]])
        faults = {
            "there is no edge or no element": not (len(self.edges) and len(self.elements)),
            "an id is no whole number": not np.all(
                (ids == np.floor(ids)) & (np.abs(ids) < _LARGEST)
            ),
            "two nodes have one id": len(np.unique(ids)) < len(ids),
            "an edge or an element names no node": not np.all(np.isin(named, ids)),
            "a number is not finite": not all(
                np.all(np.isfinite(table)) for table in (self.nodes, self.edges, self.elements)
            ),
            "a value is negative": bool(np.any(self.elements[:, 1] < 0)),
            f"a value is beyond {_MOST:g}": bool(np.any(self.elements[:, 1] > _MOST)),
        }
        found = [fault for fault, there in faults.items() if there]
        if found:
            raise InputError(f"{name}: {'; '.join(found)}; mend the tables")


@dataclass(frozen=True, eq=False)
class PublicPart:
    """The graph with its public columns, the nodes that are sites, and the policy.

    Everything is sorted by public ids, so that no source order passes through: ``nodes`` and
    ``edges`` are the public columns beside the ids, ``ends`` (m, 2) and ``at`` positions of nodes.
    """

    node_ids: Ints
    nodes: Floats
    ends: Ints
    edges: Floats
    at: Ints
    policy: Policy

    @classmethod
    def of(cls, tables: Tables, policy: Policy) -> PublicPart:
        """Leave the elements out, but for where they stand."""
        nodes = tables.nodes[np.argsort(tables.nodes[:, 0])]
        edges = tables.edges[np.lexsort(tables.edges.T[::-1])]
        place = nodes[:, 0].searchsorted
        ends, at = place(edges[:, :2]), place(np.sort(tables.elements[:, 0]))
        return cls(nodes[:, 0].astype(np.int64), nodes[:, 1:], ends, edges[:, 2:], at, policy)

    def with_elements(self, values: Floats, moved: Floats) -> Tables:
        """Return the network with these values and moved columns at the sites."""
        ids = self.node_ids
        return Tables(
            np.column_stack([ids, self.nodes]),
            np.column_stack([ids[self.ends], self.edges]),
            np.column_stack([self.site_ids, values, moved]),
        )

    @property
    def site_ids(self) -> Ints:
        """The public id of every site's node."""
        return self.node_ids[self.at]

    @cached_property
    def metric(self) -> Hops:
        """Hops between the sites."""
        return Hops(self.ends, len(self.node_ids), self.at)

    @property
    def node_count(self) -> int:
        """Number of nodes that are connected."""
        return len(np.unique(self.ends))

    @property
    def parameters(self) -> Mapping[str, object]:
        """A release says no more of its numbers than its policy does."""
        return {}


def one_policy(table: Mapping[str, tuple[Treatment, str]]) -> PolicyBook:
    """Return a book of one policy: each column's treatment and what it holds."""
    return PolicyBook(
        columns=tuple(Column(name, said, (given,)) for name, (given, said) in table.items()),
        policies={"plain": Policy("plain", {name: row[0] for name, row in table.items()}, {})},
        default="plain",
        bounds={},
    )
