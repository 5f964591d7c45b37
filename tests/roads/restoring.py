# SPDX-License-Identifier: MIT
"""Made problems of phase 3, an independent check of them, and exact optima by enumeration."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
from scipy.optimize import minimize

from pocin.roads.files import read_roads
from pocin.roads.problem import RestoreProblem
from pocin.roads.shortest import trip_times

if TYPE_CHECKING:
    from pocin.arrays import Floats, Ints

STEP = 1e-3


def times_of(problem: RestoreProblem, w: Floats) -> Floats:
    """Shortest times by networkx, which knows nothing of ours."""
    graph = nx.DiGraph()
    for tail, head, weight in zip(problem.tail, problem.head, w, strict=True):
        # a zone keeps the links that leave it; those that enter it end at its double
        head_ = (int(head), bool(problem.no_through[head]))
        tail_ = (int(tail), False)
        held = graph.get_edge_data(tail_, head_, {"weight": np.inf})["weight"]
        graph.add_edge(tail_, head_, weight=min(held, float(weight)))
    out = np.zeros(len(problem.origins))
    for k, (o, q) in enumerate(_pairs(problem)):
        if o != q:
            end = (q, bool(problem.no_through[q]))
            out[k] = nx.dijkstra_path_length(graph, (o, False), end)
    return out


def gaps(problem: RestoreProblem, w: Floats) -> Floats:
    """By what share each figure is missed."""
    times = times_of(problem, w)
    if problem.times is not None:
        return np.abs(times - problem.times) / problem.times
    mean = problem.weights @ times / problem.weights.sum()
    return np.abs(np.array([mean / problem.total - 1]))


def lattice(
    seed: int,
    rows: int = 4,
    columns: int = 5,
    trips: int = 30,
    beta: float = 0.1,
    *,
    zones: bool = True,
) -> tuple[RestoreProblem, Floats]:
    """A street lattice with two zones and a parallel link; its noise mixes the traffic up.

    The problem has the per-trip reading; the true times come with it.
    """
    draw = np.random.default_rng(seed)
    ends = [
        (r * columns + c, (r + dr) * columns + (c + dc))
        for r in range(rows)
        for c in range(columns)
        for dr, dc in ((0, 1), (1, 0))
        if r + dr < rows and c + dc < columns
    ]
    ends += [(b, a) for a, b in ends]
    ends.append(ends[0])
    tail, head = np.array(ends).T
    count = rows * columns
    no_through = np.zeros(count, dtype=bool)
    no_through[[1, count - 2]] = zones
    length = draw.integers(1, 6, len(tail)).astype(float)
    traffic = draw.integers(0, 6000, len(tail)) * 1e-3
    origins = draw.integers(0, count, trips)
    destinations = (origins + draw.integers(1, count, trips)) % count
    problem = RestoreProblem(
        tail.astype(np.int64),
        head.astype(np.int64),
        count,
        no_through,
        length,
        length + draw.permutation(traffic),
        origins,
        destinations,
        draw.integers(1, 5, trips).astype(float),
        beta,
        None,
        np.zeros(trips),
        STEP,
    )
    true = length + traffic
    return replace(problem, times=times_of(problem, true)), true


def sioux_falls(seed: int) -> RestoreProblem:
    """All its trips, beta 0.1; the traffic shuffled anew, as far a shuffle as there is."""
    roads, _ = read_roads(Path("siouxfalls"))
    gamma = roads.gamma
    true = roads.links.d + gamma * roads.links.volume
    times = trip_times(roads, true)
    volume = np.random.default_rng(seed).permutation(roads.links.volume)
    problem, _ = lattice(0)
    return replace(
        problem,
        tail=roads.tail,
        head=roads.head,
        node_count=len(roads.nodes),
        no_through=np.array(roads.nodes.no_through),
        d=np.array(roads.links.d),
        noisy=roads.links.d + gamma * volume,
        origins=roads.origins,
        destinations=roads.destinations,
        weights=np.ones(len(times)),
        beta=0.1,
        times=times,
        grid=gamma * 1e-3,
    )


def total_of(problem: RestoreProblem, true: Floats, factor: float = 1.0) -> RestoreProblem:
    """The same problem in the total reading, its figure times a factor."""
    mean = problem.weights @ times_of(problem, true) / problem.weights.sum()
    return replace(problem, times=None, total=float(mean * factor))


def optimum(problem: RestoreProblem) -> float:
    """The exact distance on a tiny network: every choice of short paths, each a convex problem."""
    walks = [every_path(problem, int(o), int(q)) for o, q in _pairs(problem)]
    low, high = (1 - problem.beta) * problem.times, (1 + problem.beta) * problem.times
    rows = [(walk, low[k]) for k, all_ in enumerate(walks) for walk in all_]
    best = np.inf
    possible = [[p for p in all_ if p @ problem.d <= high[k]] for k, all_ in enumerate(walks)]
    for choice in product(*possible):
        best = min(best, projected(problem, rows, list(zip(choice, high, strict=True))))
    return best


def every_path(problem: RestoreProblem, origin: int, destination: int) -> list[Floats]:
    """All paths without a loop, as vectors over the links."""
    graph = nx.MultiDiGraph()
    for e, (tail, head) in enumerate(zip(problem.tail, problem.head, strict=True)):
        graph.add_edge(int(tail), int(head), e)
    found = []
    for path in nx.all_simple_edge_paths(graph, origin, destination):
        if any(problem.no_through[node] for _, node, _ in path[:-1]):
            continue
        row = np.zeros(len(problem.d))
        row[[e for _, _, e in path]] = 1.0
        found.append(row)
    return found


def _pairs(problem: RestoreProblem) -> list[tuple[int, int]]:
    return list(zip(problem.origins.tolist(), problem.destinations.tolist(), strict=True))


def projected(
    problem: RestoreProblem, low: list[tuple[Floats, float]], high: list[tuple[Floats, float]]
) -> float:
    a = np.array([row for row, _ in low] + [-row for row, _ in high])
    b = np.array([bound for _, bound in low] + [-bound for _, bound in high])
    found = minimize(
        lambda w: (w - problem.noisy) @ (w - problem.noisy) / 2,
        np.maximum(problem.d, problem.noisy),
        jac=lambda w: w - problem.noisy,
        bounds=[(low_, None) for low_ in problem.d],
        constraints={"type": "ineq", "fun": lambda w: a @ w - b, "jac": lambda _: a},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    kept = (a @ found.x >= b - 1e-7).all()
    return float(np.linalg.norm(found.x - problem.noisy)) if found.success and kept else np.inf


def in_order(problem: RestoreProblem, order: Ints) -> RestoreProblem:
    """The same problem with its trips in another order."""
    return replace(
        problem,
        origins=problem.origins[order],
        destinations=problem.destinations[order],
        weights=problem.weights[order],
        times=None if problem.times is None else problem.times[order],
    )
