# SPDX-License-Identifier: MIT
"""The compiled part of `proposals`: search, propose and decide, for one element after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pocin.compiled import compiled
from pocin.privacy.search import Search, Topology, arrives, blank, clear, enter, grow, room

if TYPE_CHECKING:
    from pocin.arrays import Whole, Words

PATIENCE = 10.0
"""Proposals that are worth a node searched. It plays no part in the law, only in the time.

Measured at 40,000 links and every alpha: BENCHMARKS.md.
"""

ACCEPT, REJECT, OPEN = 0, 1, 2
DONE, MORE_WORDS, UNDECIDED = 0, 1, 2


class Weights(NamedTuple):
    """Whole numbers that omega(d) lies between, for d = 0, 1, ..., and out of reach at the end."""

    low: Whole
    high: Whole


class Task(NamedTuple):
    """The elements' sites, the first that is still to be drawn, the words, and what was drawn."""

    sites: Whole
    at: int
    words: Words
    drawn: Whole
    patience: float = PATIENCE


class Near(NamedTuple):
    """The sites near an element: those at h hops are ``order[ends[h - 1] : ends[h]]``.

    ``patience`` says how far they are listed.
    """

    order: Whole
    ends: Whole
    patience: float


@compiled
def near_sites(
    net: Topology, weights: Weights, site: int, search: Search, near: Near
) -> tuple[int, int, int, int]:
    """List the sites near an element, class by class, until far ones are quick to reject.

    Return the number of classes, the first and the end of the queue's newest layer, and the length
    of the cells of the sites beyond.
    """
    n, high, order, ends = len(net.stands), weights.high, near.order, near.ends
    first, end, size, classes, inside = 0, enter(net, site, search), 0, 0, 0
    if net.step:
        order[0], ends[0], size, classes, inside = site, 1, 1, 1, high[0]
    while True:
        before = size
        for i in range(first, end):
            v = search.queue[i]
            for k in range(net.at[v], net.at[v + 1]):
                s = net.site[k]
                if (s != site or not net.step) and arrives(net.stands, s, v, search.level):
                    order[size] = s
                    size += 1
        ends[classes] = size
        inside += (size - before) * high[classes]
        classes += 1
        envelope = high[classes] if size < n else 0
        if float(n - size) * envelope <= near.patience * end * inside:
            return classes, first, end, envelope
        grown = grow(net, search, first, end)
        if grown == end:
            return classes, first, end, high[-1]
        first, end = end, grown


@compiled
def pick(r: int, high: Whole, envelope: int, near: Near, classes: int) -> tuple[int, int]:
    """Return the site whose cell holds r, a number past the uniform part, and the place in it."""
    begin = 0
    for h in range(classes):
        width = high[h] - envelope
        part = (near.ends[h] - begin) * width
        if r < part:
            return near.order[begin + r // width], envelope + r % width
        r -= part
        begin = near.ends[h]
    return -1, 0


@compiled
def judge(place: int, at_least: int, at_most: int, weights: Weights) -> int:
    """Decide whether [place, place + 1) lies below omega(d), for at_least <= d <= at_most."""
    if place < weights.low[at_most]:
        return ACCEPT
    return REJECT if place >= weights.high[at_least] else OPEN


@compiled
def by_landmarks(place: int, here: Whole, there: Whole, weights: Weights) -> int:
    """Judge by |D_k(l) - D_k(s)| <= d(l, s) <= D_k(l) + D_k(s) of the landmarks k."""
    last = len(weights.high) - 1
    at_least, at_most = 0, last
    for k in range(len(here)):
        a, b = here[k], there[k]
        if (a == last) != (b == last):
            return judge(place, last, last, weights)
        if a != last:
            at_least = max(at_least, abs(a - b))
            at_most = min(at_most, a + b)
    return judge(place, at_least, at_most, weights)


@compiled
def cells(n: int, high: Whole, envelope: int, ends: Whole, classes: int) -> int:
    """Return T, the length of all cells: ``envelope`` each, and what the near ones have more."""
    total, begin = n * envelope, 0
    for h in range(classes):
        total += (ends[h] - begin) * (high[h] - envelope)
        begin = ends[h]
    return total


@compiled
def idle(total: int) -> int:
    """Return how many of a word's 64 bits a number under ``total`` leaves idle."""
    bits = 0
    while (total - 1) >> bits:
        bits += 1
    return 64 - bits


@compiled
def by_search(
    net: Topology, weights: Weights, cell: tuple[int, int], search: Search, layer: tuple[int, int]
) -> tuple[int, int, tuple[int, int]]:
    """Search on until the class of another site decides, or is known.

    Return the verdict, the class, and the queue's newest layer.
    """
    last, level = len(weights.high) - 1, search.level
    other, place = cell
    a, b = net.stands[other, 0], net.stands[other, 1]
    while level[a] < 0 and level[b] < 0:
        first, end = layer
        if first == end:
            return judge(place, last, last, weights), last, layer
        if place >= weights.high[net.step + level[search.queue[first]] + 1]:
            return REJECT, last, layer
        layer = (end, grow(net, search, first, end))
    hops = net.step + min(level[a] if level[a] >= 0 else last, level[b] if level[b] >= 0 else last)
    return judge(place, hops, hops, weights), hops, layer


@compiled
def draw(
    net: Topology, weights: Weights, marks: Whole, task: Task
) -> tuple[int, int, int, tuple[int, int], int]:
    """Draw for task.sites[task.at:] until the words run out or a round cannot be decided.

    Return why it ended, the element it is at, the words used, and what is undecided: the site, the
    place in its cell, and its class. An element that is begun again draws by the same law.
    """
    n, high, sites, words, used = len(net.stands), weights.high, task.sites, task.words, 0
    search = blank(len(net.start) - 1)
    near = Near(room(n), np.empty(len(high), np.int64), task.patience)
    for e in range(task.at, len(sites)):
        site = sites[e]
        classes, first, end, envelope = near_sites(net, weights, site, search, near)
        layer, total = (first, end), cells(n, high, envelope, near.ends, classes)
        shift, verdict = np.uint64(idle(total)), REJECT
        while verdict != ACCEPT:
            if used == len(words):
                clear(search, layer[1])
                return MORE_WORDS, e, used, (0, 0), 0
            r = int(words[used] >> shift)
            used += 1
            if r >= total:
                continue
            if r < n * envelope:
                cell = (r // envelope, r % envelope)
            else:
                cell = pick(r - n * envelope, high, envelope, near, classes)
            other, place = cell
            hops, verdict = 0, OPEN
            if other == site:
                verdict = judge(place, 0, 0, weights)
            elif max(search.level[net.stands[other, 0]], search.level[net.stands[other, 1]]) < 0:
                verdict = by_landmarks(place, marks[site], marks[other], weights)
            if verdict == OPEN and other != site:
                verdict, hops, layer = by_search(net, weights, cell, search, layer)
            if verdict == OPEN:
                clear(search, layer[1])
                return UNDECIDED, e, used, cell, hops
            task.drawn[e] = other
        clear(search, layer[1])
    return DONE, len(sites), used, (0, 0), 0
