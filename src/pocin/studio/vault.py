# SPDX-License-Identifier: MIT
"""The vault: the one process of the studio that reads the real network.

It answers with what everybody may see (``Opened``, ``Released``), and with sentences.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pocin import api, flow
from pocin.errors import UsageError
from pocin.output import claimed
from pocin.plan import Request, plan
from pocin.privacy.ledger import Ledger
from pocin.privacy.spending import Spend, exact
from pocin.studio.opened import Known, Opened, Released

if TYPE_CHECKING:
    from collections.abc import Callable

    from pocin.kinds import Kind, Network
    from pocin.plan import Plan
    from pocin.privacy.guarantee import Guarantee
    from pocin.studio.opened import Fields

_NAME = "released"


class Vault:
    """Keeps the network that was opened last."""

    def __init__(self) -> None:
        self._source = ""
        self._network: Network | None = None

    def read(self, source: str, say: Callable[[str], None]) -> Known:
        """Read a network anew, and say what can be chosen for it."""
        if not source.strip():
            raise UsageError("network: choose a built-in case, or name a file or a folder")
        say("reading")
        self._network = api.read(source.strip())
        self._source = source
        kind = self._network.kind
        return Known(
            kind=kind.name,
            policies=(
                kind.book.default,
                *(p for p in kind.book.policies if p != kind.book.default),
            ),
            unit=kind.values.unit,
            alpha_value=kind.default_alpha_value,
            choices=kind.choices,
            published=self._network.published,
        )

    def plan(
        self, source: str, fields: Fields, ledger: Path | None, say: Callable[[str], None]
    ) -> Opened:
        """Say what a release would promise and spend. Draws nothing."""
        planned = self._planned(source, fields, say)
        statement = Ledger.at(ledger).history(planned.network_id)
        return Opened(
            source=source,
            kind=planned.kind,
            public=planned.public,
            request=planned.request,
            promise=planned.guarantee,
            network_id=planned.network_id,
            figure=planned.declared,
            width=planned.width,
            spent=statement.sentence,
            refusal=statement.refusal(_spend(planned.guarantee)),
        )

    def release(
        self,
        source: str,
        fields: Fields,
        places: tuple[Path | None, Path],
        agreed: str,
        say: Callable[[str], None],
    ) -> Released:
        """Draw the release, write it into the folder, and say where it is.

        ``places`` are the ledger and the folder; ``agreed`` is the spend that the curator saw.
        """
        ledger, folder = places
        planned = self._planned(source, fields, say)
        if exact(planned.guarantee.total) != agreed:
            raise UsageError("the spend has changed since you saw it: look again, then release")
        target, files = _place(folder, planned.kind)
        with claimed(files, inputs=[Path(source)]) as stage:
            book = Ledger.at(ledger)
            made = flow.release(planned.network, planned.request, ledger=book, say=say)
            say("writing")
            made = api.put(made, files, stage)
        return Released(
            path=str(target),
            files=tuple(str(file) for file in files[:2]),
            record=str(files[2]),
            statement=made.guarantee.statement,
            needs=made.diagnostics.finished.certificate.needs,
            spent=book.history(planned.network_id).sentence,
        )

    def _planned(self, source: str, fields: Fields, say: Callable[[str], None]) -> Plan:
        """Plan on the network that is open, or open it."""
        if self._network is None or source != self._source:
            self.read(source, say)
        assert self._network is not None
        return plan(self._network, request(fields))


def request(fields: Fields) -> Request:
    """Read what was chosen on the page."""

    def given(name: str) -> str | None:
        return fields.get(name, "").strip() or None

    figure = given("figure") or "published"
    return Request(
        privacy=api.privacy(
            epsilon_location=given("epsilon") or "1",
            epsilon_value=given("epsilon") or "1",
            alpha_location=None if given("hops") is None else f"{given('hops')}hops",
            alpha_value=given("alpha_value"),
            epsilon_cost=_needed(given("cost_epsilon")) if figure == "private" else None,
        ),
        beta=_number(given("beta") or "0.1", "beta"),
        policy=given("policy"),
        cost_figure=_needed(given("cost_figure")) if figure == "declared" else _computed(figure),
        choices=api.choices(gamma=given("gamma")),
    )


def _computed(figure: str) -> str | None:
    """Return what --cost-figure would be."""
    return "computed" if figure == "computed" else None


def _needed(text: str | None) -> str:
    """Refuse an empty field."""
    if text is None:
        raise UsageError("cost figure: give a number for it, or choose another origin")
    return text


def _number(text: str, name: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name}: expected a number") from None


def _spend(promise: Guarantee) -> Spend:
    """Return what the ledger would be asked for."""
    return Spend(promise.location.epsilon, promise.value.epsilon, promise.figure.epsilon)


def _place(folder: Path, kind: Kind) -> tuple[Path, list[Path]]:
    """Return a place that nothing stands at, and the files of the release there."""
    for k in count(1):
        target = folder / f"{_NAME}{'' if k == 1 else f'-{k}'}{kind.suffix}"
        files = api.outputs(target, kind)
        if not any(file.exists() for file in files):
            return target, files
    raise AssertionError
