# SPDX-License-Identifier: MIT
"""A study's results as tables and figures ask for them: by grid, by setting."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pocin.study.store import read

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from pocin.study.grid import Study

_NUMBER = re.compile(r"\d+(\.\d+)?(e-?\d+)?")


@dataclass(frozen=True, eq=False)
class Results:
    """A folder of results, and the study that it is of."""

    folder: Path
    study: Study

    def of(self, grid: str, table: str = "releases") -> pl.DataFrame | None:
        """Return a grid's rows of a table; None where none are there yet."""
        import polars as pl

        tasks = self.study.grids.get(grid, frozenset())
        rows = _read(self.folder, table).filter(pl.col("task").is_in(sorted(tasks)))
        return rows if len(rows) else None

    def whole(self, table: str) -> pl.DataFrame | None:
        """Return all of the study's rows of a table; None where none are there."""
        import polars as pl

        tasks = sorted(frozenset[str]().union(*self.study.grids.values()))
        rows = _read(self.folder, table).filter(pl.col("task").is_in(tasks))
        return rows if len(rows) else None


@cache
def _read(folder: Path, table: str) -> pl.DataFrame:
    """Read a table once."""
    return read(folder, table)


def picked(rows: pl.DataFrame, **settings: Any) -> pl.DataFrame:
    """Return the rows with these settings."""
    import polars as pl

    for name, value in settings.items():
        column = pl.col(name)
        rows = rows.filter(column.is_null() if value is None else column == value)
    return rows


def values(rows: pl.DataFrame, column: str) -> list[Any]:
    """Return what a setting takes, in the order of its numbers."""

    def order(value: Any) -> tuple[float, str]:
        found = _NUMBER.search(str(value))
        return float(found[0]) if found else float("inf"), str(value)

    return sorted(rows[column].unique().to_list(), key=order)
