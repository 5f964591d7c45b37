# SPDX-License-Identifier: MIT
"""Cost curves as the coefficients that the optimal power flow takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.power.grid import PIECEWISE_LINEAR, POLYNOMIAL

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.power.grid import Costs

SLOPE_DIGITS = 5


@dataclass(frozen=True, eq=False)
class CostTerms:
    """c_g(p) = sum_k polynomial[g, k] p^k + max_k (slopes[g, k] p + intercepts[g, k]), p per unit.

    The maximum is taken over no line, and is nothing, where no curve is piecewise linear.
    """

    polynomial: Floats
    slopes: Floats
    intercepts: Floats


def shape_of(costs: Costs) -> tuple[int, int]:
    """Return the highest degree and the most segments of any curve.

    The degree is at least 2, so that quadratic and linear cases share a model; it does not
    depend on which unit has which curve.
    """
    polynomial = costs.model == POLYNOMIAL
    degree = max(2, int(np.max(costs.n[polynomial] - 1, initial=0)))
    segments = int(np.max(costs.n[~polynomial] - 1, initial=0))
    return degree, segments


def cost_terms(costs: Costs, base_mva: float) -> CostTerms:
    """Turn curves in MW and $/h into terms per unit."""
    degree, segments = shape_of(costs)
    polynomial = np.zeros((len(costs), degree + 1))
    slopes, intercepts = np.zeros((2, len(costs), segments))
    for row in range(len(costs)):
        n, numbers = int(costs.n[row]), costs.coefficients[row]
        if costs.model[row] == PIECEWISE_LINEAR:
            slopes[row], intercepts[row] = _lines(numbers[: 2 * n], segments)
        else:
            polynomial[row, :n] = numbers[:n][::-1]
    return CostTerms(polynomial * base_mva ** np.arange(degree + 1), slopes * base_mva, intercepts)


def cost_at(costs: Costs, p: Floats) -> Floats:
    """Return the cost of every curve (rows) at every output in MW (columns)."""
    terms = cost_terms(costs, 1.0)
    powers = p ** np.arange(terms.polynomial.shape[1])[:, None]
    value = terms.polynomial @ powers
    if terms.slopes.shape[1]:
        lines = terms.slopes[:, :, None] * p + terms.intercepts[:, :, None]
        value += lines.max(axis=1)
    return np.asarray(value, dtype=np.float64)


def marginal_cost(costs: Costs, p: Floats) -> Floats:
    """Return the slope in $/MWh of every curve at its own output in MW (from the right)."""
    terms = cost_terms(costs, 1.0)
    k = np.arange(1, terms.polynomial.shape[1])
    slope = np.sum(terms.polynomial[:, 1:] * k * p[:, None] ** (k - 1), axis=1)
    if terms.slopes.shape[1]:
        lines = terms.slopes * p[:, None] + terms.intercepts
        last = lines.shape[1] - 1 - np.argmax(lines[:, ::-1], axis=1)
        slope += terms.slopes[np.arange(len(p)), last]
    return np.asarray(slope, dtype=np.float64)


def open_ended(costs: Costs, load: float) -> Costs:
    """Return piecewise linear curves whose ends stand at places that tell nothing of their units.

    A curve as a rule begins at its unit's Pmin and ends at its Pmax: released, it would tell both
    beside any noise. The first and the last line are drawn out to 0 (or as far below it) and to a
    power of ten beyond the load and every inner point. Their slopes keep five digits, for an exact
    quotient would tell the end that was taken away.
    """
    curved = np.flatnonzero(costs.model == PIECEWISE_LINEAR)
    inner = [costs.coefficients[k, 2 : 2 * costs.n[k] - 2 : 2] for k in curved]
    most = np.max(np.abs(np.concatenate([[load, 1.0], *inner])))
    far = 10.0 ** (np.floor(np.log10(most)) + 1)
    coefficients = np.array(costs.coefficients)
    for k in curved:
        points = coefficients[k, : 2 * costs.n[k]].reshape(-1, 2)
        coefficients[k, : 2 * costs.n[k]] = _drawn_out(points, far).ravel()
    return replace(costs, coefficients=coefficients)


def _drawn_out(points: Floats, far: float) -> Floats:
    """Move the ends of a convex curve along its first and its last line."""
    (x, y), out = points.T, points.copy()
    slope = np.diff(y) / np.diff(x)
    first, last = (float(f"{steep:.{SLOPE_DIGITS}g}") for steep in (slope[0], slope[-1]))
    if len(slope) > 1:  # a rounded slope must not bend the curve the other way
        first, last = min(first, slope[1]), max(last, slope[-2])
    begin = 0.0 if x[0] >= 0 else -far
    if x[0] != begin:  # from the inner end, which stays; a lone line has none
        out[0] = begin, np.round(y[1] - first * (x[1] - begin), 6)
        if len(slope) == 1:
            out[0, 1] = np.round(y[0] - first * (x[0] - begin), 2)
    at = out[0] if len(slope) == 1 else points[-2]
    out[-1] = far, np.round(at[1] + last * (far - at[0]), 6)
    return out


def _lines(points: Floats, segments: int) -> tuple[Floats, Floats]:
    """Slope and intercept of each segment; the last one repeats to fill the row."""
    x, y = points[0::2], points[1::2]
    slope = np.diff(y) / np.diff(x)
    intercept = y[:-1] - slope * x[:-1]
    filled = np.minimum(np.arange(segments), len(slope) - 1)
    return slope[filled], intercept[filled]
