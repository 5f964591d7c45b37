# SPDX-License-Identifier: MIT
"""Names for the kinds of array that pocin handles."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]
Whole: TypeAlias = NDArray[np.signedinteger[Any]]
"""Whole numbers of any width, in compiled loops."""
