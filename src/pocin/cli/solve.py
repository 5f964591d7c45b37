# SPDX-License-Identifier: MIT
"""``pocin solve``."""

from __future__ import annotations

from pathlib import Path

from pocin import api
from pocin.cli.console import Flag, print_json, print_text, progress, warn
from pocin.errors import InputError
from pocin.kinds import chosen


def solve(
    source: str,
    /,
    *,
    costs: Path | None = None,
    model: str | None = None,
    gamma: str | None = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Print the optimum that a reader would find.

    Parameters
    ----------
    source
        A network file, or a built-in case's name.
    costs
        A table of cost curves, for formats that carry none.
    model
        Power: the model, ac (default) or dc.
    gamma
        Roads: travel time a vehicle adds to a link, or 'computed' to fit it.
    json
        Print one JSON object on stdout.
    quiet
        No progress on stderr.
    """
    with progress(quiet=quiet) as say:
        asked = api.choices(model=model, gamma=gamma)
        network = chosen(api.read(source, costs=costs), asked)
        say("solving")
        found = api.solve(network)
    if found.cost is None:
        raise InputError(
            f"{source}: the {network.kind.problem} cannot be solved ({found.reason}); "
            "check loads, capacities and limits"
        )
    if found.needs and not quiet:
        warn(f"the solver needed {found.needs}")
    if json:
        print_json(
            {
                "kind": network.kind.name,
                "problem": network.kind.problem,
                "optimum": found.cost,
                "needs": found.needs,
                "seconds": found.seconds,
            }
        )
    else:
        print_text(f"{found.cost:.10g}")
