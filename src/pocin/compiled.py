# SPDX-License-Identifier: MIT
"""Loops that numba compiles. Import it where it is used: it takes a third of a second.

The machine code is kept beside the source, else in the user's cache folder; where neither can be
written, every process compiles anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from numba import njit

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., Any]")


def compiled(function: F) -> F:
    """Compile a function at its first call."""
    try:
        return cast("F", njit(cache=True, nogil=True)(function))
    except RuntimeError:  # there is no folder to keep the machine code in
        return cast("F", njit(nogil=True)(function))
