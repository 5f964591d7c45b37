# SPDX-License-Identifier: MIT
"""The command line: one short file a command, imported when it is called."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from typing import TYPE_CHECKING

from pocin.errors import InputError, PocinError, UsageError, aside, plain
from pocin.version import VERSION

if TYPE_CHECKING:
    from cyclopts import App, CycloptsError

INTERRUPTED = 130
INTERNAL = 1
_LONGEST = 2_000  # characters of the beginning and the end of an error

EXPECTED = {
    float: "a number, such as 0.1",
    int: "a whole number, such as 1",
    bool: "no value: it is a switch",
}
"""What is said where a value is not of the type that a flag takes."""

COMMANDS = {
    "release": "Release a network: shuffle, add noise, restore fidelity, certify, write.",
    "solve": "Print the optimum that a reader would find.",
    "attack": "Measure what attackers gain by released files: damage on the real network.",
    "audit": "Check the guarantee on a network, and what released files give away.",
    "study": "Measure many seeded releases, or repeat the paper's study.",
    "report": "Make a page that shows a release: one file, with no network.",
    "explore": "Make a page that explores a study: linked charts, and the command of each point.",
    "studio": "Preview and draw a release on a page in your browser.",
    "figures": "Draw a release for a paper, in one style.",
    "ledger": "The record of privacy spent on a network.",
    "cases": "The networks that come with pocin.",
    "doctor": "Print versions and check that the solvers work.",
    "completion": "Print what makes a shell complete commands and flags.",
}


def main() -> None:
    """Run a command; every failure is one sentence on stderr and an exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a plain kill cleans up, too
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code."""
    try:
        parser()(arguments, result_action="return_value")
    except PocinError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail(
            "interrupted; no file was left half written, and pocin ledger show tells what is spent",
            INTERRUPTED,
        )
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERNAL
    except Exception as error:
        from cyclopts import CycloptsError

        if isinstance(error, CycloptsError):
            return _fail(_usage(error), UsageError.exit_code)
        if os.environ.get("POCIN_DEBUG"):
            raise
        return _fail(*_unforeseen(error))
    return 0


@cache
def parser() -> App:
    """Return the parser; cyclopts is imported here, where Ctrl-C meets a sentence already."""
    from cyclopts import App

    app = App(
        name="pocin",
        help="Release power grids and road networks privately and faithfully.",
        version=VERSION,
        help_format="plaintext",
        print_error=False,
        exit_on_error=False,
        help_on_error=False,
        suppress_keyboard_interrupt=False,
    )
    for name, words in COMMANDS.items():
        app.command(f"pocin.cli.{name}:{name}", name=name, help=words)
    return app


def _usage(error: CycloptsError) -> str:
    """Say what is wrong with a command line, and where help is."""
    command = " ".join(["pocin", *(error.command_chain or ())])
    return f"{_sentence(error).rstrip('.')}; see {command} --help"


def _sentence(error: CycloptsError) -> str:
    """Return cyclopts' sentence on one line, in our words where it speaks of Python's types."""
    from cyclopts import CoercionError, UnusedCliTokensError

    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        one = error.unused_tokens[0]
        return f"'{one}' is one argument too many; name its flag, or join it to the word before"
    if isinstance(error, CoercionError) and error.token and error.target_type in EXPECTED:
        return f"{error.token.keyword}: expected {EXPECTED[error.target_type]}"
    said = " ".join(str(error).split()).partition(" Available commands:")[0]
    return said.rpartition('" parameter ')[2] or "the command cannot be understood"


def _unforeseen(error: Exception) -> tuple[str, int]:
    """Say what no command foresees, and the exit code."""
    if isinstance(error, MemoryError):
        return "memory ran out; close other programs, or give a smaller network", INTERNAL
    if isinstance(error, OSError) and error.filename is not None:  # as of a name that is too long
        why = f"{error.filename}: cannot be used ({error.strerror}); check the path and the disk"
        return why, InputError.exit_code
    name = type(error).__name__
    return f"internal error ({name}); please report it (POCIN_DEBUG=1 shows more)", INTERNAL


def _fail(sentence: str, code: int) -> int:
    """Say what is wrong on stderr, on one line whatever a path or a parser holds."""
    said = plain(sentence)
    said = said if len(said) <= 2 * _LONGEST else f"{said[:_LONGEST]} ... {said[-_LONGEST:]}"
    aside(f"pocin: {said}")
    return code
