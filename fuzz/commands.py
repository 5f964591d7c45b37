# SPDX-License-Identifier: MIT
"""The command line, in this process: words from a grammar, mutated, beside small files.

Every command runs as far as its work: reading, checking and refusing are real; drawing, solving and
simulating are not begun (``Begun``), and what would stay (a server, workers) is given a flag that
there is not. An input has its words in ``words``, one a line.
"""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from fuzz.judge import Door, Fault, Target
from pocin import api, attack, cli, flow
from pocin.audit import inspect
from pocin.errors import PocinError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from random import Random

WORDS = "words"
_LEDGER = "l.sqlite"
_STAY = {"studio", "study", "explore", "figures", "doctor", "completion", "make-city"}
_CODES = (2, 3, 4, 5, 6)
_BEGAN = "the work began"
_MOST_WORDS = 40


class Said(PocinError):  # noqa: N818  (as an outcome it is no error)
    """What a command said as it ended, with its exit code."""


class BegunError(PocinError):
    """The command has come as far as its work; as an outcome this is a success."""

    exit_code = 4


@dataclass(frozen=True)
class Ended:
    """What a command printed."""

    out: str
    err: str


_SOURCES = ("grid.m", "city", "ieee14", "siouxfalls", "nofile.m", "own.toml", "", ".", "pglib:x")
_NUMBERS = ("1", "0", "-1", "0.5", "1e-20", "1e400", "nan", "inf", "1/3", "1/0", "10_0", "much", "")
_VALUES = {
    "--epsilon": _NUMBERS, "--epsilon-location": _NUMBERS, "--epsilon-value": _NUMBERS,
    "--alpha-location": ("2hops", "5%", "1%nodes", "0hops", "2", "1e9hops", "-1hops", ""),
    "--alpha-value": ("10MW", "0.1pu", "10veh", "10", "0.001MW", "1e25MW", "MW"),
    "--beta": _NUMBERS, "--cost-figure": ("2178.1", "computed", *_NUMBERS),
    "--cost-epsilon": _NUMBERS, "--mechanism": ("softmax", "permutation", "best"),
    "--policy": ("derived", "unit", "site", "pairs", "demand", "own.toml", "grid.m", "best"),
    "--only": ("only.txt", "nofile", "grid.m"), "--costs": ("costs.csv", "grid.m", "nofile"),
    "--ledger": (_LEDGER, "grid.m", "nofolder/l.sqlite", "."), "--network-id": ("mine", "", "7919"),
    "--pmin-ratio": _NUMBERS, "--model": ("ac", "dc", "xc"), "--budget": _NUMBERS,
    "--reading": ("total", "per-trip", "each"), "--trip-times": ("times.csv", "computed", "nofile"),
    "--gamma": ("computed", *_NUMBERS), "--time-limit": _NUMBERS, "--seed": _NUMBERS,
    "--slowdown": _NUMBERS, "--draws": _NUMBERS, "-o": ("out.m", "out", "grid.m", "no/out.m", ""),
    "--links": ("5", "0", "-1", "much"), "--trips": ("2", "0", "1e3"), "--credit": ("me", ""),
    "--attack": ("grid.m", "nofile"), "--audit": ("grid.m",),
}  # fmt: skip
_FLAGS = ("--json", "--quiet", "--force", "--research", "--dry-run", "--public", "--bogus", "-x")
_COMMANDS = (
    ("release",), ("release",), ("ledger", "open"), ("ledger", "show"), ("solve",), ("audit",),
    ("attack",), ("report",), ("cases",), ("cases", "make-city"), ("figures",), ("study",),
    ("explore",), ("studio",), ("doctor",), ("completion",), ("nonsense",), (),
)  # fmt: skip


