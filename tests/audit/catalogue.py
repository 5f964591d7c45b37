# SPDX-License-Identifier: MIT
"""Every trap with the check that catches it: for the tests, and for the table in the guarantee.

Exact losses are for a claimed 1, on the five units of IEEE 14 (condensers counted) at 2 hops, and
for values at 10 MW on the grid of 0.01 MW, unless a note says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.audit import faults

from pocin import api, flow
from pocin.audit.apart import residual
from pocin.audit.blindness import blindness
from pocin.audit.bounds import lower_bound, values_bound
from pocin.audit.enumerate import Laws, Table, as_named, by_site, exact_loss, laws
from pocin.audit.exact import enumeration
from pocin.audit.fit import locations_fit, values_fit
from pocin.audit.left import leaks, values_by_site
from pocin.audit.shuffles import Product
from pocin.errors import NotFaithfulError, UsageError
from pocin.plan import Request, plan
from pocin.power import split as splitting
from pocin.power.grid import REFERENCE
from pocin.power.public import MEGAWATT
from pocin.privacy.draws import seal
from pocin.privacy.guarantee import LocationGuarantee
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SystemNoise
from pocin.roads.assignment import recomputed, share_found

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.audit.finding import Finding
    from pocin.kinds import Finished

ONE, ALPHA, STEPS = Fraction(1), Fraction(2), 1000
NOISE = SystemNoise()
PATH = Hops(np.array([(0, 1), (1, 2), (2, 3)]), 4, np.arange(4))
STAR = Hops(np.array([(0, 1), (0, 2), (0, 3)]), 4, np.arange(4))
IMPOSSIBLE = 1.0  # a cost figure that no grid meets


@dataclass(frozen=True)
class Caught:
    """What a check says of a variant: whether it fails it, and the exact worst loss.

    ``share`` is the largest ratio, over all truths, of the loss to what their distance allows.
    """

    caught: bool
    epsilon: float
    note: str = ""
    share: float | None = None


@dataclass(frozen=True)
class Trap:
    """A trap: ``run`` puts the faulty variant into the check and tells what came of it."""

    name: str
    check: str
    run: Callable[[], Caught]
    faulty: bool = True


@cache
def units_of_14() -> Hops:
    """The five units of IEEE 14, the three condensers among them, on its fourteen buses."""
    grid = api.read("ieee14").content
    ends = np.column_stack([grid.branches.from_bus, grid.branches.to_bus])
    position = partial(np.searchsorted, grid.buses.id)
    return Hops(position(ends), len(grid.buses), position(grid.units.bus))


@cache
def five_units() -> Table:
    """Hops between the five units of IEEE 14."""
    return Table.of(units_of_14())


def claim(epsilon: Fraction = ONE, alpha: Fraction = ALPHA) -> LocationGuarantee:
    return LocationGuarantee(epsilon, alpha, len(five_units()), len(five_units()))


@cache
def sound() -> Laws:
    """The product's own law, without the output that nothing is released: placed once, all are."""
    found = laws(Product(ONE, ALPHA), five_units())
    return replace(found, probability=found.probability[:, :-1])


def worst(found: Laws) -> float:
    return exact_loss(found, float(ONE), float(ALPHA)).worst


def enumerated(fault: type[Product], note: str = "") -> Caught:
    """Put a location fault into the enumeration."""
    finding = enumeration(five_units(), claim(), fault(ONE, ALPHA))
    return _from(finding, note)


def _from(finding: Finding, note: str = "") -> Caught:
    found = finding.figures
    return Caught(finding.passed is False, found["worst_swap"], note, found["graded_share"])


def source_rows(fault: Product, table: Table, where: str = "") -> Caught:
    """Rows in source order keep the claim as long as that order does not follow the truth."""
    finding = enumeration(table, claim(), fault)
    named = worst(laws(fault, table, as_named))
    found = exact_loss(laws(fault, table, by_site), float(ONE), float(ALPHA))
    note = f"{where}{named:.3f} where the source's order tells nothing"
    return Caught(finding.passed is False, found.worst, note, found.graded)


