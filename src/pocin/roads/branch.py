# SPDX-License-Identifier: MIT
r"""How far every faithful answer is at least, and a nearer one where there is one.

The chord bound of the whole problem, raised from the solution's multipliers. Rows that its own
weights miss are added, and it is raised again. Where that leaves a gap, the link with the largest
chord gap is taken, and of the trips that can use it but need not the one with the largest
multiplier: in one child this trip uses the link, in the other it avoids it. Chords get shorter, and
the least bound of all open nodes is one of the problem.

Chords may be tight and the node's weights w still leave trips too long: the bound lets every trip
travel at w^, and w^ < w on links that some trip could use and none does. Then the link is taken on
which such trips gain most by w^, and of the trips that can use it the one as before.

Weights nearer than the solution are within its distance R of w~, link by link: d may be lifted to
max(d, w~ - R). The weights of every node, at the mean of its best loads, are those of a relaxed
problem; with the trips that bear a multiplier there on their shortest paths, they are the anchor
of a solution that may be nearer: where the relaxed problem divides no trip, it is the optimum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from pocin.roads.ascent import distance, raised, reached
from pocin.roads.bound import Chord
from pocin.roads.decided import Decided, Decision
from pocin.roads.improve import locked_at
from pocin.roads.projection import AT_MOST, Rows

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints, Mask
    from pocin.roads.ascent import Raised
    from pocin.roads.choice import Effort, Found
    from pocin.roads.problem import RestoreProblem
    from pocin.roads.reading import PerTrip

PROVED = 1e-3
"""An answer is proved when the bound is within this share of its distance."""

GROWTH = 4
"""So often rows are added to a node."""

MISS = 1e-6

NO_GAP = 1e-4
"""A chord that gives away a smaller share of the bound gives nothing away."""


@dataclass(frozen=True, eq=False)
class Node:
    """Decisions, the chord bound under them, and where it stands."""

    chord: Chord
    trips: Ints  # of the reading, that the chord bound has upper rows of
    lam: Floats
    mu: Floats
    value: float = -np.inf
    gaps: Floats | None = None
    w: Floats | None = None

    def __lt__(self, other: Node) -> bool:
        return self.value < other.value


@dataclass(frozen=True)
class Proof:
    """A bound on the distance, and how many nodes it took."""

    bound: float
    nodes: int


def prove(reading: PerTrip, found: Found, effort: Effort) -> tuple[Found, Proof]:
    """Return the nearest solution met, and a distance that no faithful weights can be below."""
    most = min(effort.nodes, effort.work // (len(reading.figures) * len(found.w)))
    found, first = _looked(reading, found, root(reading, found), effort)
    open_, nodes, closed = [first], 1, np.inf
    while open_ and open_[0].value < _enough(found) and nodes < most and not effort.over():
        node = heappop(open_)
        pair = children(node)
        nodes += 2
        if pair is None:
            closed = min(closed, node.value)
        for child in pair or ():
            found, better = _looked(reading, found, child, effort)
            # under more decisions the problem is no nearer
            better = replace(better, value=max(better.value, node.value))
            if better.value < _enough(found):
                heappush(open_, better)
            else:
                closed = min(closed, better.value)
    low = min([closed, *(node.value for node in open_[:1])])
    return found, Proof(min(distance(low), found.distance), nodes)


def _enough(found: Found) -> float:
    """Return the value at which a node need not be looked at further."""
    return (1 - PROVED) ** 2 * found.distance**2 / 2


def root(reading: PerTrip, found: Found) -> Node:
    """Return the chord bound without decisions, at the multipliers of a solution."""
    rows, m = found.projection.rows, found.projection.m
    upper = rows.sign < 0
    bears = m > 0
    low = np.maximum(reading.problem.d, reading.problem.noisy - found.distance)
    lifted = replace(reading.problem, d=low)
    trips, at = np.unique(rows.trip[bears & upper], return_inverse=True)
    lam = np.bincount(at, m[bears & upper], minlength=len(trips)).astype(np.float64)
    cuts = rows.only(bears & ~upper)
    true = cuts.bounded(reading.limit(-1, 0.0)[cuts.trip])
    chord = _chord(lifted, reading, trips, true)
    return Node(chord, trips, lam, m[bears & ~upper])


def _chord(lifted: RestoreProblem, reading: PerTrip, trips: Ints, cuts: Rows) -> Chord:
    """Return the chord bound with these upper rows and these cuts."""
    part = replace(reading, problem=lifted).part(trips)
    can, must, known = reached(part.problem, part.limit(+1, 0.0))
    decided = Decided(part.problem, part.threads)
    return Chord(decided, can, must, np.where(known, 0.0, 1.0), cuts)


def _looked(reading: PerTrip, found: Found, node: Node, effort: Effort) -> tuple[Found, Node]:
    """Raise the bound of a node; where that is not enough, look for an answer near its weights."""
    node = _raised(reading, node, effort, _enough(found))
    if node.value < _enough(found) and not effort.over():
        assert node.w is not None
        found = locked_at(reading, found, node.w, node.trips[node.lam > 0], effort)
    return found, node


# -- nodes -----------------------------------------------------------------------------------------


def _raised(reading: PerTrip, node: Node, effort: Effort, enough: float) -> Node:
    """Raise the bound of a node, and add the rows that its weights miss."""
    for _ in range(GROWTH):
        steps = effort.ascent if node.lam.any() or node.mu.any() else 1
        high = raised(node.chord, node.lam, node.mu, steps, enough)
        w = node.chord.least(high.best, high.load)
        gaps = _lost(node.chord, high, w)
        value = max(high.best.value, node.value)
        node = Node(node.chord, node.trips, high.lam, high.mu, value, gaps, w)
        if value >= enough:
            break
        grown = _grown(reading, node, w)
        if grown is None:
            break
        node = grown
    return node


def _lost(chord: Chord, high: Raised, w: Floats) -> Floats:
    """Return what each chord gives away; where none does, how it misleads trips too long at w.

    A trip sees w^, which is below w on links that others could use and do not.
    """
    gaps = chord.gaps(high.best, high.load)
    if gaps.max() > NO_GAP * high.best.value:
        return gaps
    late = chord.reading.times(w) - (1 + MISS) * chord.most
    return chord.reading.load(high.best.w, np.maximum(late, 0.0)) * (w - high.best.w)


def _grown(reading: PerTrip, node: Node, w: Floats) -> Node | None:
    """Add a cut for each trip that is too short at w, and an upper row for each too long."""
    least, most = reading.limit(-1, 0.0), reading.limit(+1, 0.0)
    times = reading.times(w)
    short = np.flatnonzero(times < (1 - MISS) * least)
    long = np.setdiff1d(np.flatnonzero(times > (1 + MISS) * most), node.trips)
    if not len(short) and not len(long):
        return None
    chord = node.chord
    cuts = chord.cuts.and_(reading.cuts(w, short).bounded(least[short]))
    lifted = replace(reading.problem, d=chord.reading.problem.d)
    new = _chord(lifted, reading, long, cuts)
    trips = np.concatenate([node.trips, long])
    part = replace(reading, problem=lifted).part(trips)
    assert isinstance(chord.reading, Decided)
    wider = Chord(
        Decided(part.problem, part.threads, chord.reading.decisions),
        chord.can.and_(new.can),
        chord.must.and_(new.must),
        np.concatenate([chord.everywhere, new.everywhere]),
        cuts,
    )
    lam = np.concatenate([node.lam, np.zeros(len(long))])
    mu = np.concatenate([node.mu, np.zeros(len(short))])
    return replace(node, chord=wider, trips=trips, lam=lam, mu=mu)


def children(node: Node) -> list[Node] | None:
    """Return the node with one decision more, both ways; None where nothing is to decide.

    A way that leaves its trip no path is not among them.
    """
    chord = node.chord
    can, must = (_dense(rows, len(chord.reading.problem.d)) for rows in (chord.can, chord.must))
    free = can & ~must
    if not free.any():
        return None
    assert node.gaps is not None
    gaps = np.where(free.any(axis=0), node.gaps, -np.inf)
    link = int(np.argmax(gaps if gaps.max() > 0 else node.lam @ free))
    trip = int(np.argmax(np.where(free[:, link], node.lam, -1.0)))
    assert isinstance(chord.reading, Decided)
    before = chord.reading.decisions.get(trip, Decision())
    made = []
    for decision in (before.by(link), before.without(link)):
        decisions = {**chord.reading.decisions, trip: decision}
        reading = replace(chord.reading, decisions=decisions)
        sets = reading.sets(trip)
        if sets is not None:
            can[trip], must[trip] = sets
            inner = replace(chord, reading=reading, can=_sparse(can), must=_sparse(must))
            made.append(replace(node, chord=inner))
    return made


def _dense(rows: Rows, size: int) -> Mask:
    """Return rows as a mask."""
    mask = np.zeros((len(rows), size), dtype=bool)
    mask[np.repeat(np.arange(len(rows)), np.diff(rows.start)), rows.links] = True
    return mask


def _sparse(mask: Mask) -> Rows:
    """Return a mask as rows."""
    start = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    which = np.arange(len(mask))
    return Rows.of(start, np.nonzero(mask)[1], AT_MOST, np.zeros(len(mask)), which)
