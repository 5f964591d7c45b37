# SPDX-License-Identifier: MIT
"""What an attack does and what the audit found, measured against the truth: the curator's alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pocin.report import charts, sections
from pocin.report.html import Html, details, join, number, percent, plural, table, tag
from pocin.report.sections import Card, Section
from pocin.style import ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pocin.report.curator import Attacks, Hit
    from pocin.report.released import Released

ATTACK = "pocin attack ORIGINAL RELEASED --json > attack.json"
WAYS = {
    "obfuscated": "guided by the released values",
    "residual": "by what no noise touches",
    "public": "by the public part, with no release at all",
    "random": "by chance",
}
"""The attackers who do not know the truth, in words."""

HELD = ("obfuscated", "residual", "public")
"""The ways that are open to one who holds the release."""

AUDIT = "pocin audit ORIGINAL RELEASED --json > audit.json"


def gain(attacks: Attacks | None, released: Released) -> Card:
    """Say what the release is worth to an attacker; by the guarantee where nothing was measured.

    Who holds the release holds the public part too, so the figure is of the best of his ways.
    """
    budget = None if attacks is None else attacks.largest
    informed = None if budget is None else budget.of("informed")
    hits = [] if budget is None else [hit for role in WAYS if (hit := budget.of(role))]
    if budget is None or informed is None or informed.damage <= 0 or len(hits) < len(WAYS):
        card = sections.bounded(released)
        return replace(card, sentence=f"{card.sentence} The damage was not measured: see Attacks.")
    share = {hit.role: hit.damage / informed.damage for hit in hits}
    best = max(HELD, key=lambda role: share[role])
    rest = (f"{percent(share[role], 2)} {said}" for role, said in WAYS.items() if role != best)
    return Card(
        sections.ATTACKER,
        percent(share[best], 2),
        f"At best, whoever holds this file does {percent(share[best], 2)} of the damage that one "
        f"who knows all would do at {budget.label}: {WAYS[best]}; {', '.join(rest)}.",
    )


def attacked(attacks: Attacks | None) -> Section:
    """Show the damage by budget, and how much of the informed attacker's catch each finds."""
    if attacks is None:
        said = "What an attack would do was not given."
        return _missing("attack", "Attacks", said, ATTACK, "--attack attack.json")
    releases = plural(attacks.releases, "release")
    note = tag(
        "p",
        f"Damage on the real network {attacks.network}, over {releases}: {attacks.meaning}. "
        "Whiskers are one standard error. The public part alone guides an attacker, too; no "
        "release changes that.",
    )
    drawn = [_chart(attacks, "Damage by budget", attacks.unit, _damage)]
    if all(hit.share is not None for budget in attacks.budgets for hit in budget.hits):
        title = f"Share of the informed attacker's catch ({attacks.worth})"
        drawn.append(_chart(attacks, title, "%", _share))
    body = join([note, tag("div", *drawn, class_="pair"), _ways(attacks)])
    return Section("attack", "Attacks", body, secret=True)


def _chart(attacks: Attacks, title: str, unit: str, bar: Callable[[Hit], charts.Bar]) -> Html:
    """Return the bars of all budgets."""
    groups = [(budget.label, [bar(hit) for hit in budget.hits]) for budget in attacks.budgets]
    last = groups[-1]
    said = ", ".join(f"{made.label} {number(made.value)}" for made in last[1])
    return charts.grouped_bars(title, f"At {last[0]}: {said} ({unit}).", groups, unit)


def _damage(hit: Hit) -> charts.Bar:
    """Return an attacker's damage."""
    return charts.Bar(hit.role, _label(hit.role), hit.damage, hit.error)


def _share(hit: Hit) -> charts.Bar:
    """Return an attacker's share in percent."""
    error = None if hit.share_error is None else 100 * hit.share_error
    return charts.Bar(hit.role, _label(hit.role), 100 * (hit.share or 0.0), error)


def _ways(attacks: Attacks) -> Html:
    """Say by what every attacker ranks the sites."""
    rows = [
        [budget.label, _label(hit.role), hit.by]
        for budget in attacks.budgets
        for hit in budget.hits
    ]
    title = "By what attackers rank the sites"
    return details(title, table(["budget", "attacker", "by"], rows, title))


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
    of = str(found.get("source", "the real network"))
    said = f"{held} of {len(gates)} gates hold on {of}; what stands unmarked only reports."
    told = tag("p", said)
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
