# SPDX-License-Identifier: MIT
"""The whole exception tree, and the exit code that each branch ends a command with.

    PocinError
    ├── UsageError          2  a flag, a value or a combination that cannot be
    ├── InputError          3  a file or a network that cannot be used
    ├── NotFaithfulError    4  the draws cannot be made a faithful release
    ├── BudgetError         5  the ledger refuses the spend
    └── AuditError          6  a gate of the audit failed

A message is one sentence that names the place and the remedy. It never echoes a secret value:
a file's row and column are named, what stands there is not. Names of columns and the like come from
files, so that whatever would steer a terminal is taken out.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import ClassVar


def plain(sentence: str) -> str:
    """Return a sentence on one line, with ? for what cannot be printed."""
    line = " ".join(sentence.splitlines())
    return line if line.isprintable() else "".join(c if c.isprintable() else "?" for c in line)


def aside(line: str) -> None:
    """Write a line on stderr; where nobody takes it, that must not end what goes on."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")


class PocinError(Exception):
    """Everything that pocin raises on purpose."""

    exit_code: ClassVar[int] = 1

    def __init__(self, sentence: str) -> None:
        super().__init__(plain(sentence))


class UsageError(PocinError):
    """The call cannot be carried out as asked."""

    exit_code = 2


class InputError(PocinError):
    """The source cannot be read, or is not a network that pocin can release."""

    exit_code = 3


class NotFaithfulError(PocinError):
    """No faithful network could be made of the draws; their spend stands."""

    exit_code = 4


class BudgetError(PocinError):
    """The spend does not fit into what the ledger's budget leaves."""

    exit_code = 5


class AuditError(PocinError):
    """A gate of the audit failed."""

    exit_code = 6
