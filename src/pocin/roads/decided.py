# SPDX-License-Identifier: MIT
"""Trips of which something is decided: links that their paths avoid, and links that they use.

A path that uses e is one from o to the tail of e, then e, then one from its head to q; where
several links are to be used, what each of them alone demands must hold. Walks count as paths, so
that a trip's time is never overrated, and what it can use never missed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.reach import Streets, reach, search
from pocin.roads.reading import PerTrip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.reach import Tree


@dataclass(frozen=True)
class Decision:
    """Links, by position, that one trip avoids and that it uses."""

    avoids: tuple[int, ...] = ()
    uses: tuple[int, ...] = ()

    def without(self, link: int) -> Decision:
        """Let it avoid one more."""
        return replace(self, avoids=(*self.avoids, link))

    def by(self, link: int) -> Decision:
        """Let it use one more."""
        return replace(self, uses=(*self.uses, link))


@dataclass(frozen=True, eq=False)
class Decided(PerTrip):
    """The per-trip reading under decisions, by the positions of trips; for its upper ends only."""

    decisions: Mapping[int, Decision] = field(default_factory=dict)

    @cached_property
    def streets(self) -> Streets:
        """The links both ways."""
        return Streets.of(self.problem.tail, self.problem.head, self.problem.no_through)

    def times(self, w: Floats) -> Floats:
        """Return SP_k(w) over the paths that are left to every trip."""
        found = np.array(super().times(w))
        for k in self.decisions:
            found[k], _ = self.route(k, w)
        return found

    def load(self, w: Floats, weights: Floats) -> Floats:
        """Return how often, by weight, each link is on these paths."""
        free, load = weights.copy(), np.zeros(len(w))
        for k in self.decisions:
            np.add.at(load, self.route(k, w)[1], weights[k])
            free[k] = 0.0
        return np.asarray(load + super().load(w, free))

    def route(self, k: int, w: Floats) -> tuple[float, Ints]:
        """Return the time and links of a decided trip: of the shortest by each used link, the most.

        Each of them is no longer than the shortest that uses them all.
        """
        decision, (o, q) = self.decisions[k], self._ends(k)
        there = self._from(o, w, decision)
        if not decision.uses:
            return float(there.length[q]), self._back(there, o, q)
        best: tuple[float, Ints] = (-1.0, np.zeros(0, dtype=np.int64))
        for e in decision.uses:
            enters, leaves = int(self.problem.tail[e]), int(self.problem.head[e])
            on = self._from(leaves, w, decision)
            time = float(there.length[enters] + w[e] + on.length[q])
            if time > best[0]:
                parts = (self._back(there, o, enters), np.array([e]), self._back(on, leaves, q))
                best = time, np.concatenate(parts)
        return best

    def sets(self, k: int) -> tuple[Mask, Mask] | None:
        """Return which links a trip can use and which it must, if w >= d; None for no path."""
        decision, (o, q) = self.decisions.get(k, Decision()), self._ends(k)
        d, limit = self.problem.d, float(self.limit(+1, 0.0)[k])
        closed = self._closed(decision)
        can, must = reach(self.streets, d, (o, q), limit, closed, 1)
        there = self._from(o, d, decision)
        for e in decision.uses:
            enters, leaves = int(self.problem.tail[e]), int(self.problem.head[e])
            on = self._from(leaves, d, decision)
            before, after = float(there.length[enters]), float(on.length[q])
            if not can[e]:
                return None
            first = reach(self.streets, d, (o, enters), limit - d[e] - after, closed, 1)
            last = reach(self.streets, d, (leaves, q), limit - before - d[e], closed, 1)
            itself = np.arange(len(d)) == e
            can &= first[0] | itself | last[0]
            must |= first[1] | itself | last[1]
        return (can, must) if can.any() else None

    def _ends(self, k: int) -> tuple[int, int]:
        """Return where a trip begins and ends."""
        return int(self.problem.origins[k]), int(self.problem.destinations[k])

    def _closed(self, decision: Decision) -> Mask:
        """Return the links that are avoided."""
        closed = np.zeros(len(self.problem.d), dtype=bool)
        closed[list(decision.avoids)] = True
        return closed

    def _from(self, node: int, w: Floats, decision: Decision) -> Tree:
        """Search from a node, past the links that are avoided."""
        zones, closed = self.problem.no_through, self._closed(decision)
        return search(self.streets.forward, zones, w, closed, node, np.inf)

    def _back(self, tree: Tree, source: int, node: int) -> Ints:
        """Return the links of the path to a node."""
        links: list[int] = []
        while node != source and tree.via[node] >= 0:
            links.append(int(tree.via[node]))
            node = int(self.problem.tail[links[-1]])
        return np.array(links[::-1], dtype=np.int64)
