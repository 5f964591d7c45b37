# SPDX-License-Identifier: MIT
"""What an attack does and what the audit found, measured against the truth: the curator's alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pocin.report import charts, sections
from pocin.report.html import Html, join, number, percent, table, tag
from pocin.report.sections import Card, Section
from pocin.style import ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.report.curator import Attacks, Budget
    from pocin.report.released import Released

ATTACK = "pocin attack ORIGINAL RELEASED --json > attack.json"
AUDIT = "pocin audit ORIGINAL RELEASED --json > audit.json"


def gain(attacks: Attacks | None, released: Released) -> Card:
    """Say what the release is worth to an attacker; by the guarantee where nothing was measured."""
    budget = None if attacks is None else attacks.budgets[0]
    informed = None if budget is None else budget.of("informed")
    guided = None if budget is None else budget.of("obfuscated")
    if budget is None or guided is None or informed is None or not informed.damage:
        card = sections.bounded(released)
        return replace(card, sentence=f"{card.sentence} The damage was not measured: see Attacks.")
    share = guided.damage / informed.damage
    rest = [
        f"{percent(hit.damage / informed.damage)} by {said}"
        for role, said in (("public", "the public part alone"), ("random", "chance"))
        if (hit := budget.of(role)) is not None
    ]
    beside = f" ({', '.join(rest)})" if rest else ""
    return Card(
        sections.ATTACKER,
        percent(share),
        f"Guided by this release, an attacker with {budget.label} does {percent(share)} of the "
        f"damage that one who knows all would do{beside}.",
    )


def attacked(attacks: Attacks | None) -> Section:
    """Show the damage by budget."""
    if attacks is None:
        return _missing(
            "attack",
            "Attacks",
            "What an attack would do was not given.",
            ATTACK,
            "--attack attack.json",
        )
    groups = [(budget.label, _bars(budget)) for budget in attacks.budgets]
    said = "; ".join(
        f"{budget.label}: "
        + ", ".join(f"{_label(hit.role)} {number(hit.damage)}" for hit in budget.hits)
        for budget in attacks.budgets
    )
    drawn = charts.grouped_bars("Damage by budget", said, groups, attacks.unit)
    note = tag(
        "p",
        "Damage on the real network. Whiskers are one standard error. The public part "
        "alone tells an attacker something: no release does better than that.",
    )
    return Section("attack", "Attacks", join([note, drawn]), secret=True)


def _bars(budget: Budget) -> list[charts.Bar]:
    """Return the bars of one budget."""
    return [charts.Bar(hit.role, _label(hit.role), hit.damage, hit.error) for hit in budget.hits]


def _label(role: str) -> str:
    """Return an attacker's name."""
    return ROLES[role].label if role in ROLES else role


def audited(found: Mapping[str, Any] | None) -> Section:
    """Show what the audit found."""
    if found is None:
        return _missing("audit", "Audit", "No audit was given.", AUDIT, "--audit audit.json")
    rows = [
        [_verdict(f.get("passed")), str(f.get("gate", "")), str(f.get("sentence", ""))]
        for f in found["findings"]
    ]
    gates = [f for f in found["findings"] if f.get("passed") is not None]
    held = sum(bool(f["passed"]) for f in gates)
    told = tag("p", f"{held} of {len(gates)} gates hold; what stands unmarked only reports.")
    shown = table(["gate holds", "gate", "what was found"], rows, "Findings")
    return Section("audit", "Audit", join([told, shown]), secret=True)


def _verdict(passed: bool | None) -> Html:  # noqa: FBT001
    """Return a mark in words."""
    if passed is None:
        return tag("span", "reports", class_="chip")
    return tag(
        "span", "holds" if passed else "FAILS", class_="chip pass" if passed else "chip fail"
    )


def _missing(name: str, title: str, said: str, command: str, option: str) -> Section:
    """Say how to get what is missing."""
    body = join(
        [
            tag("p", f"{said} Run this, then pocin report with {option}:"),
            tag("code", command, class_="command"),
        ]
    )
    return Section(name, title, body, secret=True)
