# SPDX-License-Identifier: MIT
"""Whether two tables hold the same."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from fuzz.judge import Fault

if TYPE_CHECKING:
    from pocin.arrays import Columns


def same(what: str, left: Columns, right: Columns, *, but: tuple[str, ...] = ()) -> None:
    """Hold two tables to be equal to the last digit, NaN to NaN, ``but`` some columns."""
    for column in fields(left):  # type: ignore[arg-type]
        a, b = getattr(left, column.name), getattr(right, column.name)
        if column.name in but:
            continue
        if a.dtype == b.dtype and a.tobytes() == b.tobytes():  # the quick way
            continue
        if a.dtype != b.dtype or not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            raise Fault(f"{what}.{column.name} is another when written and read again")


def hold(*, true: bool, what: str) -> None:
    """Raise a fault unless something holds."""
    if not true:
        raise Fault(what)