def fitted(fault: type[faults.PlusSign | faults.PermuteAndFlip]) -> Caught:
    """Put a faulty sampler into the fit of phase 1."""
    exact = enumeration(five_units(), claim(), fault(ONE, ALPHA))
    finding = locations_fit(fault(ONE, ALPHA), five_units(), NOISE)
    share = exact.figures["graded_share"]
    return Caught(finding.passed is False, exact.figures["worst_swap"], "", share)


def underflow() -> Caught:
    """Sites 40 hops apart at alpha 1/2: exp(-40) is below 2^-53."""
    path = Table(40 * np.abs(np.subtract.outer(np.arange(4), np.arange(4))))
    alpha = Fraction(1, 2)
    finding = enumeration(path, claim(alpha=alpha), faults.FloatAcceptance(ONE, alpha))
    by_hops: Any = finding.figures["by_hops"]
    note = "four sites, 40 hops between neighbours, alpha 1/2"
    return Caught(finding.passed is False, by_hops["40"], note, finding.figures["graded_share"])


# ----------------------------------------------------------------------------------------- values


@dataclass(frozen=True)
class Values:
    """A phase 2 that calls a faulty function."""

    law: Callable[[Any, float], Any]
    epsilon: Fraction = ONE
    alpha: int = STEPS

    def draw(self, values: Any, noise: Any) -> Any:
        del noise
        return self.law(values, float(self.alpha / self.epsilon))


def integer_laplace(values: Any, scale: float) -> Any:
    return NOISE.laplace(values, Fraction(scale))


def resample(values: Any, scale: float) -> Any:
    """Draw again what is negative."""
    noisy = integer_laplace(values, scale)
    while (again := noisy < 0).any():
        noisy[again] = integer_laplace(values[again], scale)
    return noisy


def zeros_kept(values: Any, scale: float) -> Any:
    """Give no noise to units without capacity, though they are called secret."""
    return np.where(values == 0, 0, np.maximum(0, integer_laplace(values, scale)))


def as_floats(values: Any, scale: float) -> Any:
    """Laplace noise as floats."""
    return np.maximum(0, values + np.random.default_rng().laplace(0, scale, len(values)))


def resampled() -> Caught:
    low, high = (faults.laplace_law(value, Fraction(STEPS)) for value in (0, STEPS))
    epsilon = faults.value_loss(faults.resampled(low), faults.resampled(high), STEPS)
    return Caught(values_fit(Values(resample), NOISE).passed is False, epsilon)


def un_noised() -> Caught:
    findings = [
        values_fit(Values(zeros_kept), NOISE),
        values_bound(Values(zeros_kept), NOISE),
    ]
    proved = findings[1].figures["lower_bound"]
    note = f"20,000 draws prove at least {proved:.1f}"
    return Caught(all(finding.passed is False for finding in findings), np.inf, note)


def support_attack(draws: int = 200_000) -> tuple[int, int]:
    """Count floats near zero that are finer than 10 plus anything can be."""
    hits = [
        np.sum((np.abs(drawn) < 1) & (np.mod(drawn * 2.0**50, 1.0) != 0))
        for drawn in (faults.float_laplace(value, 10.0, draws, seed=1) for value in (0.0, 10.0))
    ]
    return int(hits[0]), int(hits[1])


def floats() -> Caught:
    proved = lower_bound(*support_attack(), 200_000)
    note = f"floats near 0 tell a value of 0 from one of 10: 200,000 draws prove {proved:.1f}"
    return Caught(values_fit(Values(as_floats), NOISE).passed is False, np.inf, note)


def widest_step(whole: Callable[[Any], Any]) -> int:
    """Return the most grid steps between values one step apart, each halfway between two."""
    halves = [float(f"{k / 100 + 0.005:.3f}") for k in range(-2000, 2000)]
    return int(np.max(np.diff(np.array(whole(halves)))))


