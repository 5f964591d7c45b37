# SPDX-License-Identifier: MIT
"""Write the table of traps into docs/guarantee.md, between its markers."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from between import put

ROOT = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT))


def main() -> None:
    """Run every faulty variant and write what came of it."""
    catalogue = import_module("tests.audit.catalogue")
    found = [(trap, trap.run()) for trap in (catalogue.SOUND, *catalogue.TRAPS)]
    put("\n".join(rows(found)), "guarantee.md", "traps")


def rows(found: list[tuple[Any, Any]]) -> list[str]:
    """Return the table's lines."""
    lines = [
        "| trap | worst swap or change | most of the claim at any distance | caught by | |",
        "|---|---|---|---|---|",
    ]
    for trap, came in found:
        check = trap.check if came.caught or not trap.faulty else "**nothing**"
        lines.append(
            f"| {trap.name} | {shown(came.epsilon)} | {shown(came.share)} | {check} | {came.note} |"
        )
    return lines


def shown(value: float | None) -> str:
    """Print a loss."""
    if value is None:
        return ""
    return "unbounded" if value == float("inf") else f"{value:.3f}"


if __name__ == "__main__":
    main()
