# SPDX-License-Identifier: MIT
"""Release power grids and road networks privately and faithfully.

network = pocin.read("ieee118")
made = pocin.release(network, beta=0.01)
pocin.write(made, "released.m")
pocin.solve(pocin.read("released.m"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pocin.errors import (
    AuditError,
    BudgetError,
    InputError,
    NotFaithfulError,
    PocinError,
    UsageError,
)
from pocin.version import VERSION

if TYPE_CHECKING:
    from pocin.api import read, release, solve, write
    from pocin.flow import Release
    from pocin.kinds import Network, Solved

__version__ = VERSION

__all__ = [
    "AuditError",
    "BudgetError",
    "InputError",
    "Network",
    "NotFaithfulError",
    "PocinError",
    "Release",
    "Solved",
    "UsageError",
    "__version__",
    "read",
    "release",
    "solve",
    "write",
]

_LAZY = {
    "Network": "pocin.kinds",
    "Release": "pocin.flow",
    "Solved": "pocin.kinds",
    "read": "pocin.api",
    "release": "pocin.api",
    "solve": "pocin.api",
    "write": "pocin.api",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for at its first use, so that ``pocin --help`` stays quick."""
    if name not in _LAZY:
        raise AttributeError(f"module 'pocin' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
