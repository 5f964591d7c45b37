# SPDX-License-Identifier: MIT
"""Gate: the exact loss of phase 1, by enumeration of the network or of a few of its sites."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pocin.audit.enumerate import MOST, Table, exact_loss, laws, source_orders_seen
from pocin.audit.finding import Finding
from pocin.privacy.metric import Hops
from pocin.privacy.noise import SeededNoise, below

if TYPE_CHECKING:
    from pocin.arrays import Ints
    from pocin.audit.enumerate import ExactLoss
    from pocin.audit.shuffles import Shuffle
    from pocin.privacy.guarantee import LocationGuarantee
    from pocin.privacy.metric import Metric

SAMPLES, SAMPLE_SIZE, ORDERS_SIZE = 3, 5, 4
FLOW_SIZE = 4
PUBLIC_SEED = 0
ROUNDING = 1e-9


def enumeration(
    metric: Metric, claim: LocationGuarantee, mechanism: Shuffle, gate: str = "enumeration"
) -> Finding:
    """Hold the exact loss to the claim: of the whole network, else of a few places of it."""
    n = len(metric)
    if n <= MOST:
        return _judged(gate, f"all {n} elements", mechanism, [Table.of(metric)], claim)
    places = samples(metric)
    by_flow = " by the flow that assigns so many" if isinstance(places[0], Hops) else ""
    size = len(places[0])
    what = f"{SAMPLES} places of {size} of the {n} sites ({n} are too many to enumerate){by_flow}"
    return _judged(gate, what, mechanism, places, claim)


def samples(metric: Metric) -> list[Metric]:
    """Return a few places of the network, by a public seed: a site and those nearest to it."""
    noise = SeededNoise(PUBLIC_SEED)
    centres = [below(noise, len(metric)) for _ in range(SAMPLES)]
    near = [np.argsort(metric.row(centre), kind="stable")[:SAMPLE_SIZE] for centre in centres]
    if isinstance(metric, Hops) and not metric.tabled:
        return [neighbourhood(metric, np.sort(sites[:FLOW_SIZE])) for sites in near]
    return [Table.of(metric, sorted(sites.tolist())) for sites in near]


def neighbourhood(metric: Hops, sites: Ints) -> Hops:
    """Return a few sites as a network of their own, without a table: then a flow assigns them.

    It has the nodes that are no farther from one of them than the sites are, and their edges.
    """
    stands = metric.stands[sites]
    away = metric.from_nodes(stands[0, :1])[0]
    inside = away <= away[stands].max()
    place = np.cumsum(inside) - 1
    ends = metric.ends[inside[metric.ends].all(axis=1)]
    return replace(
        metric,
        ends=place[ends],
        node_count=int(inside.sum()),
        nodes=place[metric.nodes[sites]],
        table=0,
    )


def _judged(
    gate: str, what: str, mechanism: Shuffle, tables: list[Metric], claim: LocationGuarantee
) -> Finding:
    """Enumerate, and compare with the claim for swaps and for any two truths."""
    epsilon, alpha = float(claim.epsilon), float(claim.alpha)
    found = [laws(mechanism, table) for table in tables]
    losses = [exact_loss(each, epsilon, alpha) for each in found]
    worst = max((loss.worst for loss in losses), default=0.0)
    graded = max(loss.graded for loss in losses)
    seen = 0
    if not mechanism.sees_truth:
        seen = sum(source_orders_seen(mechanism, table, _orders(len(table))) for table in tables)
    kept = worst <= epsilon + ROUNDING and graded <= 1 + ROUNDING
    order = "the order of the source's rows " + ("changes the law" if seen else "plays no part")
    fails = max(float(each.probability[:, -1].max()) for each in found)
    return Finding(
        gate,
        kept and not seen,
        f"{what}: the worst swap within {alpha:g} hops loses exactly {worst:.4f} of the "
        f"{epsilon:g} claimed, and any two truths at most {graded:.4f} of the claim for their "
        f"distance; {order}" + (f"; it fails with probability {fails:.2f}" if fails else ""),
        {
            "elements": max(loss.elements for loss in losses),
            "truths": sum(loss.truths for loss in losses),
            "claimed": epsilon,
            "worst_swap": worst,
            "graded_share": graded,
            "by_hops": _by_hops(losses),
            "fails": fails,
            "draws_that_see_the_source_order": seen,
        },
    )


def _by_hops(losses: list[ExactLoss]) -> dict[str, float]:
    """Return the worst swap at each distance."""
    found: dict[str, float] = {}
    for loss in losses:
        for hops, worst in loss.by_hops.items():
            found[str(hops)] = max(found.get(str(hops), 0.0), worst)
    return found


def _orders(n: int) -> Ints | None:
    """Return all orders of the source's rows where few, else two; tests try all 120 of five."""
    if n <= ORDERS_SIZE:
        return None
    return np.array([np.arange(n)[::-1], np.roll(np.arange(n), 1)])
