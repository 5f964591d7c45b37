# SPDX-License-Identifier: MIT
"""``pocin cases make-city``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin.cli.console import Flag, print_text, progress
from pocin.errors import UsageError
from pocin.output import PUBLIC_MODE, claimed

if TYPE_CHECKING:
    from pocin.roads.network import Roads


def make_city(
    *,
    output: Annotated[Path, Parameter(name=["-o", "--output"])],
    links: int = 17_000,
    trips: int = 8_000,
    seed: int = 1,
    quiet: Flag = False,
) -> None:
    """Make a realistic city of any size: streets, demand, and the traffic of that demand.

    Parameters
    ----------
    output
        The folder to write: GMNS tables.
    links
        How many directed links.
    trips
        How many pairs of origin and destination.
    seed
        The same seed makes the same city.
    quiet
        No progress on stderr.
    """
    from pocin.roads.city import make_city as made

    if output.exists():
        raise UsageError(f"{output}: stands already; choose another name")
    with progress(quiet=quiet) as say, claimed([output]) as stage:
        say("making a city")
        roads = made(links, trips, seed)
        say("writing")
        stage(output, {**_tables(roads), "network.json": _about(roads, seed)}, PUBLIC_MODE)
    nodes = len(roads.nodes)
    print_text(f"{output}: {nodes} nodes, {links} links, {trips} trips, gamma {roads.gamma}")


def _tables(roads: Roads) -> dict[str, bytes]:
    """Return the city's tables."""
    from pocin.roads import gmns

    return dict(gmns.write(roads))


def _about(roads: Roads, seed: int) -> bytes:
    """Return what the folder says of itself."""
    title = f"A made city of {len(roads.links)} links, seed {seed}"
    about = {"title": title, "gamma": roads.gamma, "units": vars(roads.units)}
    return (json.dumps(about, indent=2) + "\n").encode()
