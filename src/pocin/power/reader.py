# SPDX-License-Identifier: MIT
"""The reader's view: what their AC-OPF says of the released grid, beside what it says of the real.

The cost is what a release promises; a reader looks at dispatch, line loading, prices and losses as
well. This compares with the truth, so it is the curator's, made after the release was certified,
and nothing between the draws and the written file may import it.

Units moved, so that their outputs are compared as distributions; buses and lines are public and
stand where they stood, so that prices and loadings are compared one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.power.certificate import solved
from pocin.power.opf import Optimum
from pocin.power.wires import Wires

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints
    from pocin.power.grid import Branches, Grid

FULL = 0.99
"""A line loaded to this share of its rating counts as full."""

QUANTILES = (0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class Seen:
    """One optimum in a reader's terms: MW, $/MWh, shares of ratings."""

    cost: float
    output: Floats
    capacity: Floats
    load: float
    losses: float
    loading: Floats
    price: Floats


def reader_view(original: Grid, released: Grid, solve: object = None) -> dict[str, Any]:
    """Compare the released grid's optimum with the real one's; say why where it cannot be.

    ``solve`` is the certificate's, so that the released grid need not be solved again.
    """
    views = []
    for name, grid, known in (("original", original, None), ("released", released, solve)):
        ordered = in_order(grid)
        found = known if isinstance(known, Optimum) else solved(ordered, None)[0]
        if not found.solved:
            return {"missing": f"the AC-OPF of the {name} grid ended with {found.status}"}
        views.append(seen(ordered, found))
    real, shown = views
    return {
        "cost": _two(real.cost, shown.cost),
        "dispatch": _dispatch(real, shown),
        "loading": _loading(real, shown),
        "prices": _prices(real, shown),
        "losses": _two(real.losses, shown.losses)
        | {"share_of_load": [real.losses / real.load, shown.losses / shown.load]},
    }


def in_order(grid: Grid) -> Grid:
    """Sort buses by id and lines by what is public of them, as a release does."""
    return replace(
        grid,
        buses=grid.buses.take(np.argsort(grid.buses.id, kind="stable")),
        branches=grid.branches.take(_line_order(grid.branches)),
    )


def _line_order(lines: Branches) -> Ints:
    """Order lines by their ends and numbers; alike lines between two buses carry like flows."""
    names = ("from_bus", "to_bus", "r", "x", "b", "rate_a", "tap", "shift", "angmin", "angmax")
    return np.lexsort([getattr(lines, name) for name in names][::-1])


def seen(grid: Grid, found: Optimum) -> Seen:
    """Read an optimum."""
    wires, base, n = Wires.of(grid), grid.base_mva, int(np.sum(grid.live_buses))
    near, far = _flows(wires, found.x[:n], found.x[n : 2 * n])
    rated = wires.rate > 0
    apparent = np.maximum(np.abs(near), np.abs(far))[rated]
    units = grid.units.take(grid.live_units)
    return Seen(
        cost=found.cost,
        output=found.p * base,
        capacity=units.pmax,
        load=float(wires.pd.sum()) * base,
        losses=float(np.real(near + far).sum()) * base,
        loading=apparent / wires.rate[rated],
        price=-found.row_multipliers[:n] / base,
    )


def _flows(w: Wires, theta: Floats, v: Floats) -> tuple[Any, Any]:
    """Complex power into every branch at its from end and at its to end, per unit."""
    voltage = v * np.exp(1j * theta)
    near, far = voltage[w.start] / (w.tap * np.exp(1j * w.shift)), voltage[w.end]
    series = 1 / (w.r + 1j * w.x)
    shunt = series + 0.5j * w.b
    into = near * np.conj(shunt * near - series * far)
    back = far * np.conj(shunt * far - series * near)
    return into, back


def _dispatch(real: Seen, shown: Seen) -> dict[str, Any]:
    """Compare outputs as distributions: the mean distance between them once both are sorted."""
    apart = np.abs(np.sort(real.output) - np.sort(shown.output))
    return {
        "mw": _two(float(real.output.sum()), float(shown.output.sum())),
        "quantiles_mw": [_quantiles(real.output), _quantiles(shown.output)],
        "used_share": [_used(real), _used(shown)],
        "sorted_apart_share": float(apart.sum() / np.abs(real.output).sum()),
    }


def _loading(real: Seen, shown: Seen) -> dict[str, Any]:
    """Compare the loadings of lines that have a rating."""
    if not len(real.loading):
        return {}
    full = real.loading >= FULL, shown.loading >= FULL
    return {
        "mean": _two(float(real.loading.mean()), float(shown.loading.mean())),
        "quantiles": [_quantiles(real.loading), _quantiles(shown.loading)],
        "full": [int(full[0].sum()), int(full[1].sum())],
        "full_in_both": int((full[0] & full[1]).sum()),
        "correlation": _correlation(real.loading, shown.loading),
        "mean_apart": float(np.abs(real.loading - shown.loading).mean()),
    }


def _prices(real: Seen, shown: Seen) -> dict[str, Any]:
    """Compare the prices of the buses."""
    return {
        "mean": _two(float(real.price.mean()), float(shown.price.mean())),
        "spread": [float(real.price.std()), float(shown.price.std())],
        "quantiles": [_quantiles(real.price), _quantiles(shown.price)],
        "correlation": _correlation(real.price, shown.price),
        "mean_apart": float(np.abs(real.price - shown.price).mean()),
    }


def _two(original: float, released: float) -> dict[str, float]:
    """Put two numbers beside each other."""
    return {"original": original, "released": released}


def _quantiles(values: Floats) -> list[float]:
    """Return the quantiles of some values."""
    return [float(value) for value in np.quantile(values, QUANTILES)]


def _used(view: Seen) -> float:
    """Return how much of the capacity is used."""
    return float(view.output.sum() / view.capacity.sum())


def _correlation(a: Floats, b: Floats) -> float | None:
    """Return Pearson's correlation; None where one of them does not vary."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.corrcoef(a, b)[0, 1])
