# SPDX-License-Identifier: MIT
"""``pocin release``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin import api, flow
from pocin.cli.console import Flag, print_json, print_text, progress, warn
from pocin.errors import UsageError
from pocin.header import guarantee_object
from pocin.kinds import chosen, kind_of
from pocin.output import claimed
from pocin.plan import Plan, Request, plan
from pocin.privacy.ledger import Ledger
from pocin.privacy.settings import Privacy, Radius
from pocin.privacy.settings import epsilon as read_epsilon
from pocin.privacy.spending import exact
from pocin.record import summary

if TYPE_CHECKING:
    from fractions import Fraction

    from pocin.flow import Release
    from pocin.kinds import Network


def release(
    source: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    epsilon: str = "1",
    epsilon_location: str | None = None,
    epsilon_value: str | None = None,
    alpha_location: str | None = None,
    alpha_value: str | None = None,
    beta: float = 0.1,
    cost_figure: str | None = None,
    cost_epsilon: str | None = None,
    mechanism: str = "softmax",
    policy: str | None = None,
    only: Path | None = None,
    costs: Path | None = None,
    ledger: Path | None = None,
    network_id: str | None = None,
    pmin_ratio: float | None = None,
    model: str | None = None,
    reading: str | None = None,
    trip_times: str | None = None,
    gamma: str | None = None,
    time_limit: float | None = None,
    research: Flag = False,
    seed: str | None = None,
    dry_run: Flag = False,
    json: Flag = False,
    quiet: Flag = False,
    force: Flag = False,
) -> None:
    """Release a network: shuffle locations, noise values, restore fidelity, certify, write.

    Parameters
    ----------
    source
        A network file, or a built-in case's name (see pocin cases).
    output
        The file to write; OUT.release.json (public) and OUT.curator.json (private) go beside it.
        For roads a folder, with the public statement inside.
    epsilon
        Privacy loss of locations and of values, each.
    epsilon_location
        Privacy loss of locations alone.
    epsilon_value
        Privacy loss of values alone.
    alpha_location
        How far apart elements are indistinguishable: 2hops, 5% (of the diameter), 1%nodes.
        By default the fewest hops that cover every element, and at least 2.
    alpha_value
        How different values are indistinguishable: 10MW, 0.1pu; of roads 10veh. By default 10.
    beta
        How far the released optimum may be from the cost figure, relative.
    cost_figure
        The real optimum as a number known without the secret, or 'computed' to disclose it.
    cost_epsilon
        Spend this much privacy on a cost figure instead.
    mechanism
        How locations are drawn: softmax, or permutation (at most 22 elements).
    policy
        What becomes of every column: derived (default), unit, site; of roads pairs (default),
        demand; or a .toml file.
    only
        A file of buses, one a line, whose units alone are secret.
    costs
        A table of cost curves, for formats that carry none.
    ledger
        The ledger's file; by default one in your state folder.
    network_id
        The name under which the ledger knows this network; by default its topology and sites.
    pmin_ratio
        Power: released Pmin as a share of released Pmax.
    model
        Power: the model of readers, ac (default) or dc. Phase 3 is exact for dc; published figures
        are of ac, so dc takes --cost-figure or --cost-epsilon.
    reading
        Roads: what beta is of, total (the mean trip time) or per-trip.
    trip_times
        Roads: a table of trip times that are public already, or 'computed' to disclose them.
    gamma
        Roads: travel time a vehicle adds to a link, or 'computed' to fit and disclose it.
    time_limit
        Seconds that phase 3 may take, of a grid with its certificate.
    research
        Draw from a seed; the result is NOT A PRIVATE RELEASE and nothing is spent.
    seed
        The seed of --research; 0 by default.
    dry_run
        Print policy, coverage and spend, and draw nothing.
    json
        Print one JSON object on stdout.
    quiet
        No progress on stderr.
    force
        Overwrite what stands at the output.
    """
    privacy = Privacy(
        _epsilon(epsilon_location, "--epsilon-location", epsilon),
        _epsilon(epsilon_value, "--epsilon-value", epsilon),
        None if alpha_location is None else Radius.parse(alpha_location),
        alpha_value,
        None if cost_epsilon is None else read_epsilon(cost_epsilon, "--cost-epsilon"),
    )
    request = Request(
        privacy=privacy,
        beta=beta,
        mechanism=mechanism,
        policy=policy,
        only=only,
        cost_figure=cost_figure,
        constants=() if pmin_ratio is None else (("pmin_ratio", pmin_ratio),),
        choices=api.choices(model=model, reading=reading, trip_times=trip_times, gamma=gamma),
        network_id=network_id,
        time_limit=time_limit,
        seed=_seed(seed, research=research),
    )
    if dry_run:
        with progress(quiet=quiet):
            planned = plan(_read(source, costs, request, quiet=quiet), request)
        _show_plan(planned, json=json)
        return
    if output is None:
        raise UsageError("-o OUT: name the file to write (or give --dry-run)")
    files = api.outputs(output, kind_of(source))
    given = (policy, only, costs, trip_times, ledger)
    inputs = [Path(source), *(Path(file) for file in given if file)]
    with progress(quiet=quiet) as say, claimed(files, force=force, inputs=inputs) as stage:
        network = _read(source, costs, request, quiet=quiet)
        book = Ledger.at(ledger) if request.private else None
        if book and ledger and not ledger.exists() and not quiet:
            warn(f"{ledger}: there was no ledger here; a new one begins with this release")
        made = flow.release(network, request, ledger=book, say=say)
        made = api.put(made, files, stage)
    names = [str(path) for path in files]
    if json:
        print_json(summary(made, names))
    else:
        print_text(_told(made, names))


def _epsilon(own: str | None, flag: str, shared: str) -> Fraction:
    """Return an epsilon of its own, or the one that it shares."""
    return read_epsilon(shared, "--epsilon") if own is None else read_epsilon(own, flag)


def _seed(seed: str | None, *, research: bool) -> int | None:
    """Return the seed of research; a seed without --research is refused."""
    if seed is not None and not research:
        raise UsageError("--seed: repeats the draws, which is not private; give --research with it")
    if seed is not None and not seed.isdecimal():
        raise UsageError("--seed: expected a whole number of at least 0")
    return int(seed or 0) if research else None


def _read(source: str, costs: Path | None, request: Request, *, quiet: bool) -> Network:
    """Read the network under its choices, and say what was left out."""
    network = chosen(api.read(source, costs=costs), request.choices)
    if not quiet:
        for note in network.kind.notes(network.content):
            warn(note)
    return network


def _told(made: Release, files: list[str]) -> str:
    """Say in a few lines what was made, what it promises, and where it is."""
    d = made.diagnostics
    own = d.finished.certificate.own_optimum
    gap = "" if own is None else f"{100 * d.goal.gap(own):+.2f} %"
    fidelity = (
        f"Fidelity: own optimum {gap} of the {made.guarantee.figure.source} cost figure "
        f"{d.goal.figure:g}; allowed {100 * d.goal.beta:g} %."
    )
    if d.finished.certificate.needs:
        fidelity += f" To find it, a reader's solver needs {d.finished.certificate.needs}."
    return "\n".join(
        [
            made.guarantee.statement,
            "",
            fidelity,
            f"Released:          {files[0]}",
            f"Public statement:  {files[1]}",
            f"Curator's record:  {files[2]} (private: keep it to yourself)",
        ]
    )


def _show_plan(planned: Plan, *, json: bool) -> None:
    """Print the policy table, the coverage and the spend."""
    promise, policy = planned.guarantee, planned.public.policy
    away = list(planned.kind.given_away(planned.network.content, policy))
    if json:
        print_json(
            {
                "kind": planned.kind.name,
                "policy": policy.name,
                "columns": {name: str(given) for name, given in policy.treatments.items()},
                "constants": dict(policy.constants),
                "guarantee": guarantee_object(promise),
                "spend": float(promise.total) if promise.private else 0.0,
                "figure_width": planned.width,
                "gives_away": away,
                "network_id": planned.network_id,
            }
        )
        return
    meaning = {column.name: column.meaning for column in planned.kind.book.columns}
    wide = 1 + max(map(len, meaning))
    rows = [
        f"  {name:{wide}} {given:8} {meaning[name]}" for name, given in policy.treatments.items()
    ]
    constants = ", ".join(f"{name} {value:g}" for name, value in policy.constants.items())
    spend = "nothing (research)" if not promise.private else f"epsilon {exact(promise.total)}"
    lines = [f"Policy {policy.name} ({constants})", *rows, "", promise.statement, ""]
    if away:
        lines += ["Before any noise (for you alone):", *(f"  {said}" for said in away), ""]
    if planned.width is not None:
        lines.append(f"The cost figure's noise: within {planned.width:.4g}, 19 times in 20.")
    print_text("\n".join([*lines, f"Would spend: {spend}. Nothing was drawn."]))
