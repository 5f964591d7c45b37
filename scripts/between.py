# SPDX-License-Identifier: MIT
"""Where the scripts put their tables: between two markers of a page of docs/."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def put(table: str, page: str, name: str) -> None:
    """Write a table between the page's markers of this name, and print it."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, _, rest = (DOCS / page).read_text("utf-8").partition(begin)
    after = rest.partition(end)[2]
    (DOCS / page).write_text(f"{before}{begin}\n{table}\n{end}{after}", "utf-8")
    print(table)
