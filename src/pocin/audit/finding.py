# SPDX-License-Identifier: MIT
"""What a check of the audit says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Figure: TypeAlias = "float | int | str | list[str] | dict[str, float] | None"


@dataclass(frozen=True)
class Finding:
    """One check: ``passed`` is None where it only reports, or where it was skipped."""

    gate: str
    passed: bool | None
    sentence: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
