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
    from pocin.power.cases import builtin

    found = builtin().values()
    if json:
        print_json(
            [
                {
                    "name": case.name,
                    "kind": "power",
                    "title": case.title,
                    "buses": case.buses,
                    "branches": case.branches,
                    "units": case.units,
                    "published": case.published,
                }
                for case in found
            ]
        )
        return
    rows = [
        f"{case.name:10} {case.buses:6} {case.branches:9} {case.units:6} {case.published:12g}  "
        f"{case.title}"
        for case in found
    ]
    head = f"{'name':10} {'buses':>6} {'branches':>9} {'units':>6} {'optimum':>12}  title"
    more = "With pocin[pglib], pglib:NAME reads any case of PGLib-OPF: pglib:case1354_pegase."
    print_text("\n".join([head, *rows, "", more]))
