# SPDX-License-Identifier: MIT
"""The one place where randomness comes from.

A release draws from the operating system: integer Laplace by OpenDP, bits by ``secrets``.
Research draws from a seed, repeats exactly, and is not private: whoever knows the seed can undo it.
"""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.arrays import Ints, Words


class NoiseSource(Protocol):
    """Where the draws get their randomness."""

    private: ClassVar[bool]

    def bits(self, count: int) -> int:
        """Return an integer of ``count`` independent uniform bits."""

    def words(self, count: int) -> Words:
        """Return ``count`` words of 64 independent uniform bits."""

    def laplace(self, values: Ints, scale: Fraction) -> Ints:
        """Return each value plus discrete Laplace noise: Pr[k] proportional to exp(-|k|/scale)."""


def below(noise: NoiseSource, limit: int) -> int:
    """Return a uniform integer in [0, limit), exactly: reject what falls beyond."""
    width = max(1, (limit - 1).bit_length())
    while (value := noise.bits(width)) >= limit:
        pass
    return value


@dataclass(frozen=True)
class SystemNoise:
    """The operating system's randomness, by OpenDP for the Laplace law."""

    private: ClassVar[bool] = True

    def bits(self, count: int) -> int:
        """Return bits of the system's generator."""
        return secrets.randbits(count)

    def words(self, count: int) -> Words:
        """Return words of the system's generator."""
        return np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64)

    def laplace(self, values: Ints, scale: Fraction) -> Ints:
        """Return the values plus OpenDP's integer Laplace noise, all in one call."""
        noisy = _opendp_laplace(_not_below(scale))(values.tolist())
        return np.array(noisy, dtype=np.int64)


@lru_cache(maxsize=8)
def _opendp_laplace(scale: float) -> Any:
    """Build OpenDP's measurement over vectors of 64-bit integers."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.l1_distance(T=dp.i64)
    return dp.m.make_laplace(*space, scale=scale)


def _not_below(scale: Fraction) -> float:
    """Return the least float that is not under the exact scale: never less noise than claimed."""
    nearest = float(scale)
    return nearest if scale <= nearest else math.nextafter(nearest, math.inf)


@dataclass(frozen=True)
class SeededNoise:
    """A repeatable source for research; never for a release."""

    seed: int
    private: ClassVar[bool] = False

    @cached_property
    def generator(self) -> np.random.Generator:
        """The one stream of all that is drawn."""
        return np.random.Generator(np.random.PCG64(self.seed))

    def bits(self, count: int) -> int:
        """Return the generator's next whole bytes, cut to ``count`` bits."""
        whole = int.from_bytes(self.generator.bytes((count + 7) // 8), "little")
        return whole >> (-count % 8)

    def words(self, count: int) -> Words:
        """Return the generator's next words, the same on every machine."""
        return np.frombuffer(self.generator.bytes(8 * count), dtype="<u8").astype(np.uint64)

    def laplace(self, values: Ints, scale: Fraction) -> Ints:
        """Return the values plus the difference of two geometric variables, the same law."""
        rate = -math.expm1(-1.0 / float(scale))
        up, down = self.generator.geometric(rate, size=(2, len(values)))
        noisy: Ints = values + up - down
        return noisy
