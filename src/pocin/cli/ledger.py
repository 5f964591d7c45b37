# SPDX-License-Identifier: MIT
"""``pocin ledger``."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from cyclopts import App

from pocin import api
from pocin.cli.console import Flag, print_json, print_text
from pocin.errors import InputError, UsageError
from pocin.privacy.ledger import Ledger
from pocin.privacy.settings import epsilon
from pocin.privacy.spending import Statement

ledger = App(name="ledger", help="The record of privacy spent on a network.")


@ledger.command(name="open")
def open_(
    source: str,
    /,
    *,
    budget: str,
    ledger: Path | None = None,
    network_id: str | None = None,
    costs: Path | None = None,
    json: Flag = False,
) -> None:
    """Set what may be spent on a network in all.

    Parameters
    ----------
    source
        A network file, or a built-in case's name.
    budget
        The epsilon that all releases together may spend.
    ledger
        The ledger's file; by default one in your state folder.
    network_id
        The name under which the ledger knows this network.
    costs
        A table of cost curves, for formats that carry none.
    json
        Print one JSON object on stdout.
    """
    book = Ledger.at(ledger)
    receipt = book.open_budget(_key(source, network_id, costs), _budget(budget))
    _show(receipt.statement, json=json)


@ledger.command
def show(
    source: str,
    /,
    *,
    ledger: Path | None = None,
    network_id: str | None = None,
    costs: Path | None = None,
    json: Flag = False,
) -> None:
    """Show what was spent on a network, and what is left.

    Parameters
    ----------
    source
        A network file, or a built-in case's name.
    ledger
        The ledger's file; by default one in your state folder.
    network_id
        The name under which the ledger knows this network.
    costs
        A table of cost curves, for formats that carry none.
    json
        Print one JSON object on stdout.
    """
    if ledger is not None and not ledger.exists():
        raise InputError(
            f"{ledger}: there is no ledger here; check the path (the first release into it, or "
            "pocin ledger open, begins one)"
        )
    _show(Ledger.at(ledger).history(_key(source, network_id, costs)), json=json)


def _key(source: str, network_id: str | None, costs: Path | None) -> str:
    """Return the name of a network in the ledger."""
    network = api.read(source, costs=costs)
    return network.kind.ledger_key(network.content) if network_id is None else network_id


def _budget(text: str) -> Fraction:
    """Read a budget; 0 closes the network to further releases."""
    try:
        return Fraction(0) if float(text) == 0 else epsilon(text, "--budget")
    except (ValueError, UsageError):
        raise UsageError("--budget: expected a number from 0 to 1000, such as 6") from None


def _show(statement: Statement, *, json: bool) -> None:
    """Print rows and sums."""
    spent = statement.spent
    if not json:
        print_text(statement.sentence)
        return
    print_json(
        {
            "network_id": statement.network,
            "spent": float(spent.total),
            "epsilon_location": float(spent.epsilon_location),
            "epsilon_value": float(spent.epsilon_value),
            "epsilon_cost": float(spent.epsilon_cost),
            "disclosed": spent.note,
            "budget": None if statement.budget is None else float(statement.budget),
            "left": None if statement.left is None else float(statement.left),
            "spends": len(statement.spends),
        }
    )
