# SPDX-License-Identifier: MIT
"""What the explorer's script is given: points in columns, settings in words, commands."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pocin.kinds import kinds
from pocin.privacy.settings import epsilon
from pocin.report.svg import PATTERNED
from pocin.study.command import command
from pocin.study.points import Mean, order
from pocin.style import ATTACKERS, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pocin.study.points import Point, Points

DIALS = {
    "case": "network",
    "policy": "policy",
    "mechanism": "mechanism",
    "epsilon": "epsilon",
    "epsilon_location": "epsilon of locations",
    "epsilon_value": "epsilon of values",
    "alpha_location": "alpha of locations",
    "alpha_value": "alpha of values",
    "beta": "beta",
    "reading": "reading",
    "model": "model",
    "cost_figure": "cost figure",
    "cost_epsilon": "epsilon of the cost figure",
    "pmin_ratio": "ratio of Pmin",
    "trip_times": "trip times",
    "gamma": "gamma",
    "fault": "fault",
}
"""Settings by the words for them; where both epsilons are the same everywhere, they are one."""

FIDELITY = {
    "gap_size": "optimum off the cost figure, mean size, %",
    "gap": "optimum off the cost figure, mean, %",
    "within": "releases within beta, %",
    "distance": "distance from the noisy values, mean",
    "error_to_noise": "error of released values / noise, mean",
}
PRIVACY = {
    "epsilon": "epsilon, of locations and of values",
    "epsilon_location": "epsilon of locations",
    "epsilon_value": "epsilon of values",
    "alpha_hops": "alpha of locations, hops",
    "alpha_amount": "alpha of values",
    "mean_hops": "hops that elements moved, mean",
}
MEASURES = FIDELITY | {name: PRIVACY[name] for name in ("alpha_hops", "mean_hops")}
"""What the chosen point tells of itself."""

NO_FIGURE = (
    "This network has no published cost figure that pocin knows of. The study computed it; a "
    "private release asks for --cost-figure VALUE or --cost-epsilon E too."
)
FILES = (
    "The command names networks and files as the study's file does: give their paths from where "
    "you run it."
)
COMPUTED = "What is computed from the real network is an exact disclosure beyond epsilon."
_ROUNDING = 1e-9
NOTES = (NO_FIGURE, FILES, COMPUTED)


@dataclass(frozen=True)
class Dial:
    """A setting that differs between points: its values in order, and each point's place there."""

    name: str
    label: str
    values: tuple[str, ...]
    at: tuple[int, ...]

    @classmethod
    def of(cls, name: str, told: Sequence[str]) -> Dial:
        """Return a setting from what it is at each point."""
        values = sorted(set(told), key=order)
        place = {value: k for k, value in enumerate(values)}
        return cls(name, DIALS[name], tuple(values), tuple(place[value] for value in told))


def dials(points: Sequence[Point]) -> list[Dial]:
    """Return the settings of points, in the order in which they are told."""
    return [Dial.of(name, told) for name, told in _words(points).items()]


def _words(points: Sequence[Point]) -> dict[str, list[str]]:
    """Return what every setting is at each point, in words."""
    found = {name: [_word(name, point) for point in points] for name in DIALS if name != "epsilon"}
    if found["epsilon_location"] == found["epsilon_value"]:
        found["epsilon"] = found.pop("epsilon_location")
        del found["epsilon_value"]
    return {name: found[name] for name in DIALS if name in found}


def _word(name: str, point: Point) -> str:
    """Return a setting of a point in words."""
    value = getattr(point.settings, name)
    if name == "policy":
        value = value or point.about["policy_used"]
    if value is None:
        return "none" if name == "fault" else "default"
    return f"{value:g}" if isinstance(value, float) else str(value)


