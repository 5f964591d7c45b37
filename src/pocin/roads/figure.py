# SPDX-License-Identifier: MIT
r"""The private cost figure: the mean trip time on clipped counts, by the Laplace mechanism.

    F(t) = mean over pairs of  min over paths of  sum_e d_e + gamma min(t_e, cap)

A shortest path uses a link at most once, so a vehicle more on one link raises F by 0 to gamma.
Hence a value change of m vehicles moves F by at most gamma m; and a swap, which raises one link by
delta <= cap and lowers another by as much, moves it by at most gamma delta: up by the one, down by
the other.

Noise is added to k = floor(F / step + 1/2). One vehicle moves F / step by at most L = gamma / step
and k by at most ceil(L) + 1, where the 1 covers the floor and the errors of floats, which stay
under half a step; a swap moves k by at most ceil(L cap) + 1 <= cap (ceil(L) + 1). So Laplace noise
of scale cap (ceil(L) + 1) / eps_c costs eps_c (swaps + (sum of |value change|) / cap).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import UsageError
from pocin.roads.public import VEHICLE
from pocin.roads.shortest import Directed

if TYPE_CHECKING:
    from pocin.arrays import Floats
    from pocin.policy import Policy
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret
    from pocin.roads.public import PublicRoads

_HAIR = 1e-9
PARTS = 1000
"""Steps in the time that one vehicle adds: what rounding costs is a thousandth."""


def reach(policy: Policy) -> Fraction:
    """Return the value change, in vehicles, that costs what a swap costs: the cap."""
    return Fraction(math.ceil(policy.constants["cap"]))


def private_figure(
    public: PublicRoads, secret: Secret, guarantee: Guarantee, noise: NoiseSource
) -> float:
    """Draw the figure."""
    if public.times is not None:
        raise UsageError("--cost-epsilon: serves the total reading only; leave out --reading")
    volume = np.empty(len(secret))
    volume[secret.sites] = np.minimum(VEHICLE.real(secret.values), float(reach(public.policy)))
    size = step(public)
    mean = mean_time(public, public.links.d + public.gamma * volume)
    steps = np.array([math.floor(mean / float(size) + 0.5)], dtype=np.int64)
    drawn = noise.laplace(steps, noise_scale(public, guarantee))
    return float(max(1, int(drawn[0])) * size)


def noise_scale(public: PublicRoads, guarantee: Guarantee) -> Fraction:
    """Return cap (ceil(gamma / step) + 1) / eps_c, in steps."""
    one_vehicle = math.ceil(Fraction(public.gamma) / step(public)) + 1
    return reach(public.policy) * one_vehicle / guarantee.figure.epsilon


def step(public: PublicRoads) -> Fraction:
    """Return a step of at least twice what floats can be off, by public numbers alone.

    A path has at most n links, whose sum is off by n + 4 parts in 2^53 of itself at most with the
    link times' own and the mean's last digits; two of these are under half a step.
    """
    n = len(public.nodes)
    longest = float(np.sum(public.links.d)) + n * public.gamma * float(reach(public.policy))
    return max(Fraction(public.gamma) / PARTS, Fraction(4 * (n + 8) * 2.0**-53 * longest))


def mean_time(public: PublicRoads, w: Floats) -> float:
    """Return the mean trip time under link times w, summed exactly."""
    times = _times(public, w)
    return math.fsum(times) / len(times)


def _times(public: PublicRoads, w: Floats) -> Floats:
    """Return the time of every trip under link times w."""
    cut = Directed.cut(public.tail, public.head, public.nodes.no_through)
    return cut.times(w, public.origins, public.destinations)


def check_figure(public: PublicRoads, figure: float, beta: float) -> None:
    """Refuse figures that no traffic can meet: trips take at least as long as on empty roads."""
    empty, most = _times(public, public.links.d), (1 + beta) * (1 + _HAIR)
    if public.times is None:
        least = float(np.mean(empty))
        if least > most * figure:
            raise UsageError(
                f"--cost-figure: the mean trip takes {least:.4g} without any traffic, over beta "
                f"more than this figure; check its unit (the network's is {public.units.time})"
            )
    elif np.any(empty > most * public.times):
        count = int(np.sum(empty > most * public.times))
        raise UsageError(
            f"--trip-times: {count} of {len(empty)} trips take over beta more than that without "
            f"any traffic; check the unit (the network's is {public.units.time})"
        )


def width(public: PublicRoads, guarantee: Guarantee, beta: float) -> float:
    """Return the half-width that the noise stays within 19 times in 20: scale ln 20.

    Refuse noise that is wider than beta allows; how large the figure is at least is public: the
    mean trip time without traffic.
    """
    noise = float(noise_scale(public, guarantee) * step(public)) * math.log(20.0)
    least = mean_time(public, public.links.d)
    if noise > beta * least:
        more = f"raise it {noise / (beta * least):.2g} times, " if least > 0 else ""
        raise UsageError(
            f"--cost-epsilon: its noise (within {noise:.3g} 19 times in 20) is wider than beta "
            f"allows (about {beta * least:.3g}): {more}lower the policy's cap, raise --beta, or "
            "declare a figure by --cost-figure"
        )
    return noise
