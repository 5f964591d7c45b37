# SPDX-License-Identifier: MIT
"""Names for the kinds of array that pocin handles, and tables of them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]
Whole: TypeAlias = NDArray[np.signedinteger[Any]]
"""Whole numbers of any width, in compiled loops."""


class Columns:
    """A table whose fields are equally long read-only arrays."""

    def __post_init__(self) -> None:
        """Freeze every column."""
        for column in fields(self):  # type: ignore[arg-type]
            value = np.array(getattr(self, column.name))
            value.setflags(write=False)
            object.__setattr__(self, column.name, value)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the rows at these positions, or where this mask holds."""
        picked = {c.name: getattr(self, c.name)[rows] for c in fields(self)}  # type: ignore[arg-type]
        return replace(self, **picked)  # type: ignore[type-var]
