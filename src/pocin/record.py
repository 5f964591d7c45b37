# SPDX-License-Identifier: MIT
"""The curator's record: everything private about a release, for one pair of eyes (mode 0600)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.header import guarantee_object, parameters
from pocin.robustness import robustness
from pocin.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pocin.arrays import Floats, Ints
    from pocin.flow import Release
    from pocin.kinds import Finished
    from pocin.plan import Plan
    from pocin.privacy.draws import Trace

_SITES = 500
"""Sites that hops are told of, about."""


def summary(release: Release, files: list[str]) -> dict[str, Any]:
    """Return the object that ``--json`` prints: for the curator, not for publication."""
    d = release.diagnostics
    own = d.finished.certificate.own_optimum
    return {
        "kind": d.plan.kind.name,
        "parameters": parameters(release.guarantee, d.goal, d.plan.public),
        "guarantee": guarantee_object(release.guarantee),
        "cost": {
            "figure": d.goal.figure,
            "source": release.guarantee.figure.source,
            "own_optimum": own,
        },
        "fidelity": {
            "beta": d.goal.beta,
            "gap": None if own is None else d.goal.gap(own),
            "within_beta": d.finished.certificate.within,
            "reader_needs": d.finished.certificate.needs,
            "bilevel": d.finished.bilevel,
            "distance": d.finished.distance,
            "bound": d.finished.bound,
        },
        "seconds": _seconds(d.seconds),
        "files": files,
    }


def _seconds(seconds: Mapping[str, float]) -> dict[str, float]:
    """Order and round the times."""
    names = ("read", "phase1", "phase2", "phase3", "certify", "write", "total")
    return {name: round(seconds.get(name, 0.0), 4) for name in names}


def record(release: Release, files: list[str]) -> dict[str, Any]:
    """Return the curator's record: the summary, what moved where, and how far it is off."""
    d = release.diagnostics
    came = moves(d.plan, d.finished, d.trace)
    return {
        "warning": "The curator's alone. Whoever reads this can undo the release.",
        "pocin": VERSION,
        "source": d.plan.network.name,
        "network_id": d.plan.network_id,
        "ledger_entry": None if d.receipt is None else d.receipt.entry.digest,
        "seed": d.plan.request.seed,
        "notes": d.plan.kind.notes(d.plan.network.content),
        **summary(release, files),
        "moves": {
            "site": d.plan.public.site_ids.tolist(),
            "true_site_of_element_at_site": came.home.tolist(),
            "sites": came.some.tolist(),
            "hops": came.hops.tolist(),
            "mean_hops": came.mean_hops,
            "stayed": came.stayed,
        },
        "values": {
            "true": came.true.tolist(),
            "noisy": np.asarray(d.finished.noisy).tolist(),
            "released": np.asarray(d.finished.released).tolist(),
            "noise": came.noise,
            "error": came.error,
            "error_to_noise": came.error_to_noise,
        },
        "reader_view": _reader_view(release),
        "robustness": _robustness(release),
        "diagnostics": dict(d.finished.diagnostics),
    }


def _reader_view(release: Release) -> dict[str, Any]:
    """Return how readers' answers compare with those on the original."""
    d = release.diagnostics
    kind, solve = d.plan.kind, d.finished.certificate.solve
    if d.plan.public.node_count > kind.compared:
        return {"missing": f"made up to {kind.compared} nodes; see Kind.reader_view in the library"}
    return _tried(lambda: kind.reader_view(d.plan.network.content, release.network, solve))


def _robustness(release: Release) -> dict[str, Any]:
    """Return what an attacker gains by the release."""
    planned = release.diagnostics.plan
    if planned.public.node_count > planned.kind.attacked:
        return {"missing": f"made up to {planned.kind.attacked} nodes; see pocin attack"}
    return _tried(lambda: robustness(release))


def _tried(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what is found by solving the original; whatever becomes of it, the release stands."""
    try:
        return make()
    except Exception as error:  # noqa: BLE001  (else a missing file would tell of the truth)
        return {"missing": f"it could not be made ({type(error).__name__})"}


@dataclass(frozen=True, eq=False)
class Moves:
    """What stands at the sites: where each element came from, its true value, how far it is off.

    ``hops`` are those moved to ``some`` of the sites, on a small network to all; ``noise`` and
    ``error`` the distances of the noisy and of the released values from the true ones.
    """

    home: Ints
    true: Floats
    some: Ints
    hops: Ints
    noise: float
    error: float

    @property
    def mean_hops(self) -> float:
        """How far an element moved, on average."""
        return float(np.mean(self.hops))

    @property
    def stayed(self) -> int:
        """How many elements stand where they stood."""
        return int(np.sum(self.home == np.arange(len(self.home))))

    @property
    def error_to_noise(self) -> float | None:
        """How much farther off phase 3 left the values than the noise had."""
        return self.error / self.noise if self.noise else None


def moves(planned: Plan, finished: Finished, trace: Trace) -> Moves:
    """Return what became of the elements."""
    element = trace.element[finished.record]
    home = planned.secret.sites[element]
    true = planned.kind.values.real(planned.secret.values)[element]
    some = np.arange(0, len(home), max(1, len(home) // _SITES))
    metric = planned.public.metric
    return Moves(
        home=home,
        true=true,
        some=some,
        hops=np.array([metric.row(int(home[site]))[site] for site in some], dtype=np.int64),
        noise=float(np.linalg.norm(finished.noisy - true)),
        error=float(np.linalg.norm(finished.released - true)),
    )
