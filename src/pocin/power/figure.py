# SPDX-License-Identifier: MIT
r"""The private cost figure: merit-order cost without the network, by the Laplace mechanism.

    C(v) = min_p  sum_i c_i(p_i) + lambda max(0, p_i - v_i)     subject to  sum_i p_i = load, p >= 0

Every unit may run above its capacity at a public surcharge lambda, so raising one capacity by
delta lowers C by at most lambda delta: C is lambda-Lipschitz in each capacity. No place enters, and
units are sorted by what they are before they are summed, so moving elements leaves C as it is, to
the last bit. It is computed by its dual, a concave function of one price:

    C(v) = max_mu  mu load - sum_i max_{0 <= p <= load} [mu p - c_i(p) - lambda max(0, p - v_i)]

Noise is added to k(v) = floor(C(v) / step + 1/2), a whole number of public steps. A capacity that
changes by one grid unit g moves C / step by at most L = lambda g / step, and k by at most
ceil(L) + 1, where the 1 covers the floor and the errors of computing C, which stay under half a
step. Capacities lie on the grid, so a change by m grid units is m such changes, and k moves by at
most (ceil(L) + 1) m: Laplace noise of scale (ceil(L) + 1) (alpha_v / g) / eps_c costs
eps_c (sum of |value change|) / alpha_v, at every distance. (Rounding counted once for a change by
alpha_v would not do: a change by one grid unit would then cost more than its share.)

C is a proxy of the optimum; the policy's ``figure_factor`` corrects it for losses and congestion.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import UsageError
from pocin.power.curves import cost_terms
from pocin.power.grid import Costs
from pocin.power.public import MEGAWATT

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.power.curves import CostTerms
    from pocin.power.public import PublicGrid
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret

STEP = Fraction(1, 1000)
"""The figure lives on a public grid of 0.001 $/h, coarser where floats need it."""

HALVINGS = 200
QUADRATIC = 2


def private_figure(
    public: PublicGrid, secret: Secret, guarantee: Guarantee, noise: NoiseSource
) -> float:
    """Draw the figure: floor(C / step + 1/2) steps plus Laplace noise, times the public factor."""
    cost = merit_order_cost(public, MEGAWATT.real(secret.values), secret.moved)
    size = step(public, secret.moved)
    steps = np.array([math.floor(cost / float(size) + 0.5)], dtype=np.int64)
    drawn = noise.laplace(steps, noise_scale(public, secret.moved, guarantee))
    factor = public.policy.constants["figure_factor"]
    return factor * float(max(1, int(drawn[0])) * size)


def noise_scale(public: PublicGrid, moved: Floats, guarantee: Guarantee) -> Fraction:
    """Return (ceil(lambda g / step) + 1) (alpha_v / g) / eps_c, in steps."""
    surcharge = Fraction(str(public.policy.constants["surcharge"]))
    one_unit = math.ceil(surcharge * Fraction(MEGAWATT.step) / step(public, moved)) + 1
    return one_unit * MEGAWATT.steps(guarantee.value.alpha) / guarantee.figure.epsilon


def step(public: PublicGrid, moved: Floats) -> Fraction:
    """Return a step of at least twice what floats can be off, by public numbers alone.

    With n units, and no price above the steepest marginal cost and the surcharge, the sum has n
    gains of at most price x load, a dozen roundings each, and the best price is known to one
    rounding: n price load 2^-48 bounds it all with room to spare.
    """
    terms = _curves(public, moved)
    load = _load(public)
    off = len(terms.polynomial) * _highest(public, terms, load) * load * 2.0**-48
    return max(STEP, Fraction(10) ** math.ceil(math.log10(2 * off)))


def width(public: PublicGrid, moved: Floats, guarantee: Guarantee, beta: float) -> float:
    """Return the half-width in $/h that the noise stays within 19 times in 20: scale ln 20.

    Refuse here, before anything is spent, what the figure does not serve: kinds of curves, and
    noise wider than beta allows. How large the figure is is judged by public numbers alone: the
    unplaced cost curves and the load, on units of equal capacity with a quarter to spare.
    """
    factor = public.policy.constants["figure_factor"]
    scale = noise_scale(public, moved, guarantee) * step(public, moved)
    noise = factor * float(scale) * math.log(20.0)
    equal = np.full(len(moved), 1.25 * _load(public) / len(moved))
    allowed = beta * factor * merit_order_cost(public, equal, moved)
    if noise > allowed:
        raise UsageError(
            f"--cost-epsilon: its noise (within {noise:.3g} $/h 19 times in 20) is wider than beta "
            f"allows on a network like this (about {allowed:.3g} $/h); raise it "
            f"{noise / allowed:.2g} times, raise --beta, or declare a figure by --cost-figure"
        )
    return noise


def _curves(public: PublicGrid, moved: Floats) -> CostTerms:
    """Return the cost curves, the public units' below the moved ones; which kinds is public."""
    ours = public.moved_columns(moved).costs
    matrix = np.vstack([ours, public.fixed_costs.matrix[public.fixed.pmax > 0]])
    terms = cost_terms(Costs.from_matrix(matrix), 1.0)
    if terms.polynomial.shape[1] > QUADRATIC + 1 or np.any(terms.polynomial[:, QUADRATIC] < 0):
        raise UsageError(
            "--cost-epsilon: serves convex quadratic and piecewise linear costs only; "
            "declare a figure by --cost-figure"
        )
    return terms


