# SPDX-License-Identifier: MIT
"""What of a grid is left in a released file and should not be, whoever wrote that file."""

from __future__ import annotations

import re
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from pocin.errors import InputError
from pocin.policy import Treatment
from pocin.power.columns import AREA, BASE_KV, PMIN, Q_LIMITS, ZONE
from pocin.power.curves import open_ended
from pocin.power.exposure import at_sites
from pocin.power.files import source_text
from pocin.power.grid import PIECEWISE_LINEAR, REFERENCE
from pocin.power.matpower import BRANCH, BUS, GEN, GENCOST
from pocin.power.mfile import numbers, scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pocin.arrays import Floats, Mask
    from pocin.kinds import Document
    from pocin.policy import Policy
    from pocin.power.grid import Costs, Grid

FIELDS = ("version", "baseMVA", "bus", "gen", "gencost", "branch")
WIDTHS = {"bus": len(BUS), "gen": len(GEN), "branch": len(BRANCH)}
COMMON = {name.lower() for name in (*BUS, *GEN, *BRANCH, *GENCOST)} | set(
    re.findall(
        r"\w+",
        """a and area areas base branch branches bus buses case casefile column columns constraint
        cost costs data flow for format function gen gencost generation generator generators is
        limits line linear matpower mpc mva name names objective of opf piecewise point points
        polynomial power released script system test the this version voltage x0 y0 zone""",
    )
)
_COMMENT = re.compile(r"%+([^\n]*)")
_QUOTED = re.compile(r"'([^'\n]+)'|(?<!\w)\"([^\"\n]+)\"(?!\s*:)")
_FUNCTION = re.compile(r"^\s*function\s+\w+\s*=\s*(\w+)", re.MULTILINE)
_LETTERS = 4
_HALF = 0.5


def leaks(
    source: str, original: Grid, released: Grid, document: Document, policy: Policy
) -> tuple[str, ...]:
    """Return what is left, in sentences that echo nothing of the source."""
    text = "\n".join(data.decode("utf-8", "replace") for data in document.values())
    return (
        *_texts(source_text(source), text),
        *_extra(text),
        *_solution(original, released),
        *_marks(original, released),
        *_unreleased(original, released, policy),
        *_ends(original, released),
    )


def _texts(source: str, released: str) -> Iterator[str]:
    """Yield whether comments, names or the case's name went along."""
    plain = _plain(released)
    kinds = {
        "comments": [_plain(found) for found in _COMMENT.findall(source)],
        "names": [_plain(a or b) for a, b in _QUOTED.findall(source)],
    }
    for kind, found in kinds.items():
        kept = {entry for entry in found if _telling(entry) and entry in plain}
        if kept:
            yield f"{len(kept)} {kind} of the source stand in it"
    if set(_FUNCTION.findall(source)) & set(_FUNCTION.findall(released)) - {"released"}:
        yield "its case has the source's name"


def _plain(text: str) -> str:
    """Return words in lower case, one blank between them."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _telling(entry: str) -> bool:
    """Whether a comment or a name says more than what a column is."""
    words = [word for word in entry.split() if word not in COMMON and not word.isdigit()]
    return sum(len(word) for word in words) >= _LETTERS


def _extra(text: str) -> Iterator[str]:
    """Yield the fields and columns that a release does not have."""
    try:
        fields = scan(text, "the released file")
        tables = {
            name: numbers(fields[name], "the released file", ())
            for name in WIDTHS
            if name in fields
        }
    except InputError:
        return
    other = [name for name in fields if name not in FIELDS and fields[name].text.strip()]
    if other:
        yield f"it has the further fields {', '.join(other)}"
    for name, table in tables.items():
        if table[:, WIDTHS[name] :].any():
            yield f"its {name} table has further columns, such as a solver's or a ramp's"


def _solution(original: Grid, released: Grid) -> Iterator[str]:
    """Yield the columns of a solution or a set point that came along."""
    for name, blank in (("vm", 1.0), ("va", 0.0)):
        before, after = _by_bus(original, released, name)
        if _mostly(before == after, _tells(before, blank) & (after != blank)):
            yield f"bus.{name.capitalize()} is the original's"
    for name, blank in (("pg", 0.0), ("qg", 0.0), ("vg", 1.0), ("mbase", released.base_mva)):
        before = getattr(original.units, name)[original.live_units]
        after = getattr(released.units, name)
        known = np.isin(after, before[_tells(before, blank)])
        if _mostly(known, after != blank):
            yield f"gen.{name.capitalize()} holds the original's values"


def _by_bus(original: Grid, released: Grid, column: str) -> tuple[Floats, Floats]:
    """Return a bus column before and after, at the buses that both have."""
    _, old, new = np.intersect1d(original.buses.id, released.buses.id, return_indices=True)
    return getattr(original.buses, column)[old], getattr(released.buses, column)[new]


def _tells(values: Floats, blank: float) -> Mask:
    """Mask the entries that are not blank, in a column that is not constant."""
    varies = len(values) > 0 and np.ptp(values) > 0
    return np.asarray((values != blank) & varies)


def _mostly(same: Mask, where: Mask) -> bool:
    """Whether more than half of the entries in question are the same."""
    return bool(np.any(where)) and float(np.mean(same[where])) > _HALF


def _marks(original: Grid, released: Grid) -> Iterator[str]:
    """Yield what rows and bus types tell."""
    units = released.units
    before = original.units.bus[original.live_units]
    in_order = len(units) == len(before) and np.array_equal(units.bus, before)
    if in_order and np.any(np.diff(units.bus) < 0):
        yield "its units stand in the source's order, which no public id explains"
    if not released.live_units.all():
        yield "it has units out of service"
    old, new = (grid.buses.id[grid.buses.type == REFERENCE] for grid in (original, released))
    if np.array_equal(old, new) and np.any(new != before.min()):
        yield "the reference bus is the original's, which often marks the largest unit"


def _unreleased(original: Grid, released: Grid, policy: Policy) -> Iterator[str]:
    """Yield the columns that the policy takes away and that stand as they were."""
    gone = (Treatment.DERIVED, Treatment.DROPPED)
    for column, names in ((Q_LIMITS, ("qmax", "qmin")), (PMIN, ("pmin",))):
        if policy[column] in gone:
            pairs = [at_sites(original, released, name) for name in names]
            if any(np.ptp(a) > 0 and _mostly(a == b, ~np.isnan(b)) for a, b in pairs):
                yield f"{column} stands unchanged at most sites, though the policy derives it"
    for column, name in ((AREA, "area"), (ZONE, "zone"), (BASE_KV, "base_kv")):
        before, after = _by_bus(original, released, name)
        if policy[column] in gone and _mostly(before == after, _tells(before, np.nan)):
            yield f"{column} stands unchanged, though the policy drops it"


def _ends(original: Grid, released: Grid) -> Iterator[str]:
    """Yield whether cost curves end at the original's capacities."""
    live = original.live_units & (original.units.pmax > 0)
    costs = original.costs.take(live)
    ours = _last_points(open_ended(costs, fsum(original.buses.pd[original.live_buses])))
    real = np.setdiff1d(np.intersect1d(_last_points(costs), original.units.pmax[live]), ours)
    told = np.isin(_last_points(released.costs.take(released.live_units)), real)
    if told.any():
        yield f"{int(told.sum())} of its piecewise linear costs end at a unit's real capacity"


def _last_points(costs: Costs) -> Floats:
    """Return where piecewise linear costs end, MW."""
    curved = np.flatnonzero(costs.model == PIECEWISE_LINEAR)
    return costs.coefficients[curved, 2 * costs.n[curved] - 2]
