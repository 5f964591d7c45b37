# SPDX-License-Identifier: MIT
"""``pocin cases``."""

from __future__ import annotations

from cyclopts import App

from pocin.cli.console import Flag, print_json, print_text

cases = App(name="cases", help="The networks that come with pocin.")
cases.command("pocin.cli.cities:make_city", name="make-city", help="Make a city of any size.")


@cases.default
def show(*, json: Flag = False) -> None:
    """List the built-in cases.

    Parameters
    ----------
    json
        Print one JSON object on stdout.
    """
    from pocin.kinds import kinds

    found = [{"kind": kind.name, **case} for kind in kinds() for case in kind.cases()]
    if json:
        print_json(found)
        return
    rows = [
        f"{case['name']:10}  {case['kind']:6} {_sizes(case):40} {case['published']:12g}  "
        f"{case['title']}"
        for case in found
    ]
    head = f"{'name':10}  {'kind':6} {'size':40} {'optimum':>12}  title"
    more = (
        "With pocin[pglib], pglib:NAME reads any case of PGLib-OPF: pglib:case1354_pegase.\n"
        "pocin cases make-city -o city/ makes a road network of any size."
    )
    print_text("\n".join([head, *rows, "", more]))


def _sizes(case: dict[str, object]) -> str:
    """Write how large a case is: its whole numbers."""
    return ", ".join(f"{size} {what}" for what, size in case.items() if isinstance(size, int))
