# SPDX-License-Identifier: MIT
"""What must hold of every execution, whatever the input.

The reader gives a network or one of pocin's own errors: a sentence on one line that names the
source and holds none of the planted numbers, with its exit code. A network that it gives keeps what
reading promises (the target's ``check``), and no file is left or changed. All else is a fault.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.documents import unpack
from pocin.errors import InputError, PocinError, UsageError, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MEMORY = Path("/dev/shm")  # noqa: S108  (a folder in memory, where there is one)
_MARK = re.compile(rb"7919\.3[1-9]")
_STEM = b"7919"
_LONGEST = 20_000
CODES = (UsageError.exit_code, InputError.exit_code)


class Fault(AssertionError):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Outcome:
    """How an execution ended: whether columns became a network, the exit code and the sentence."""

    reached: bool
    code: int
    sentence: str = ""

    @property
    def built(self) -> bool:
        """Whether a network was read."""
        return self.code == 0


@dataclass
class Door:
    """Sees whether the class that holds a network was entered."""

    entered: bool = False

    def watch(self, kind: type[Any]) -> None:
        """Count every construction of this class from now on."""
        begin = kind.__init__

        def counted(made: Any, *given: Any, **named: Any) -> None:
            self.entered = True
            begin(made, *given, **named)

        kind.__init__ = counted


@dataclass(frozen=True)
class Target:
    """A reader under test.

    ``read`` is given the folder that holds the input's files, and raises one of pocin's errors or
    returns what it read; ``check`` raises a ``Fault`` where that breaks a promise; ``says`` gives
    what the reader tells beside its result. ``words`` are the format's own. The share ``fresh`` of
    mutations begins again at a valid input, and a mutation takes up to so many ``steps``: chosen so
    that at least one input in five is a network still, and time goes into what is new.
    """

    name: str
    read: Callable[[Path, Mapping[str, bytes]], Any]
    check: Callable[[Any], None]
    door: Door
    words: tuple[str, ...]
    says: Callable[[Any], tuple[str, ...]] = field(default=lambda _: ())
    codes: tuple[int, ...] = CODES
    fresh: float = 0.3
    steps: int = 2


def judge(target: Target, data: bytes) -> Outcome:
    """Run a target on an input; raise a fault, or whatever else the reader raises, as it is."""
    document = unpack(data)
    target.door.entered = False
    folder = laid(document)
    try:
        found = target.read(folder, document)
    except PocinError as error:
        outcome = Outcome(target.door.entered, error.exit_code, str(error))
        _refused_well(target, data, outcome, folder)
    else:
        outcome = Outcome(target.door.entered, 0)
        target.check(found)
        for sentence in target.says(found):
            keeps_secrets(data, plain(sentence))
    if set(os.listdir(folder)) != set(document):  # noqa: PTH208
        raise Fault("the reader left or removed a file")
    return outcome


def _refused_well(target: Target, data: bytes, outcome: Outcome, folder: Path) -> None:
    """Hold a refusal to what an error must be."""
    sentence = outcome.sentence
    if outcome.code not in target.codes:
        raise Fault(f"exit code {outcome.code}")
    if str(folder) not in sentence and not sentence.startswith("--"):
        raise Fault(f"the error does not name the source: {sentence}")
    if not sentence.isprintable() or not len(str(folder)) < len(sentence) <= _LONGEST:
        raise Fault(f"the error is not one line: {sentence!r}")
    keeps_secrets(data, sentence)


def keeps_secrets(data: bytes, told: str) -> None:
    """Hold what is told to silence on the planted numbers.

    Where a mutation cut a planted number in pieces, its digits may stand for an id, which is public:
    only inputs that hold them whole are looked at.
    """
    if _STEM.decode() in told and _STEM not in _MARK.sub(b"", data):
        raise Fault(f"a planted number stands in what is told: {told}")


@cache
def desk() -> str:
    """Return a folder of this process, in memory where there is such a place."""
    import atexit

    place = tempfile.mkdtemp(prefix="pocin-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    folder = f"{place}/network"
    os.mkdir(folder)  # noqa: PTH102  (as below: pathlib takes longer than the rest)
    return folder


def laid(document: Mapping[str, bytes]) -> Path:
    """Return the folder, holding these files and no others."""
    folder = desk()
    for name in os.listdir(folder):  # noqa: PTH208
        if name not in document:
            os.unlink(f"{folder}/{name}")  # noqa: PTH108
    for name, data in document.items():
        file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, data)
        os.close(file)
    return Path(folder)