def rounded() -> Caught:
    """Rounding half away from zero, and half to even as numpy does."""
    rules = (faults.half_away, faults.half_even)
    steps = [widest_step(lambda x, rule=rule: rule(np.array(x), 0.01)) for rule in rules]
    caught = widest_step(MEGAWATT.whole) == 1 and min(steps) > 1
    return Caught(caught, (STEPS + 1) / STEPS, "2.000 where alpha is one step")


# -------------------------------------------------------------------------------- draws and finish


def drawn_once(release: Callable[[Any, Request], Any]) -> bool:
    """Whether a release that cannot be faithful is drawn just once."""
    count, draw = [], flow.draw

    def counted(*arguments: Any) -> Any:
        count.append(1)
        return draw(*arguments)

    flow.draw = counted  # type: ignore[assignment]
    try:
        release(api.read("ieee14"), Request(seed=1, cost_figure=IMPOSSIBLE))
    except NotFaithfulError:
        pass
    finally:
        flow.draw = draw
    return len(count) == 1


def retrying(network: Any, request: Request) -> Any:
    """Draw again until the release is faithful, at most five times."""
    for _ in range(4):
        try:
            return flow.release(network, request)
        except NotFaithfulError:
            continue
    return flow.release(network, request)


def retried_feasible() -> Caught:
    found, t = sound(), 0
    count, hops = found.moved(t)
    swaps = np.flatnonzero((count == 2) & (hops <= 2 * ALPHA))
    epsilon = max(
        max(faults.worst_feasible_set(found, t, s), faults.worst_feasible_set(found, s, t))
        for s in swaps
    )
    note = "the worst public set; once failures show, epsilon times their number"
    return Caught(not drawn_once(retrying), epsilon, note)


def retried_true_cost() -> Caught:
    score = faults.hops_from_truth(sound())
    found = faults.retried(sound(), score <= np.median(score, axis=1, keepdims=True))
    return Caught(not drawn_once(retrying), worst(found), "until true cost is under its median")


def best_of_five() -> Caught:
    found = faults.best_of(sound(), faults.hops_from_truth(sound()), 5)
    low, high = (
        faults.nearest_of(faults.laplace_law(value, Fraction(10)), value, 5) for value in (0, 10)
    )
    one_value = faults.value_loss(low, high, 10)
    note = f"and {one_value:.3f} for a single value; grows with the network"
    return Caught(not drawn_once(retrying), worst(found), note)


def peeking(planned: Any, draws: Any, goal: Any) -> Finished:
    """A phase 3 that starts from the true solution: something of it always shows."""
    side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
    made = flow.finish(side, draws, goal)
    made.document[""] += b"%% start %d\n" % planned.secret.values.argmax()
    return made


def timed(planned: Any, draws: Any, goal: Any) -> Finished:
    """A release that says how long it took."""
    side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
    made = flow.finish(side, draws, goal)
    made.document[""] += f"%% {perf_counter()} s\n".encode()
    return made


def sees_truth(finish: Callable[..., Finished]) -> Caught:
    finding: Finding
    finding, _ = blindness(plan(api.read("ieee14"), Request(seed=0)), 2178.1, finish)
    return Caught(finding.passed is False, np.inf)


def curves_to_the_end() -> Caught:
    """Piecewise linear costs travel as they are, and end at their units' capacities."""
    opened, splitting.open_ended = splitting.open_ended, lambda costs, _: costs
    try:
        planned = plan(api.read("tests/data/rich.m"), Request(seed=0, cost_figure=2690.8))
        finding, _ = blindness(planned, 2690.8)
    finally:
        splitting.open_ended = opened
    return Caught(finding.passed is False, np.inf)