def columns(found: Points, turned: Sequence[Dial], name: str) -> dict[str, Any]:
    """Return what the script needs, in columns."""
    points = found.points
    units = sorted({hit.unit for point in points for hit in point.hits.values()})
    by_kind = {kind.name: kind for kind in kinds()}
    value_units = {name: kind.default_alpha_value.lstrip("0.123456789") for name, kind in
                   by_kind.items()}  # fmt: skip
    own = [value_units.get(point.about["kind"], "") for point in points]
    known = sorted(set(own))
    reasons = sorted({point.reason for point in points if point.reason is not None})
    place = {reason: k for k, reason in enumerate(reasons)}
    figured = {str(case["name"]) for kind in by_kind.values() for case in kind.cases()}
    return {
        "title": name,
        "dials": [
            {"name": d.name, "label": d.label, "values": d.values, "at": d.at} for d in turned
        ],
        "budgets": found.budgets,
        "roles": [
            {"name": role, "label": ROLES[role].label, "pattern": role in PATTERNED}
            for role in ATTACKERS
        ],
        "measures": [{"name": key, "label": said} for key, said in MEASURES.items()],
        "means": _means(points),
        "hits": [
            {role: _column(_damage(point, budget, role) for point in points) for role in ATTACKERS}
            for budget in found.budgets
        ],
        "units": units or [""],
        "unit": [units.index(next(iter(p.hits.values())).unit) if p.hits else 0 for p in points],
        "value_units": known,
        "value_unit": [known.index(unit) for unit in own],
        **{name: [getattr(p, name) for p in points]
           for name in ("run", "runs", "faithful", "refused")},
        **{name: [p.about[name] for p in points] for name in ("covered", "elements")},
        "reasons": reasons,
        "reason": [None if p.reason is None else place[p.reason] for p in points],
        "notes": NOTES,
        "note": [_notes(point, figured) for point in points],
        **_commands(points, by_kind),
    }  # fmt: skip


def _means(points: Sequence[Point]) -> dict[str, Any]:
    """Return the columns of fidelity and privacy that are known anywhere, shares as percents."""
    same = all(p.settings.epsilon_location == p.settings.epsilon_value for p in points)
    epsilons = ["epsilon_value"] if same else ["epsilon_location", "epsilon_value"]
    found = {
        name: _column(
            (point.within if name == "within" else point.means.get(name) for point in points),
            100 if name in {"gap", "gap_size", "within"} else 1,
        )
        for name in (*FIDELITY, "mean_hops")
    }
    for name in epsilons:
        exact = [float(epsilon(getattr(point.settings, name))) for point in points]
        found["epsilon" if same else name] = _dial(points, exact)
    for name in ("alpha_hops", "alpha_amount"):
        found[name] = _dial(points, [point.about[name] for point in points])
    return {name: column for name, column in found.items() if any(column["n"])}


def _dial(points: Sequence[Point], values: Sequence[float | None]) -> dict[str, list[Any]]:
    """Return a column of what was set, which has no error; None where it is not known."""
    return _column(
        None if value is None else Mean(value, None, point.runs)
        for value, point in zip(values, points, strict=True)
    )


def _damage(point: Point, budget: str, role: str) -> Mean | None:
    """Return the damage of an attacker."""
    hit = point.hits.get((budget, role))
    return None if hit is None else hit.damage


def _column(means: Iterable[Mean | None], factor: float = 1) -> dict[str, list[Any]]:
    """Return means as columns, None where there is none."""
    told = list(means)
    return {
        "v": [None if m is None else _short(m.value * factor) for m in told],
        "se": [None if m is None or m.error is None else _short(_error(m) * factor) for m in told],
        "n": [0 if m is None else m.n for m in told],
    }


def _error(mean: Mean) -> float:
    """Return a standard error; what rounding alone makes of equal values is none."""
    error = mean.error or 0.0
    return 0.0 if error < _ROUNDING * abs(mean.value) else error


def _short(value: float) -> float:
    """Return a number with as many digits as a chart can show."""
    return float(f"{value:.5g}")


def _commands(points: Sequence[Point], by_kind: Mapping[str, Any]) -> dict[str, Any]:
    """Return the command line of every point, and what makes it a release of the study."""
    draw, repeat = [], []
    for point in points:
        kind = by_kind.get(point.about["kind"])
        output = "released" if kind is None or kind.folder else f"released{kind.suffix}"
        private, seeded = (command(point.settings, output, seed) for seed in (None, point.seed))
        draw.append(private and shlex.join(private))
        repeat.append(private and seeded and shlex.join(seeded[len(private) :]))
    return {"draw": draw, "repeat": repeat}


def _notes(point: Point, figured: set[str]) -> list[int]:
    """Return what is to be known before the command of a point is run."""
    s = point.settings
    built_in = s.case in figured
    brings = s.cost_figure is not None or s.cost_epsilon is not None or s.reading == "per-trip"
    files = not built_in or (s.policy or "").endswith(".toml")
    files = files or s.trip_times not in {None, "computed"}
    computed = "computed" in {s.cost_figure, s.trip_times, s.gamma}
    told = ((not brings and not (built_in and s.model != "dc"), NO_FIGURE), (files, FILES),
            (computed, COMPUTED))  # fmt: skip
    return [NOTES.index(note) for holds, note in told if holds]
