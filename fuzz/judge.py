# SPDX-License-Identifier: MIT
"""What must hold of every execution, whatever the input.

The reader gives a network or one of pocin's own errors: a sentence on one line that names the
source and holds none of the planted numbers, with its exit code. A network that it gives keeps what
reading promises (the target's ``check``), and no file is left or changed. All else is a fault.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from fuzz.documents import unpack
from pocin import sources
from pocin.errors import InputError, PocinError, UsageError, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

_MEMORY = Path("/dev/shm")  # noqa: S108  (a folder in memory, where there is one)
_MARK = re.compile(rb"7919\.3[1-9]")
_STEM = b"7919"
_SHORTEST, _LONGEST, _FILED = 10, 20_000, 8
CODES = (UsageError.exit_code, InputError.exit_code)


class Fault(AssertionError):  # noqa: N818  (the word that is used)
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


class Shelf:
    """Serves an input's files from memory, for opening them takes as long as reading them.

    One input in eight is written to a folder and read from there. ``files`` is None then.
    """

    def __init__(self) -> None:
        self.files: Mapping[str, bytes] | None = None
        self.open = sources._read  # noqa: SLF001
        sources._read = self.read  # noqa: SLF001

    @contextlib.contextmanager
    def serving(self, files: Mapping[str, bytes] | None) -> Iterator[None]:
        """Serve these files for now."""
        self.files = files
        try:
            yield
        finally:
            self.files = None

    def read(self, path: Path, limits: sources.Limits) -> bytes:
        """Stand in the place of the function that opens files."""
        if self.files is None:
            return self.open(path, limits)
        if path.name not in self.files:
            raise FileNotFoundError
        return self.files[path.name]


SHELF = Shelf()


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
    Errors name the folder where ``named``; ``filed`` inputs are always on the disk; ``spoken`` adds
    what a grammar makes. What is in the file ``typed`` may be told: the user wrote it.
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
    named: bool = True
    filed: bool = False
    spoken: Callable[[Random, Mapping[str, bytes]], dict[str, bytes]] | None = None
    typed: str = ""


def judge(target: Target, data: bytes) -> Outcome:
    """Run a target on an input; raise a fault, or whatever else the reader raises, as it is."""
    document = unpack(data)
    target.door.entered = False
    filed = target.filed or crc32(data) % _FILED == 0
    folder = laid(document) if filed else Path(desk())
    try:
        with SHELF.serving(None if filed else document):
            found = target.read(folder, document)
    except PocinError as error:
        outcome = Outcome(target.door.entered, error.exit_code, str(error))
        _refused_well(target, outcome, folder)
        told = [outcome.sentence]
    else:
        outcome = Outcome(target.door.entered, 0)
        target.check(found)
        told = [plain(sentence) for sentence in target.says(found)]
    for sentence in told if _STEM not in document.get(target.typed, b"") else ():
        keeps_secrets(data, sentence)
    if filed and set(os.listdir(folder)) != set(document):  # noqa: PTH208
        raise Fault("the reader left or removed a file")
    return outcome


def _refused_well(target: Target, outcome: Outcome, folder: Path) -> None:
    """Hold a refusal to what an error must be."""
    sentence = outcome.sentence
    if outcome.code not in target.codes:
        raise Fault(f"exit code {outcome.code}")
    if target.named and str(folder) not in sentence and not sentence.startswith("--"):
        raise Fault(f"the error does not name the source: {sentence}")
    if not sentence.isprintable() or not _SHORTEST < len(sentence) <= _LONGEST:
        raise Fault(f"the error is not one line: {sentence!r}")


def keeps_secrets(data: bytes, told: str) -> None:
    """Hold what is told to silence on the planted numbers.

    Where a mutation cut a planted number in pieces, its digits may stand for an id, which is
    public: only inputs that hold them whole are looked at.
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
            left = Path(folder, name)
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    for name, data in document.items():
        file = os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, data)
        os.close(file)
    return Path(folder)