def negative_zeros() -> Caught:
    """Records that are equal to a sort and not to a reader, in the order of the source."""
    moved = np.array([[0.0], [-0.0]])
    orders = (np.lexsort((column, np.zeros(2))) for column in (moved[:, 0], moved[::-1, 0]))
    unsorted = [
        rows[order].tobytes() for rows, order in zip((moved, moved[::-1]), orders, strict=True)
    ]
    zeros = np.zeros(2, dtype=np.int64)
    sealed = [seal(zeros, zeros, rows)[0].moved.tobytes() for rows in (moved, moved[::-1])]
    return Caught(unsorted[0] != unsorted[1] and sealed[0] == sealed[1], np.inf)


def by_truth_later(fault: Product) -> Caught:
    """Put a fault of what comes after the first placement into the enumeration."""
    return _from(enumeration(Table.of(PATH), claim(), fault), "a path of four sites")


def exact_optimum() -> Caught:
    """Knowing all else, bisection on O* finds a capacity to the last digit of the public grid."""
    network = replace(api.read("ieee118"), published=None)
    units = network.content.units

    def cost(row: int, capacity: float) -> float:
        changed = units.pmax.copy()
        changed[row] = capacity
        grid = replace(network.content, units=replace(units, pmax=changed))
        return float(network.kind.solve(grid).cost or np.inf)

    rows = np.flatnonzero(units.pmax > 0).tolist()
    row = max(rows, key=lambda row: cost(row, 0.9 * units.pmax[row]))  # it binds
    told, low, high = cost(row, units.pmax[row]), 0.0, 2 * units.pmax[row]
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if cost(row, middle) > told else (low, middle)
    off = abs(low - units.pmax[row])
    note = "bisection recovers a capacity of IEEE 118 to 0.01 MW"
    with pytest.raises(UsageError, match="none is known"):
        plan(network, Request())
    return Caught(bool(off < float(MEGAWATT.step)), np.inf, note)


def left_at_the_sites() -> Caught:
    """Q limits and Pmin stay at the sites: no noise can help."""
    planned = plan(api.read("ieee118"), Request(seed=0))
    shown = planned.kind.exposure(
        planned.public, planned.secret, planned.network.content, planned.network.content
    )
    told = residual("", shown, values_by_site(planned)).figures
    share, random = told["share"], told["random"]
    note = f"a ranking finds {share:.2f} of the informed MW on IEEE 118; at random {random:.2f}"
    return Caught(told["p"] < 0.01, np.inf, note)


def marked_reference() -> Caught:
    """The released file keeps the source's reference bus, which marks the largest unit."""
    planned = plan(api.read("ieee118"), Request(seed=0))
    grid = planned.network.content
    finding, made = blindness(planned, 97_213.61)
    assert finding.passed
    types = grid.buses.type[np.argsort(grid.buses.id)]
    theirs = replace(made.content, buses=replace(made.content.buses, type=types))
    shown = planned.kind.exposure(planned.public, planned.secret, grid, theirs)
    told = [leaks(planned, "", each, made.document, shown) for each in (made.content, theirs)]
    largest = grid.units.bus[grid.units.pmax.argmax()]
    assert grid.buses.type[grid.buses.id == largest] == REFERENCE
    return Caught([finding.passed for finding in told] == [True, False], np.inf)


def written_volumes() -> Caught:
    """The demand's volumes stand in released roads: the traffic is recomputed from them."""
    planned = plan(api.read("siouxfalls"), Request(seed=0))
    roads = planned.network.content
    _, made = blindness(planned, planned.known_figure() or 0.0)
    theirs = replace(made.content, trips=roads.trips)
    shown = planned.kind.exposure(planned.public, planned.secret, roads, theirs)
    finding = leaks(planned, "", theirs, made.document, shown)
    found = share_found(recomputed(roads, gap=1e-3).traffic, roads.links.volume, 20)
    note = f"an equilibrium assignment finds {found:.0%} of the 20 busiest links of Sioux Falls"
    return Caught(finding.passed is False, np.inf, note)


