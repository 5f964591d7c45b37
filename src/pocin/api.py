# SPDX-License-Identifier: MIT
"""The library: read, solve, release, write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from pocin import flow
from pocin.errors import UsageError
from pocin.header import as_json, public_statement
from pocin.kinds import Network, chosen, kind_of, record_of, statement_of
from pocin.output import PUBLIC_MODE, SECRET_MODE, claimed
from pocin.plan import Request
from pocin.privacy.settings import Privacy, Radius, epsilon
from pocin.record import record

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.flow import Release
    from pocin.kinds import Choices, Kind, Solved
    from pocin.output import Stage
    from pocin.privacy.ledger import Ledger


def read(source: str | Path, *, costs: str | Path | None = None) -> Network:
    """Read and check a network: a file, a folder, or a built-in case's name."""
    began = perf_counter()
    kind = kind_of(source)
    content, published = kind.read(source, None if costs is None else Path(costs))
    return Network(kind, content, str(source), published, perf_counter() - began)


def solve(
    network: Network, *, model: str | None = None, gamma: float | str | None = None
) -> Solved:
    """Solve the network's problem as a reader would."""
    made = chosen(network, choices(model=model, gamma=gamma))
    return made.kind.solve(made.content)


def choices(**given: float | str | Path | None) -> Choices:
    """Return what was chosen for one kind of network, by the flags' names."""
    return tuple((name, str(value)) for name, value in given.items() if value is not None)


def release(
    network: Network,
    *,
    privacy: Privacy | None = None,
    beta: float = 0.1,
    policy: str | Path | None = None,
    cost_figure: float | str | None = None,
    only: str | Path | None = None,
    pmin_ratio: float | None = None,
    model: str | None = None,
    reading: str | None = None,
    trip_times: str | Path | None = None,
    gamma: float | str | None = None,
    ledger: Ledger | None = None,
    network_id: str | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    mechanism: str = "softmax",
) -> Release:
    """Make a private and faithful release, or raise NotFaithfulError.

    ``privacy`` is made by ``pocin.api.privacy``. Without a ledger nothing is recorded: give
    ``Ledger.at()`` to keep account. With a ``seed`` the release repeats and is not private.
    """
    request = Request(
        privacy=privacy or Privacy(),
        beta=beta,
        policy=None if policy is None else str(policy),
        only=None if only is None else Path(only),
        cost_figure=cost_figure,
        constants=() if pmin_ratio is None else (("pmin_ratio", pmin_ratio),),
        choices=choices(model=model, reading=reading, trip_times=trip_times, gamma=gamma),
        network_id=network_id,
        time_limit=time_limit,
        seed=seed,
        mechanism=mechanism,
    )
    return flow.release(network, request, ledger=ledger)


def privacy(
    *,
    epsilon_location: float | str | Fraction = 1,
    epsilon_value: float | str | Fraction = 1,
    alpha_location: str | None = None,
    alpha_value: str | None = None,
    epsilon_cost: float | str | Fraction | None = None,
) -> Privacy:
    """Say how private: epsilons as numbers, alphas as ``2hops``, ``5%``, ``1%nodes``, ``10MW``."""
    return Privacy(
        epsilon(epsilon_location, "epsilon_location"),
        epsilon(epsilon_value, "epsilon_value"),
        None if alpha_location is None else Radius.parse(alpha_location),
        alpha_value,
        None if epsilon_cost is None else epsilon(epsilon_cost, "epsilon_cost"),
    )


def write(made: Release, path: str | Path, *, force: bool = False) -> Release:
    """Write a release, its public statement, and the curator's record beside it (mode 0600).

    Returns the release with the time that writing took in its diagnostics.
    """
    planned = made.diagnostics.plan
    files = outputs(Path(path), planned.kind)
    with claimed(files, force=force, inputs=[Path(planned.network.name)]) as stage:
        return put(made, files, stage)


def put(made: Release, files: list[Path], stage: Stage) -> Release:
    """Stage the files of a release at places that are claimed."""
    began = perf_counter()
    d, target = made.diagnostics, files[0]
    kind = d.plan.kind
    stage(target, made.document, PUBLIC_MODE)
    if not kind.folder:  # else it stands inside
        said = public_statement(kind, made.guarantee, d.goal, d.plan.public, [target.name])
        if d.finished.certificate.needs:
            said["reader_needs"] = d.finished.certificate.needs
        stage(files[1], {"": as_json(said)}, PUBLIC_MODE)
    timed = _with_seconds(made, perf_counter() - began)
    stage(files[2], {"": as_json(record(timed, [str(file) for file in files]))}, SECRET_MODE)
    return timed


def outputs(target: Path, kind: Kind) -> list[Path]:
    """Return the files of a release: the network, the public statement, the curator's record."""
    if not target.name:
        raise UsageError(f"'{target}': names no file to write; name one, such as released.m")
    if target.is_file() and kind.folder:
        raise UsageError(
            f"{target}: is a file, and a released {kind.name} network is a folder; choose another "
            "name"
        )
    if target.is_dir() and not kind.folder:
        raise UsageError(
            f"{target}: is a folder, and a released {kind.name} network is one file; name a file, "
            f"such as released{kind.suffix}"
        )
    if target.suffix.lower() != kind.suffix and not kind.folder:
        raise UsageError(
            f"{target}: readers know a released {kind.name} network by its ending; "
            f"name it {target.stem}{kind.suffix}"
        )
    return [
        target,
        statement_of(target, kind),
        record_of(target),
    ]


def _with_seconds(made: Release, seconds: float) -> Release:
    """Return the release with its writing time."""
    spent = dict(made.diagnostics.seconds)
    spent |= {"write": seconds, "total": spent["total"] + seconds}
    return replace(made, diagnostics=replace(made.diagnostics, seconds=spent))