def _load(public: PublicGrid) -> float:
    """Return the load that the units serve."""
    load = float(np.sum(public.buses.pd[public.live]))
    if load <= 0:
        raise UsageError("--cost-epsilon: needs a positive load; declare a figure instead")
    return load


def merit_order_cost(public: PublicGrid, v: Floats, moved: Floats) -> float:
    """Return C(v), by bisection of the dual over the price, down to neighbouring floats.

    Public units with capacity take part as they are.
    """
    order = np.lexsort((*moved.T, v))
    v, moved = v[order], moved[order]
    terms, load = _curves(public, moved), _load(public)
    caps = np.concatenate([v, public.fixed.pmax[public.fixed.pmax > 0]])
    surcharge = public.policy.constants["surcharge"]
    high = _highest(public, terms, load)
    low = -high
    for _ in range(HALVINGS):
        price = (low + high) / 2
        if price in (low, high):
            break
        _, output = _best(price, load, caps, terms, surcharge)
        low, high = (price, high) if output < load else (low, price)
    ends = (price * load - _best(price, load, caps, terms, surcharge)[0] for price in (low, high))
    return max(ends)


def _highest(public: PublicGrid, terms: CostTerms, load: float) -> float:
    """Return a price at which every unit would serve the whole load alone."""
    slope = np.abs(terms.polynomial[:, 1]) + 2 * terms.polynomial[:, QUADRATIC] * load
    lines = np.abs(terms.slopes).max(axis=1, initial=0.0)
    return public.policy.constants["surcharge"] + float(np.max(slope + lines)) + 1.0


def _best(
    price: float, load: float, v: Floats, terms: CostTerms, surcharge: float
) -> tuple[float, float]:
    """Return the profit and the output of all units at a price.

    Each takes the best of its candidates: ends, kinks, and where a marginal cost is met.
    """
    curve, cap = terms.polynomial, np.minimum(v, load)[:, None]
    meeting = [np.zeros_like(cap), np.full_like(cap, load), cap]
    slopes = np.hstack([np.zeros_like(cap), terms.slopes])
    with np.errstate(divide="ignore", invalid="ignore"):
        for extra in (0.0, surcharge):
            even = (price - extra - curve[:, [1]] - slopes) / (2 * curve[:, [QUADRATIC]])
            meeting.append(np.where(np.isfinite(even), np.clip(even, 0, load), 0.0))
        a, b = terms.slopes, terms.intercepts
        kinks = (b[:, :-1] - b[:, 1:]) / (a[:, 1:] - a[:, :-1])
        meeting.append(np.where(np.isfinite(kinks), np.clip(kinks, 0, load), 0.0))
    p = np.hstack(meeting)
    cost = curve[:, [0]] + curve[:, [1]] * p + curve[:, [QUADRATIC]] * p**2
    if terms.slopes.shape[1]:
        cost += np.max(terms.slopes[:, :, None] * p[:, None, :] + terms.intercepts[:, :, None], 1)
    gain = price * p - cost - surcharge * np.maximum(0.0, p - v[:, None])
    chosen = gain.argmax(axis=1)
    rows = np.arange(len(p))
    return float(np.sum(gain[rows, chosen])), float(np.sum(p[rows, chosen]))