def left_in_the_file() -> Caught:
    """The source's own text with other capacities in it."""
    planned = plan(api.read("tests/data/rich.m"), Request(seed=0, cost_figure=1.0))
    grid = planned.network.content
    other = replace(grid, units=replace(grid.units, pmax=grid.units.pmax * 1.1))
    shown = planned.kind.exposure(planned.public, planned.secret, grid, other)
    document = {"": Path("tests/data/rich.m").read_bytes()}
    finding = leaks(planned, "", other, document, shown)
    return Caught(finding.passed is False, np.inf)


ENUMERATION, FIT_1, FIT_2 = "exact enumeration", "fit of phase 1", "fit of phase 2"
ONE_DRAW = "one draw a spend"

SOUND = Trap("(none: the product)", "", partial(enumerated, Product), faulty=False)
TRAPS = (
    Trap("the factor 2 is forgotten", ENUMERATION, partial(enumerated, faults.ForgottenFactor)),
    Trap("plus sign: farther is likelier", FIT_1, partial(fitted, faults.PlusSign)),
    Trap(
        "permute-and-flip rows",
        f"{ENUMERATION}; {FIT_1}",
        partial(enumerated, faults.PermuteAndFlip),
    ),
    Trap("assignment cost by the truth", ENUMERATION, partial(enumerated, faults.CostByTruth)),
    Trap("tie-break by the truth", ENUMERATION, partial(enumerated, faults.TieBreakByTruth)),
    Trap("columns in true order", ENUMERATION, partial(enumerated, faults.ColumnsInTrueOrder)),
    Trap(
        "rows in source order",
        f"{ENUMERATION} over source orders",
        partial(source_rows, faults.RowsInSourceOrder(ONE, ALPHA), five_units()),
    ),
    Trap(
        "a flow cut in the order of the source's rows",
        f"{ENUMERATION} over source orders",
        partial(
            source_rows,
            faults.FlowInSourceOrder(ONE, ALPHA, STAR),
            Table.of(STAR),
            "a star of four sites; ",
        ),
    ),
    Trap(
        "collisions repaired by the truth",
        ENUMERATION,
        partial(enumerated, faults.CollisionsByTruth),
    ),
    Trap("float acceptance underflows", ENUMERATION, underflow),
    Trap("numpy Laplace on floats", f"{FIT_2}: off the grid", floats),
    Trap("resample until at least 0", f"{FIT_2}, at zero", resampled),
    Trap(
        "units without capacity un-noised while called secret", f"{FIT_2}; lower bound", un_noised
    ),
    Trap("symmetric rounding", "rounding is non-expansive", rounded),
    Trap("retry until feasible", ONE_DRAW, retried_feasible),
    Trap("retry by true cost", ONE_DRAW, retried_true_cost),
    Trap("best of five by true cost", ONE_DRAW, best_of_five),
    Trap("phase 3 sees the truth", "truth-blindness", partial(sees_truth, peeking)),
    Trap("the time that it took in the file", "truth-blindness", partial(sees_truth, timed)),
    Trap("negative zeros in the source's order", "records are sealed", negative_zeros),
    Trap(
        "draws placed anew by the truth",
        ENUMERATION,
        partial(by_truth_later, faults.AnewByTruth(ONE, ALPHA, limit=1.0)),
    ),
    Trap(
        "failure by the truth",
        ENUMERATION,
        partial(by_truth_later, faults.FailsByTruth(ONE, ALPHA)),
    ),
    Trap("the exact optimum taken for public", "refused without a figure (exit 2)", exact_optimum),
    Trap("Q limits and Pmin left at the sites", "residual ranking", left_at_the_sites),
    Trap(
        "cost curves that end at the capacity", "truth-blindness of what moves", curves_to_the_end
    ),
    Trap("the source's reference bus in the file", "leaks", marked_reference),
    Trap("demand's volumes in released roads", "leaks", written_volumes),
    Trap("names, comments, a solution, source order in the file", "leaks", left_in_the_file),
)
