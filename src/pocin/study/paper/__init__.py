# SPDX-License-Identifier: MIT
"""The paper's study: its tables and figures, and those that it should have had."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pocin.study.grid import Study

NAME = "paper"
FILE = Path(__file__).with_name("paper.toml")
SHARED = Path("../shared/data")
"""Where the paper's networks are looked for; they do not come with pocin."""


def data(study: str) -> Path | None:
    """Return where the networks of the paper are, if they are there."""
    return SHARED if study == NAME and SHARED.is_dir() else None


def beside(output: Path) -> Path:
    """Return the folder of the releases; tables and figures stand beside it."""
    return output / "results"


def write(output: Path, study: Study) -> tuple[Path, ...]:
    """Write every table and figure that the results allow, and the page about them."""
    from pocin.study.paper.page import page

    return page(output, beside(output), study)
