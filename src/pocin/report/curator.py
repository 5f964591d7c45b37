# SPDX-License-Identifier: MIT
"""What the curator alone has: the record of a release, the attack's damage, the audit.

Nothing that makes a public page may import this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import InputError
from pocin.kinds import record_of
from pocin.report.released import need, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from pocin.arrays import Floats, Ints
    from pocin.report.maps import Map
    from pocin.report.released import Released

_WHAT = "the curator's record of a release"
_NUMBERS = (
    "cost.own_optimum",
    "fidelity.gap",
    "fidelity.beta",
    "fidelity.distance",
    "moves.mean_hops",
    "moves.stayed",
    "values.noise",
    "values.error",
)


@dataclass(frozen=True, eq=False)
class Record:
    """A curator's record; ``site`` are public ids, rows are in the order of the sites."""

    stated: Mapping[str, Any] = field(repr=False)
    site: Ints = field(repr=False)
    came_from: Ints = field(repr=False)
    true: Floats = field(repr=False)
    noisy: Floats = field(repr=False)
    released: Floats = field(repr=False)

    @property
    def really_here(self) -> Floats:
        """The true value at every site: that of the element which really stands there."""
        here = np.empty_like(self.true)
        here[self.came_from] = self.true
        return here


def read_record(released: Released) -> Record | None:
    """Read the record beside a release; None where there is none."""
    path = record_of(released.source)
    if not path.exists():
        return None
    stated = read_json(path, _WHAT)
    where = f"{path}: is not {_WHAT}"
    need(stated, _NUMBERS, int | float, where)
    need(stated, ("fidelity.bilevel",), str, where)
    need(stated, ("seconds",), dict, where)
    try:
        moves, values = stated["moves"], stated["values"]
        names = ("site", "true_site_of_element_at_site")
        site, came_from = (np.asarray(moves[name], dtype=np.int64) for name in names)
        three = ("true", "noisy", "released")
        true, noisy, shown = (np.asarray(values[name], dtype=np.float64) for name in three)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{where}; make the release again") from None
    if len({len(column) for column in (site, came_from, true, noisy, shown)}) > 1:
        raise InputError(f"{path}: its lists are not of one length; make the release again")
    if stated.get("guarantee") != released.guarantee:
        raise InputError(
            f"{path}: is of another release than {released.name}; keep each beside its own"
        )
    return Record(stated, site, came_from, true, noisy, shown)


def overlay(record: Record, made: Map) -> dict[str, Any]:
    """Return what the curator's map knows beyond the release: moves, and real totals by mark."""
    at = _marks(record, made)
    origin = at[record.came_from]
    size = len(made.ids)
    staying = made.totals - np.bincount(at, record.released, size)
    real = np.bincount(at, record.really_here, size) + staying
    moves = zip(at.tolist(), origin.tolist(), record.true.tolist(), strict=True)
    return {"moves": [list(move) for move in moves], "real": np.round(real, 3).tolist()}


def _marks(record: Record, made: Map) -> Ints:
    """Return the mark of every site; a record of other draws is told by its values."""
    at = np.minimum(np.searchsorted(made.ids, record.site), len(made.ids) - 1)
    stated = _pairs(at, record.released)
    if np.any(made.ids[at] != record.site) or not np.isin(stated, _drawn(made)).all():
        raise InputError(
            "the curator's record is of another release: its values are not those of the file; "
            "keep each record beside its own"
        )
    return at


def _drawn(made: Map) -> NDArray[Any]:
    """Return where every released value stands."""
    return _pairs(made.mark_of, made.drawing.values)


def _pairs(mark: Ints, value: Floats) -> NDArray[Any]:
    """Return marks and values, to the thousandth, as one number each."""
    return mark + 1j * np.round(value * 1000)


@dataclass(frozen=True)
class Hit:
    """What one attacker does at one budget: damage, and the share of the informed one's catch."""

    role: str
    damage: float
    error: float | None
    share: float | None
    share_error: float | None
    by: str


@dataclass(frozen=True)
class Budget:
    """The attackers of one budget."""

    k: int
    label: str
    hits: tuple[Hit, ...]

    def of(self, role: str) -> Hit | None:
        """Return an attacker's damage."""
        return next((hit for hit in self.hits if hit.role == role), None)


@dataclass(frozen=True)
class Attacks:
    """What pocin attack found: what damage means, and what an informed attacker goes for."""

    network: str
    budgets: tuple[Budget, ...]
    meaning: str
    unit: str
    worth: str
    releases: int

    @property
    def largest(self) -> Budget:
        """The attackers at the largest budget."""
        return max(self.budgets, key=lambda budget: budget.k)


def read_attacks(path: Path, order: tuple[str, ...]) -> Attacks:
    """Read what ``pocin attack --json`` printed; attackers come in ``order``."""
    stated = read_json(path, "what pocin attack ... --json printed")
    try:
        budgets = tuple(_budget(given, order) for given in stated["budgets"])
    except (KeyError, TypeError, ValueError, AttributeError):
        budgets = ()
    if not budgets:
        raise InputError(f"{path}: has no budgets; give what pocin attack ... --json printed")
    words = ("network", "damage", "unit", "worth")
    network, meaning, unit, worth = (str(stated.get(name, "")) for name in words)
    return Attacks(network, budgets, meaning, unit, worth, int(stated.get("releases", 1)))


def _budget(given: Mapping[str, Any], order: tuple[str, ...]) -> Budget:
    """Read one budget."""
    found = given["rankings"]
    names = [name for name in order if name in found] + sorted(set(found) - set(order))
    hits = tuple(_hit(name, found[name]) for name in names)
    k, asked = int(given["k"]), str(given.get("budget", ""))
    label = f"{asked[:-1]} % ({k} hit)" if asked.endswith("%") else f"{k} hit"
    return Budget(k, label, hits)


def _hit(role: str, given: Mapping[str, Any]) -> Hit:
    """Read one attacker."""
    error, share, share_error = (_maybe(given.get(name)) for name in ("se", "share", "share_se"))
    return Hit(role, float(given["damage"]), error, share, share_error, str(given.get("by", "")))


def _maybe(value: Any) -> float | None:
    """Read a number that may be missing."""
    return None if value is None else float(value)


def read_audit(path: Path) -> Mapping[str, Any]:
    """Read what ``pocin audit --json`` printed."""
    stated = read_json(path, "what pocin audit ... --json printed")
    if not isinstance(stated.get("findings"), list):
        raise InputError(f"{path}: has no findings; give what pocin audit ... --json printed")
    return stated
