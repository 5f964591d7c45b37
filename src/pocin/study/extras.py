# SPDX-License-Identifier: MIT
"""What a study needs beside the core, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from pocin.errors import UsageError


def needs(extra: str, *packages: str) -> None:
    """Say which extra to install where one of its packages is missing."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise UsageError(
            f"pocin study: needs {' and '.join(missing)}; pip install 'pocin[{extra}]' brings it"
        )
