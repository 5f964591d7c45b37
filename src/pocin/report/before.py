# SPDX-License-Identifier: MIT
"""Sections that set a release beside the real network: the curator's alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.report import charts
from pocin.report.charts import Pair
from pocin.report.html import NONE, Html, join, number, percent, table, tag
from pocin.report.sections import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pocin.report.curator import Record
    from pocin.report.released import Released

_TOLD = frozenset({"dispatch", "loading", "prices", "trips"})
QUANTILES = ("25 %", "50 % (median)", "75 %", "95 %")


def before_after(record: Record) -> Section:
    """Show what readers compute on the original and on the release."""
    view = record.stated.get("reader_view", {})
    drawn = [*_views(view), *_others(view)]
    missing = view.get("missing", "this record holds none")
    shown = tag("div", *drawn, class_="pair")
    told = tag("p", "Each chart reads: so many per cent of the values are below the mark.")
    body = join([told, shown]) if drawn else tag("p", f"No comparison: {missing}.")
    return Section("before", "Before and after", body, secret=True)


def _views(view: Mapping[str, Any]) -> Iterator[Html]:
    """Yield the charts of what a record compares."""
    if "dispatch" in view:
        seen = view["dispatch"]
        pairs = _quantiles(seen["quantiles_mw"])
        said = (
            f"Units produce {_both(seen['mw'], ' MW')}; once sorted, outputs are "
            f"{percent(seen['sorted_apart_share'])} apart."
        )
        yield charts.before_after("Dispatch: output of units", said, pairs, "MW")
    if view.get("loading"):
        seen = view["loading"]
        pairs = _quantiles(seen["quantiles"], 100)
        said = (
            f"{seen['full'][0]} lines are full on the original, {seen['full'][1]} on the release, "
            f"{seen['full_in_both']} on both; correlation {number(seen['correlation'], 2)}."
        )
        yield charts.before_after("Loading of lines", said, pairs, "% of rating")
    if "prices" in view:
        seen = view["prices"]
        said = (
            f"Mean {_both(seen['mean'])}; bus by bus {number(seen['mean_apart'], 3)} apart on "
            f"average, correlation {number(seen['correlation'], 2)}."
        )
        yield charts.before_after(
            "Prices at the buses", said, _quantiles(seen["quantiles"]), "$/MWh"
        )
    if "trips" in view:
        seen = view["trips"]
        said = (
            f"{seen['pairs']:,} trips take {_both(view['cost'])} on average; trip by trip "
            f"{number(seen['mean_apart'], 3)} apart, correlation {number(seen['correlation'], 3)}."
        )
        yield charts.before_after("Travel times", said, _quantiles(seen["quantiles"]), seen["unit"])


def _off(released: Released, record: Record) -> charts.Off:
    """Say how far the released optimum is off."""
    found = record.stated["fidelity"]
    return charts.Off(released.name, found["gap"], found["beta"])


def optima(releases: Sequence[Released], records: Sequence[Record | None]) -> Html:
    """Show the optima of several releases in their bands."""
    both = zip(releases, records, strict=True)
    rows = [_off(released, record) for released, record in both if record is not None]
    said = "Where readers' optima lie in the bands around the cost figures."
    return charts.bands("Cost", said, rows) if rows else Html()


def _others(view: Mapping[str, Any]) -> Iterator[Html]:
    """Yield the charts of what other kinds of networks compare by quantiles."""
    for name, seen in view.items():
        if name not in _TOLD and isinstance(seen, dict) and "quantiles" in seen:
            said = f"{name.capitalize()}, before and after."
            unit = str(seen.get("unit", ""))
            yield charts.before_after(name.capitalize(), said, _quantiles(seen["quantiles"]), unit)


def _both(found: Mapping[str, float], unit: str = "") -> str:
    """Say a number before and after."""
    before, after = (f"{number(found[name])}{unit}" for name in ("original", "released"))
    return f"{before} before and {after} after"


def _quantiles(both: list[list[float]], scale: float = 1.0) -> list[Pair]:
    """Pair the quantiles before and after."""
    return [Pair(name, scale * a, scale * b) for name, a, b in zip(QUANTILES, *both, strict=True)]


def cost_and_distance(released: Released, record: Record) -> Section:
    """Show the optimum in its band, and how far values are from the drawn ones and the true."""
    cost, found, values = (record.stated[name] for name in ("cost", "fidelity", "values"))
    said = (
        f"The released optimum {number(cost['own_optimum'])} is "
        f"{percent(found['gap'], signed=True)} off the cost figure {number(cost['figure'])}; "
        f"{percent(found['beta'])} is allowed."
    )
    drawn = charts.bands("Cost", said, [_off(released, record)])
    unit = released.drawing.unit
    rows = [
        ["noise: from the true to the drawn values", number(values["noise"])],
        ["restoring: from the drawn to the released values", number(found["distance"])],
        ["at least, by the bound", number(found["bound"])],
        ["error: from the true to the released values", number(values["error"])],
        ["error over noise", number(values["error_to_noise"], 3)],
    ]
    shown = table([f"Euclidean distance ({unit}), element by element", "value"], rows, "Distances")
    way = tag("p", f"Phase 3 ended as {found['bilevel']}.")
    return Section("cost", "Cost and distance", join([drawn, way, shown]), secret=True)


def truth(released: Released, record: Record) -> Section:
    """Set the released value at every site against the true one there."""
    real, shown = record.really_here, record.released
    unit = released.drawing.unit
    alike = np.corrcoef(real, shown)[0, 1] if np.ptp(real) and np.ptp(shown) else float("nan")
    said = (
        f"What the release shows at a site against what really stands there: correlation "
        f"{number(float(alike), 2)}. On the dashed line the release would tell the truth."
    )
    words = (f"really there ({unit})", f"released ({unit})")
    drawn = charts.scatter("Truth and release, site by site", said, real, shown, words)
    return Section("truth", "Truth and release", drawn, secret=True)


def making(record: Record) -> Section:
    """Say how it was made, and what of it is recorded where."""
    stated = record.stated
    seconds = ", ".join(f"{name} {number(value, 3)} s" for name, value in stated["seconds"].items())
    seed = stated.get("seed")
    rows = [
        ["source", str(stated.get("source"))],
        ["network id in the ledger", str(stated.get("network_id"))],
        ["ledger entry", str(stated.get("ledger_entry") or "none: nothing was spent")],
        ["seed", "none: the operating system's randomness" if seed is None else str(seed)],
        [
            "attempts of phase 3",
            "; ".join(map(str, stated.get("diagnostics", {}).get("attempts", ()))) or NONE,
        ],
        ["time", seconds],
        ["files", ", ".join(stated.get("files", ()))],
    ]
    return Section(
        "making", "How it was made", table(["", "value"], rows, "The record"), secret=True
    )


def compared(records: Sequence[Record | None]) -> list[list[str]]:
    """Return what the curator's table of several releases has more."""
    rows: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "readers' optimum off by": lambda r: percent(r["fidelity"]["gap"], signed=True),
        "mean hops moved": lambda r: number(r["moves"]["mean_hops"], 3),
        "noise": lambda r: number(r["values"]["noise"]),
        "restoring distance": lambda r: number(r["fidelity"]["distance"]),
        "error": lambda r: number(r["values"]["error"]),
    }
    return [
        [name, *(NONE if record is None else say(record.stated) for record in records)]
        for name, say in rows.items()
    ]