def spoken(rng: Random, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with a command line of the grammar beside them."""
    words = [*rng.choice(_COMMANDS)]
    words += rng.choices(
        _SOURCES, weights=(30, 2, 1, 1, 2, 2, 2, 2, 2), k=rng.choice((0, 1, 1, 1, 2))
    )
    for _ in range(rng.randint(0, 5)):
        if rng.random() < 0.25:  # noqa: PLR2004
            words.append(rng.choice(_FLAGS))
        else:
            flag = rng.choice(list(_VALUES))
            words += [flag, rng.choice(_VALUES[flag])]
    return {**files, WORDS: "\n".join(words).encode()}


_DOOR = Door()
_WORK = ((flow, "release"), (api, "solve"), (attack, "simulation"), (inspect, "audit"))
_usage: Callable[[Any], str] = cli._usage  # noqa: SLF001


def _refused(error: Any) -> str:
    """Take note that the words were not understood."""
    _DOOR.entered = False
    return _usage(error)


def _begin(*_given: Any, **_named: Any) -> None:
    """Stand where work begins."""
    raise BegunError(_BEGAN)


@contextlib.contextmanager
def _workless() -> Iterator[None]:
    """End every command where its work begins, for now."""
    patches: list[Any] = [patch.object(cli, "_usage", _refused)]
    patches += [patch.object(module, name, _begin) for module, name in _WORK]
    with contextlib.ExitStack() as stack:
        for one in patches:
            stack.enter_context(one)
        yield


def _read(folder: Path, document: Mapping[str, bytes]) -> Ended:
    """Run a command in the folder."""
    text = document.get(WORDS, b"").decode("utf-8", errors="surrogateescape")
    words = [word for word in text.split("\n") if "\0" not in word][:_MOST_WORDS]
    if _STAY & set(words):
        words.append("--bogus")
    out, err = io.StringIO(), io.StringIO()
    before = os.getcwd()  # noqa: PTH109
    os.chdir(folder)
    _DOOR.entered = True
    try:
        with _workless(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.run(words)
    except SystemExit as error:
        raise Fault(f"the command ended the process: {error}") from None
    finally:
        os.chdir(before)
    _tidy(folder, document)
    ended = Ended(out.getvalue(), err.getvalue())
    if code and _BEGAN not in ended.err:
        raise _said(code, ended)
    return ended


def _tidy(folder: Path, document: Mapping[str, bytes]) -> None:
    """Hold a command to what it may leave: a ledger and its mark, and every input as it was."""
    for name, data in document.items():
        if (folder / name).read_bytes() != data:
            raise Fault(f"{name} was changed")
    left = sorted(path.name for path in folder.iterdir() if path.name not in document)
    if left not in ([], [_LEDGER], [_LEDGER, f"{_LEDGER}.head"]):
        raise Fault(f"left behind: {', '.join(left)}")
    if left and not (folder / _LEDGER).read_bytes().startswith(b"SQLite format 3\0"):
        raise Fault("the ledger is none")
    for name in left:
        (folder / name).unlink()


def _said(code: int, ended: Ended) -> Said:
    """Return what a command said, held to the form: notes and one sentence, a line each."""
    lines = ended.err.splitlines()
    if not lines or not all(line.startswith("pocin: ") for line in lines):
        raise Fault(f"not a sentence on stderr: {ended.err!r}")
    said = Said(lines[-1])
    said.exit_code = code  # type: ignore[misc]
    return said


def check(ended: Ended) -> None:
    """A success says something, or quietly did something."""
    lines = ended.err.splitlines()
    if not all(line.startswith("pocin: ") and line.isprintable() for line in lines):
        raise Fault(f"not notes on stderr: {ended.err!r}")


def _says(ended: Ended) -> tuple[str, ...]:
    """Return the notes."""
    return (ended.err,)


TARGETS = (
    Target(
        "commands", _read, check, _DOOR, (*_FLAGS, *_VALUES, *_SOURCES[:5], *_NUMBERS[:-1]), _says,
        codes=_CODES, fresh=0.5, named=False, filed=True, spoken=spoken, typed=WORDS,
    ),
)  # fmt: skip
