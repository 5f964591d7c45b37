# SPDX-License-Identifier: MIT
"""Faults that a child of the forge prepares before it runs its command. None of them is in pocin.

A *step* is a moment before or after anything that lasts: a file opened to be written, a folder
made, a name moved or removed, bytes brought to the disk, a statement of SQL, a part of the flow. A
*line* is a line of the modules that spend, write and claim. A child is told at which one its fault
comes, so that a loop over all of them leaves out none.
"""

import os
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
LASTING = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "os.link")
MODULES = ("flow", "api", "output", "claims", "record", "privacy.ledger", "cli.release", "cli")


class Counter:
    """Counts steps, and does a deed at one of them."""

    def __init__(self, at: int, deed: Callable[[], None]) -> None:
        self.at, self.deed, self.count, self.asleep = at, deed, 0, False

    def __call__(self) -> None:
        """Take a step."""
        if self.asleep:
            return
        self.count += 1
        if self.count == self.at:
            self.asleep = True
            self.deed()


def deed_of(name: str) -> Callable[[], None]:
    """Return what happens at a step: a signal by its name."""
    number = getattr(signal, name)
    return lambda: os.kill(os.getpid(), number)


def at_step(at: int, sign: str, drawn: str) -> None:
    """Send this process a signal at a step; ``drawn`` is a file that tells that draws began."""
    step = Counter(at, deed_of(sign))
    _tell_of_draws(step, drawn)

    def heard(event: str, given: tuple[object, ...]) -> None:
        if event in LASTING or (event == "open" and given[2] & WRITING):
            step()

    class Mortal(sqlite3.Connection):
        def execute(self, *given: object) -> sqlite3.Cursor:
            step()
            found = super().execute(*given)  # type: ignore[arg-type]
            step()
            return found

    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, **{"factory": Mortal} | k)
    for place, name in ((os, "fsync"), (os, "replace"), (os, "rename"), (os, "unlink")):
        setattr(place, name, _stepping(step, getattr(place, name)))
    from pocin import flow

    for name in ("plan", "spend", "draw", "finish"):
        setattr(flow, name, _stepping(step, getattr(flow, name)))
    sys.addaudithook(heard)


def at_call(at: int, deed: int, drawn: str) -> None:
    """Do a deed of ``calls.c`` at a call of the C library that changes the disk."""
    import ctypes

    _tell_of_draws(Counter(0, lambda: None), drawn)
    ctypes.CDLL(None).fault_at(ctypes.c_long(at), deed)


def at_line(at: int, sign: str, drawn: str, total: str = "") -> None:
    """Send this process a signal at a line; ``total`` is a file that hears how many there were."""
    step = Counter(at, deed_of(sign))
    _tell_of_draws(step, drawn)
    files = {sys.modules[f"pocin.{name}"].__file__ for name in MODULES}

    def line(_frame: FrameType, event: str, _: object) -> object:
        if event == "line":
            step()
        return line

    def call(frame: FrameType, _event: str, _: object) -> object:
        return line if frame.f_code.co_filename in files else None

    if total:
        _at_end(lambda: Path(total).write_text(str(step.count), "ascii"))
    sys.settrace(call)


def _at_end(do: Callable[[], object]) -> None:
    """Do something when the command has ended."""
    end = os._exit

    def exiting(code: int) -> None:
        sys.settrace(None)
        do()
        end(code)

    os._exit = exiting


def _stepping(step: Counter, function: Callable[..., object]) -> Callable[..., object]:
    """Return a function with a step before and after it."""

    def stepped(*given: object, **named: object) -> object:
        step()
        found = function(*given, **named)
        step()
        return found

    return stepped


def _tell_of_draws(step: Counter, drawn: str) -> None:
    """Make a file before the first draw: from then on the spend must stand."""
    from pocin import flow

    draw = flow.draw

    def telling(*given: object) -> object:
        asleep, step.asleep = step.asleep, True
        os.close(os.open(drawn, os.O_CREAT | os.O_WRONLY))
        step.asleep = asleep
        return draw(*given)

    flow.draw = telling


def study_at_step(at: int, sign: str) -> None:
    """Carry a study out in this process, and send it a signal at a step."""
    from pocin.study import executors
    from pocin.study.work import Work

    def here(_: object, work: Work, tasks: list[object]) -> object:
        return map(work, tasks)  # type: ignore[arg-type]

    executors.Processes.run = here  # type: ignore[assignment]
    if at:
        at_step(at, sign, os.devnull)


def small_files(most: int) -> None:
    """Let no file grow beyond some bytes, as on a disk that is nearly full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def small_study(most: int) -> None:
    """Carry a study out in this process, on a disk that is nearly full."""
    study_at_step(0, "")
    small_files(most)


def clock_off(days: float) -> None:
    """Set the clock of the ledger off by some days."""
    from pocin.privacy import ledger

    class Off(datetime):
        @classmethod
        def now(cls, tz: object = UTC) -> datetime:
            del tz
            return datetime.now(UTC) + timedelta(days=days)

    ledger.datetime = Off


def solver_at(at: int, deed: str) -> None:
    """Let the solver of grids die at one of its calls: by a signal, an error of C++, or a hang."""
    import casadi

    call, count = casadi.Function.__call__, [0]

    def solving(self: object, *given: object, **named: object) -> object:
        count[0] += 1
        if count[0] == at:
            if deed.startswith("SIG"):
                os.kill(os.getpid(), getattr(signal, deed))
            if deed == "hang":
                time.sleep(3600)
            raise {"RuntimeError": RuntimeError, "MemoryError": MemoryError}[deed]("thrown")
        return call(self, *given, **named)

    casadi.Function.__call__ = solving


def changing(path: str) -> None:
    """Let a file grow between the first look at it and the second."""
    fstat, place, looked = os.fstat, Path(path), [0]

    def look(descriptor: int) -> os.stat_result:
        found = fstat(descriptor)
        if place.exists() and os.path.samestat(found, place.stat()):
            looked[0] += 1
            if looked[0] == 1:
                with place.open("ab") as file:
                    file.write(b"\n%")
        return found

    os.fstat = look


def vanishing(name: str) -> None:
    """Let a file vanish when it is about to be opened."""

    def heard(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and isinstance(given[0], str | os.PathLike):
            place = Path(given[0])
            if place.name == name and place.exists():
                place.unlink()

    sys.addaudithook(heard)


def offline() -> None:
    """End at once where a socket is opened, or a file that only an entity names."""

    def heard(event: str, given: tuple[object, ...]) -> None:
        strange = event == "open" and "forbidden" in str(given[0])
        if strange or event.startswith(("socket.", "urllib.", "http.")):
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(heard)


def water() -> None:
    """Know the tutorial's kind of network, and end at once where a socket is opened."""
    from pocin import kinds

    tutorial = str(Path(__file__).parents[2] / "docs" / "tutorial")
    sys.path.insert(0, tutorial)
    known = (*kinds.kinds(), __import__("water").WATER)
    kinds.kinds = lambda: known
    offline()
