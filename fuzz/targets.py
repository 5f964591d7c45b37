# SPDX-License-Identifier: MIT
"""All targets by name, and their corpora."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.judge import Target

NAMES = {
    "matpower": "power",
    "raw": "power",
    "powermodels": "power",
    "pandapower": "power",
    "gmns": "roads",
    "tntp": "roads",
    "graphml": "roads",
    "policy": "policies",
    "water": "water",
    "commands": "commands",
}
"""The module that has each target."""

CORPUS = Path(__file__).with_name("corpus")


def target(name: str) -> Target:
    """Return a target; only its own module is imported."""
    module = import_module(f"fuzz.{NAMES[name]}")
    found: Target = next(found for found in module.TARGETS if found.name == name)
    return found


def corpus(name: str) -> dict[str, bytes]:
    """Return the valid inputs of a target by their names."""
    return {path.stem: path.read_bytes() for path in sorted((CORPUS / name).iterdir())}
