# SPDX-License-Identifier: MIT
"""What the curator has open: the promise, the trials on surrogates, and the one release.

Trials go on in a thread that asks the bench one by one; new parameters overtake those before. A
release goes on in a thread that asks the vault. Everything here may be shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import RLock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from pocin.errors import PocinError, UsageError
from pocin.studio import pages

if TYPE_CHECKING:
    from pathlib import Path

    from pocin.studio.opened import Fields, Opened, Released, Trial
    from pocin.studio.worker import Worker

PATIENCE = 120.0
"""Seconds that the trials of one set of parameters may take together."""

SMALL, MIDDLE, LARGE = 5, 2, 1
FEW_NODES, MANY_NODES = 500, 3000
"""Trials up to so many nodes, up to so many, and beyond."""

_BUSY = "a release is being drawn: wait for its end"


@dataclass(eq=False)
class Session:
    """``ledger`` and ``folder`` are where spends and releases are written."""

    vault: Worker
    bench: Worker
    ledger: Path | None
    folder: Path
    opened: Opened | None = None
    released: Released | None = None
    _asked: tuple[str, Fields] | None = None
    _round: int = 0
    _reads: int = 0
    _trials: list[Trial] = field(default_factory=list)
    _trying: bool = False
    _note: str = ""
    _step: str | None = None
    _failed: str = ""
    _drawing: Thread | None = None
    _lock: RLock = field(default_factory=RLock, repr=False)

    def open(self, source: str) -> dict[str, Any]:
        """Read a network, and return the controls that it has."""
        self._refuse_while_drawing()
        known = self.vault.ask("read", source)
        with self._lock:
            self._reads += 1
            self._forget()
            self.opened = self.released = self._asked = None
            self._failed = ""
        return {"controls": pages.controls(known)}

    def plan(self, source: str, fields: Fields) -> dict[str, Any]:
        """Say what a release would promise and spend; begin the trials where they are quick."""
        self._refuse_while_drawing()
        asked = source, fields
        with self._lock:
            same, self._asked = asked == self._asked, asked
            if not same:  # else only the ledger may have moved
                self._forget()
            number = self._round
        opened = self.vault.ask("plan", source, fields, self.ledger)
        with self._lock:
            if number == self._round:  # else newer parameters were asked for meanwhile
                self.opened = opened
                if runs(opened) == SMALL and not same:
                    self.preview()
        return {"plan": pages.plan(opened), "spend": pages.spend(opened), **self.state()}

    def preview(self) -> dict[str, Any]:
        """Begin the trials of the parameters that are planned."""
        with self._lock:
            if self.opened is None:
                raise UsageError("preview: open a network first")
            self._forget()
            self._trying = True
            Thread(target=self._try, args=(self.opened, self._round), daemon=True).start()
        return self.state()

    def release(self, source: str, fields: Fields, agreed: str) -> dict[str, Any]:
        """Begin the release."""
        with self._lock:
            self._refuse_while_drawing()
            self._step, self._failed, self.released = "beginning", "", None
            given = source, fields, (self.ledger, self.folder), agreed
            self._drawing = Thread(target=self._draw, args=given, daemon=True)
            self._drawing.start()
        return self.state()

    def state(self) -> dict[str, Any]:
        """Return what goes on, and what is to be seen of it."""
        with self._lock:
            of = 0 if self.opened is None else runs(self.opened)
            shown = self.opened, tuple(self._trials), of, self._note
            return {
                "preview": {
                    "round": self._round,
                    "running": self._trying,
                    "done": len(self._trials),
                    "of": of,
                    "html": pages.preview(*shown, running=self._trying),
                },
                "release": {
                    "running": self._step is not None,
                    "step": self._step or "",
                    "html": pages.outcome(self.released, self._failed),
                },
            }

    @property
    def drawing(self) -> bool:
        """Whether a release is being drawn."""
        return self._drawing is not None and self._drawing.is_alive()

    @property
    def ended(self) -> str:
        """How the last release ended, in words; nothing where there was none."""
        if self.released is not None:
            return f"the release is in {self.released.path}; "
        return f"{self._failed}; " if self._failed else ""

    def close(self) -> None:
        """Wait for a release that is being drawn, and end both processes."""
        if self._drawing is not None:
            self._drawing.join()
        self.give_up()

    def give_up(self) -> None:
        """End both processes, whatever they do."""
        self.bench.close()
        self.vault.close()

    def _refuse_while_drawing(self) -> None:
        """Refuse what would wait for the vault."""
        if self.drawing:
            raise UsageError(_BUSY)

    def _forget(self) -> None:
        """Let the trials of other parameters be overtaken."""
        self._round += 1
        self._trials, self._trying, self._note = [], False, ""

    def _try(self, opened: Opened, number: int) -> None:
        """Ask for one trial after the other, as long as these are the parameters."""
        until, note = monotonic() + PATIENCE, ""
        key = f"{self._reads} {opened.public.policy.name} {opened.request.choices}"
        given = key, (opened.kind, opened.public), opened.request
        try:
            for seed in range(1, runs(opened) + 1):
                if number != self._round:
                    return
                left = max(1.0, until - monotonic())
                trial = self.bench.ask("trial", *given, seed, limit=left)
                with self._lock:
                    if number == self._round:
                        self._trials.append(trial)
        except PocinError as error:
            note = str(error)
        with self._lock:
            if number == self._round:
                self._trying, self._note = False, note

    def _draw(self, *given: Any) -> None:
        """Ask for the release."""
        try:
            made = self.vault.ask("release", *given, say=self._say)
            failed = ""
        except PocinError as error:
            made, failed = None, str(error)
        with self._lock:
            self.released, self._failed, self._step = made, failed, None

    def _say(self, step: str) -> None:
        """Note how far the release is."""
        self._step = step


def runs(opened: Opened) -> int:
    """Return how many trials are made: on larger networks fewer, for each takes longer."""
    nodes = opened.public.node_count
    return SMALL if nodes <= FEW_NODES else MIDDLE if nodes <= MANY_NODES else LARGE
