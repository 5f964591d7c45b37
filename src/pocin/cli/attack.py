# SPDX-License-Identifier: MIT
"""``pocin attack``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pocin import api
from pocin import attack as attacks
from pocin.attack import BEST
from pocin.cli.console import Flag, print_json, print_text, progress, warn
from pocin.errors import InputError, UsageError
from pocin.kinds import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pocin.attack import AtBudget, Average, Mean, Result
    from pocin.kinds import Network

CHANCE = 0.05
PLACES = {"left": "what is left of the elements", "floor": "the public part"}


def attack(
    original: str,
    /,
    *released: Path,
    budget: str = attacks.DEFAULT,
    slowdown: str | None = None,
    draws: int = attacks.DRAWS,
    gamma: str | None = None,
    costs: Path | None = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Measure what attackers gain by released files of a network: damage on the real one.

    Five attackers, side by side: random, public (the optimum of the public part), obfuscated (the
    released network's own optimum), residual (the best column left without the noise), informed.
    It compares with the truth: what it prints is the curator's, not for publication.

    Parameters
    ----------
    original
        The real network: a file, or a built-in case's name.
    released
        Files or folders released of it; a folder of several power grids stands for all of them.
    budget
        How many elements are hit: shares as 10%,20%, or counts as 10,20,50.
    slowdown
        Roads: how many times as long a link takes that is hit; 10 by default.
    draws
        How many random attacks are averaged.
    gamma
        Roads: travel time a vehicle adds to a link of the original, where it states none.
    costs
        A table of cost curves of the original, for formats that carry none.
    json
        Print one JSON object on stdout.
    quiet
        No progress on stderr.
    """
    if not released:
        raise UsageError("RELEASED: name at least one file or folder that was released")
    with progress(quiet=quiet) as say:
        network = chosen(api.read(original, costs=costs), api.choices(gamma=gamma))
        prepared = attacks.simulation(
            network, budget, draws=draws, choices=api.choices(slowdown=slowdown)
        )
        contents = _contents(network, prepared.target.check, released)
        found = attacks.measure(prepared, contents, say)
    if json:
        print_json(attacks.as_object(found))
    else:
        print_text("\n".join(_told(found)))
    lost = sum(row.harm.details.get("unsolved", 0.0) for row in found.rows)
    if lost and not quiet:
        warn(f"the solver gave up on {lost:.0f} attacks; their damage is that of its last point")


def _contents(
    network: Network, check: Callable[[Any, str], None], paths: tuple[Path, ...]
) -> list[Any]:
    """Read the releases, all of them before anything is solved, and refuse those of others."""
    files = [file for path in paths for file in _files(network, path)]
    contents = []
    for file in files:
        read = api.read(file)
        if read.kind.name != network.kind.name:
            raise InputError(
                f"{file}: is a {read.kind.name} network and {network.name} is "
                f"{network.kind.name}; name a release of {network.name}"
            )
        check(read.content, str(file))
        contents.append(read.content)
    return contents


def _files(network: Network, path: Path) -> list[Path]:
    """Return the releases that a path stands for."""
    if network.kind.folder or not path.is_dir():
        return [path]
    files = sorted(path.glob(f"*{network.kind.suffix}"))
    if not files:
        raise InputError(f"{path}: holds no file *{network.kind.suffix}; name the released files")
    return files


def _told(found: Result) -> Iterator[str]:
    """Yield the tables and what is to be said of them."""
    releases = "1 release" if found.releases == 1 else f"{found.releases} releases"
    yield f"{found.network} under attack: {found.elements} {found.element}s, {releases}."
    yield f"\nDamage: {found.meaning} ({found.unit}; ± standard error)"
    yield from _table(found, lambda average: average.damage)
    for name, meaning in found.beside.items():
        if all(name in row.harm.details for row in found.rows):
            yield f"\n{meaning}"
            yield from _table(found, _detail(name), most=True)
    yield f"\nShare found of what the largest {found.element}s hold ({found.worth_meaning})"
    yield from _table(found, lambda average: average.share, most=True)
    yield "\nDifference of the problem's optimum, O*(attacked) - O*(original)"
    yield from _table(found, lambda average: average.objective)
    yield ""
    for at in found.budgets:
        yield from _residual(at)
    yield "\nThis compares with the truth: it is for you alone, not for publication."


def _detail(name: str) -> Callable[[Average], Mean]:
    """Return what reads a detail."""
    return lambda average: average.details[name]


def _table(found: Result, of: Callable[[Average], Mean], *, most: bool = False) -> Iterator[str]:
    """Yield a row a budget with the five attackers side by side.

    Of several ways of ranking, that which does most damage, or has ``most`` of this.
    """
    rows = [["budget", "hit", *attacks.RANKINGS]]
    for at in found.budgets:
        ways = [at.best(name, of if most else None) for name in attacks.RANKINGS]
        cells = [_mean(of(way)) for way in ways]
        rows.append([at.budget, str(at.k), *cells])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))


def _mean(value: Mean) -> str:
    """Write a mean with its standard error, where it has one."""
    beside = f" ± {_number(value.se)}" if value.se else ""
    return _number(value.mean) + beside


def _number(value: float) -> str:
    """Write a number with about three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004


def _residual(at: AtBudget) -> Iterator[str]:
    """Say by which columns the residual attacker ranks, and whether chance does as well."""
    for average in at.rankings["residual"]:
        if average.variant == BEST:
            continue
        place = PLACES.get(average.variant, average.variant)
        assert average.p is not None
        verdict = "better than chance" if average.p < CHANCE else "no better than chance"
        yield (
            f"At {at.budget}, best of {place}: '{average.by}', {average.share.mean:.2f}; {verdict} "
            f"(p = {average.p:.3f}, best of {len(average.shares)} random rankings)."
        )
