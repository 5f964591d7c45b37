# SPDX-License-Identifier: MIT
"""``pocin doctor``."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from typing import TYPE_CHECKING

from pocin import api
from pocin.cli.console import Flag, print_json, print_text
from pocin.errors import PocinError
from pocin.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_REQUIREMENT = re.compile(r"([\w.-]+)[^;]*(?:;.*extra *== *['\"](\w+))?")


def doctor(*, json: Flag = False) -> None:
    """Print versions and check that the solvers work.

    Parameters
    ----------
    json
        Print one JSON object on stdout.
    """
    versions = {"pocin": VERSION, "python": platform.python_version()}
    needed = dict(_requirements())
    versions |= {name: _version(name) or "missing" for name, extra in needed.items() if not extra}
    extras = {
        name: _version(name) or f"not installed (pip install 'pocin[{extra}]')"
        for name, extra in needed.items()
        if extra
    }
    checks = {name: _works(check) for name, check in CHECKS.items()}
    if json:
        print_json({"versions": versions, "extras": extras, "checks": checks})
    else:
        rows = [f"{name:22} {value}" for name, value in (versions | extras).items()]
        rows += [f"{name:22} {'ok' if fine else 'FAILS'}" for name, fine in checks.items()]
        print_text("\n".join(rows))
    failed = [name for name, fine in checks.items() if not fine]
    if failed:
        raise PocinError(f"{' and '.join(failed)} did not work here; install pocin anew")


def _requirements() -> Iterator[tuple[str, str | None]]:
    """Yield the packages that pocin's own metadata name, and the extra that each belongs to."""
    for line in requires("pocin") or ():
        if found := _REQUIREMENT.match(line):
            yield found[1], found[2]


def _version(name: str) -> str | None:
    """Return an installed version."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _works(check: Callable[[], bool]) -> bool:
    """Tell whether a check holds; a library that cannot even be loaded fails it."""
    try:
        return check()
    except Exception:  # noqa: BLE001  (whatever it is, the remedy is the same)
        return False


def _optimum(case: str, known: float | None = None, **model: str) -> Callable[[], bool]:
    """Compare a built-in case's optimum with the known one, by default the published."""

    def agrees() -> bool:
        network = api.read(case)
        found, right = api.solve(network, **model).cost, known or network.published
        return found is not None and right is not None and abs(found / right - 1) < 1e-4  # noqa: PLR2004

    return agrees


def _compiled() -> bool:
    """Compare compiled shortest times on Sioux Falls with scipy's."""
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    from pocin.roads.exposure import trip_paths

    roads = api.read("siouxfalls").content
    size, ends = len(roads.nodes), (roads.tail, roads.head)
    theirs = dijkstra(csr_array((roads.links.d, ends), shape=(size, size)))
    ours = trip_paths(roads).times(roads.links.d)
    return bool(np.allclose(ours, theirs[roads.origins, roads.destinations]))


def _draws() -> bool:
    """Draw a little noise."""
    from fractions import Fraction

    import numpy as np

    from pocin.privacy.noise import SystemNoise

    drawn = SystemNoise().laplace(np.zeros(32, dtype=np.int64), Fraction(1000))
    return len(set(drawn.tolist())) > 1


CHECKS = {
    "AC-OPF (IPOPT)": _optimum("ieee14"),
    "DC-OPF (HiGHS)": _optimum("ieee14", 2051.5, model="dc"),
    "shortest paths (scipy)": _optimum("siouxfalls"),
    "shortest paths (numba)": _compiled,
    "noise (OpenDP)": _draws,
}
