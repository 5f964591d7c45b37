# SPDX-License-Identifier: MIT
"""The compiled loops of the projection: one dual step, and sweeps over the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pocin.compiled import compiled

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints

RELAXATION = 1.5

FULL_EVERY = 8
"""Between two sweeps over all rows, those that were slack without a multiplier are left out."""

NEWTON = 8

TINY = 1e-30  # a trip over links without length has the figure 0


class Sparse(NamedTuple):
    """The rows as the loops read them."""

    start: Ints
    links: Any
    sign: Floats
    bound: Floats


class Stop(NamedTuple):
    """When to end: sweeps, the worst relative violation, |m . g| as a share of the square."""

    sweeps: int
    miss: float
    slack: float


class State(NamedTuple):
    """The multipliers and y, which the loops change, and the two points they go between."""

    m: Floats
    y: Floats
    d: Floats
    noisy: Floats


@compiled
def dots(start: Ints, links: Any, values: Floats | None, w: Floats, out: Floats) -> None:
    """Write a_i . w of every row."""
    for i in range(len(out)):
        out[i] = 0.0
        for p in range(start[i], start[i + 1]):
            out[i] += w[links[p]] * (1.0 if values is None else values[p])


@compiled
def sums(start: Ints, links: Any, values: Floats | None, by: Floats, out: Floats) -> None:
    """Add by_i a_i to out for every row."""
    for i in range(len(by)):
        if by[i] != 0.0:
            for p in range(start[i], start[i + 1]):
                out[links[p]] += by[i] * (1.0 if values is None else values[p])


@compiled
def value_at(rows: Sparse, values: Floats | None, state: State, i: int) -> tuple[float, float]:
    """Return a_i . w, and its slope along a_i where no link meets its d (|a_i|^2 if all have)."""
    total, slope, whole = 0.0, 0.0, 0.0
    for p in range(rows.start[i], rows.start[i + 1]):
        e = rows.links[p]
        a = 1.0 if values is None else values[p]
        whole += a * a
        if state.y[e] > state.d[e]:
            total += a * state.y[e]
            slope += a * a
        else:
            total += a * state.d[e]
    return total, slope if slope > 0.0 else whole


@compiled
def shift(rows: Sparse, values: Floats | None, state: State, i: int, by: float) -> bool:
    """Add ``by`` a_i to y; return whether a link came to its d or left it."""
    bent = False
    for p in range(rows.start[i], rows.start[i + 1]):
        e = rows.links[p]
        was = state.y[e]
        state.y[e] = was + by * (1.0 if values is None else values[p])
        bent |= (was > state.d[e]) != (state.y[e] > state.d[e])
    return bent


@compiled
def visit(rows: Sparse, values: Floats | None, state: State, i: int) -> tuple[float, float]:
    """Move m_i to the dual's maximum along it; return g_i and m_i |g_i| as they were."""
    sign, m = rows.sign[i], state.m
    total, slope = value_at(rows, values, state, i)
    g = sign * (rows.bound[i] - total)
    first, complement = g, m[i] * abs(g)
    if g <= 0.0 and m[i] == 0.0:
        return first, complement
    step = max(RELAXATION * g / slope, -m[i])
    for _ in range(NEWTON):
        if step == 0.0:
            break
        m[i] += step
        if not shift(rows, values, state, i, sign * step):
            break
        total, slope = value_at(rows, values, state, i)
        step = max(sign * (rows.bound[i] - total) / slope, -m[i])
    return first, complement


@compiled
def sweeps_over(
    rows: Sparse, values: Floats | None, state: State, stop: Stop
) -> tuple[float, float, int]:
    """Visit the rows in turn; return the worst relative violation, |m . g| and the work."""
    count = len(rows.sign)
    order = np.empty(count, np.int64)
    active, visited, worst, complement = 0, 0, 0.0, 0.0
    for sweep in range(stop.sweeps):
        full = sweep % FULL_EVERY == 0 or sweep == stop.sweeps - 1
        worst, complement, kept = 0.0, 0.0, 0
        for j in range(count if full else active):
            i = j if full else order[j]
            g, c = visit(rows, values, state, i)
            visited += rows.start[i + 1] - rows.start[i]
            worst, complement = max(worst, g / max(rows.bound[i], TINY)), complement + c
            if full and (g > 0.0 or state.m[i] > 0.0):
                order[kept] = i
                kept += 1
        if full:
            active = kept
            moved = 0.0
            for e in range(len(state.y)):
                moved += (max(state.y[e], state.d[e]) - state.noisy[e]) ** 2
            if worst <= stop.miss and complement <= stop.slack * moved:
                break
    return worst, complement, visited
