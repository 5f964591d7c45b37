# SPDX-License-Identifier: MIT
r"""The private cost figure: merit-order cost without the network, by the Laplace mechanism.

    C(v) = min_p  sum_i c_i(p_i) + lambda max(0, p_i - v_i)     subject to  sum_i p_i = load, p >= 0

Every unit may run above its capacity at a public surcharge lambda, so raising one capacity by
delta lowers C by at most lambda delta: C is lambda-Lipschitz in each capacity. No place enters, so
moving elements leaves it as it is. It is computed by its dual, a concave function of one price:

    C(v) = max_mu  mu load - sum_i max_{0 <= p <= load} [mu p - c_i(p) - lambda max(0, p - v_i)]

It is a proxy of the optimum; the policy's ``figure_factor`` corrects it for losses and congestion.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

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

STEP = Fraction(1, 10)
"""The figure lives on a public grid of 0.1 $/h."""

QUADRATIC = 2


def private_figure(
    public: PublicGrid, secret: Secret, guarantee: Guarantee, noise: NoiseSource
) -> float:
    """Draw the figure: floor(C / step + 1/2) steps plus Laplace noise, times the public factor."""
    cost = merit_order_cost(public, MEGAWATT.real(secret.values), secret.moved)
    steps = np.array([int(np.floor(cost / float(STEP) + 0.5))], dtype=np.int64)
    drawn = noise.laplace(steps, noise_scale(public, guarantee))
    factor = public.policy.constants["figure_factor"]
    return factor * max(1, int(drawn[0])) * float(STEP)


def noise_scale(public: PublicGrid, guarantee: Guarantee) -> Fraction:
    """Return (lambda alpha_v / step + 1) / eps_c, in steps; the 1 covers rounding."""
    surcharge = Fraction(str(public.policy.constants["surcharge"]))
    return (surcharge * guarantee.value.alpha / STEP + 1) / guarantee.figure.epsilon


def width(public: PublicGrid, moved: Floats, guarantee: Guarantee, beta: float) -> float:
    """Return the half-width in $/h that the noise stays within 19 times in 20: scale ln 20.

    Refuse here, before anything is spent, what the figure does not serve: kinds of curves, and
    noise wider than beta allows. How large the figure is is judged by public numbers alone: the
    unplaced cost curves and the load, on units of equal capacity with a quarter to spare.
    """
    factor = public.policy.constants["figure_factor"]
    noise = factor * float(noise_scale(public, guarantee) * STEP) * float(np.log(20.0))
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
    """Return the moved cost curves; which kinds there are is public."""
    costs = Costs.from_matrix(public.moved_columns(moved).costs)
    terms = cost_terms(costs, 1.0)
    if terms.polynomial.shape[1] > QUADRATIC + 1 or np.any(terms.polynomial[:, QUADRATIC] < 0):
        raise UsageError(
            "--cost-epsilon: serves convex quadratic and piecewise linear costs only; "
            "declare a figure by --cost-figure"
        )
    return terms


def _load(public: PublicGrid) -> float:
    """Return the load that the elements serve."""
    load = float(np.sum(public.buses.pd[public.live]) - np.sum(np.maximum(0, public.fixed.pmin)))
    if load <= 0:
        raise UsageError("--cost-epsilon: needs a positive load; declare a figure instead")
    return load


def merit_order_cost(public: PublicGrid, v: Floats, moved: Floats) -> float:
    """Return C(v), by maximising the dual over the price."""
    terms, load = _curves(public, moved), _load(public)
    surcharge = public.policy.constants["surcharge"]

    def dual(price: float) -> float:
        return price * load - _profit(price, load, v, terms, surcharge)

    top = surcharge + _steepest(terms, load)
    found = minimize_scalar(
        lambda price: -dual(price), bounds=(-top, top), method="bounded", options={"xatol": 1e-10}
    )
    return dual(float(found.x))


def _steepest(terms: CostTerms, load: float) -> float:
    """Return a price that no marginal cost within the load exceeds."""
    slope = np.abs(terms.polynomial[:, 1]) + 2 * terms.polynomial[:, QUADRATIC] * load
    lines = np.abs(terms.slopes).max(axis=1, initial=0.0)
    return float(np.max(slope + lines)) + 1.0


def _profit(price: float, load: float, v: Floats, terms: CostTerms, surcharge: float) -> float:
    """Sum the best of each unit's candidates: ends, kinks, and where a marginal cost is met."""
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
    return float(np.sum(gain.max(axis=1)))
