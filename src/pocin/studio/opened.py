# SPDX-License-Identifier: MIT
"""What leaves the vault, and what leaves the bench: there is no place in it for a secret."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pocin.arrays import Floats
    from pocin.kinds import Kind, Public
    from pocin.plan import Request
    from pocin.privacy.guarantee import Guarantee

Fields = dict[str, str]
"""What a curator chose on the page, by the flags' names; an empty text is the default."""


@dataclass(frozen=True)
class Known:
    """What can be chosen for a network: its kind's words, and a published figure if it has one."""

    kind: str
    policies: tuple[str, ...]
    unit: str
    alpha_value: str
    choices: tuple[str, ...]
    published: float | None


@dataclass(frozen=True, eq=False)
class Opened:
    """What everybody may see of a network under a request, and where its ledger stands.

    ``figure`` is the cost figure where it is known without the secret, ``width`` what the noise of
    a private one stays within; ``spent`` and ``refusal`` are the ledger's sentences.
    """

    source: str
    kind: Kind
    public: Public = field(repr=False)
    request: Request
    promise: Guarantee = field(repr=False)
    network_id: str
    figure: float | None
    width: float | None
    spent: str
    refusal: str | None


@dataclass(frozen=True)
class Released:
    """What a release left: the public files' places, its promise, and the ledger after it."""

    path: str
    files: tuple[str, ...]
    record: str
    statement: str
    needs: str
    spent: str


@dataclass(frozen=True, eq=False)
class Trial:
    """One seeded release of one surrogate.

    ``gap`` is how far its optimum is off the surrogate's, None where no faithful one was found, and
    ``reason`` then says why; ``before`` and ``after`` are the values at the sites, ``moved`` is the
    share of sites at which another element stands, ``found`` what an attacker finds who believes
    the release, ``guessed`` one who guesses (both as a share of what knowing all finds).
    """

    gap: float | None
    bilevel: str = ""
    reason: str = ""
    before: Floats | None = field(default=None, repr=False)
    after: Floats | None = field(default=None, repr=False)
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def faithful(self) -> bool:
        """Whether it could be made faithful."""
        return self.gap is not None
