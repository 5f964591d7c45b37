# SPDX-License-Identifier: MIT
"""An object in a process of its own, asked one thing at a time.

It says how far it is while it works, can be given up at a time limit, and begins anew when it is
asked again. It ends with the process that asks.
"""

from __future__ import annotations

import multiprocessing as mp
import os
import signal
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from pocin.errors import PocinError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

_SAID, _DONE, _FAILED = "said", "done", "failed"
_GRACE = 5.0  # seconds to take away what is half written


class GivenUpError(PocinError):
    """The time limit came first, or the process was ended."""


@dataclass(eq=False)
class Worker:
    """Asks the object that ``make`` makes, over there; ``make`` must be importable."""

    make: Callable[[], Any]
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)
    _gate: Lock = field(default_factory=Lock, init=False, repr=False)
    _closed: bool = field(default=False, init=False, repr=False)
    _there: tuple[SpawnProcess, Connection] | None = field(default=None, init=False, repr=False)

    def ask(
        self,
        method: str,
        *given: Any,
        say: Callable[[str], None] = lambda _: None,
        limit: float | None = None,
    ) -> Any:
        """Return what ``method(*given, say)`` returns, or raise what it says is wrong."""
        with self._lock:
            until = None if limit is None else monotonic() + limit
            try:
                pipe = self._pipe()
                pipe.send((method, given))
                while True:
                    if until is not None and not pipe.poll(max(0.0, until - monotonic())):
                        self.end()
                        raise GivenUpError(f"it took over {limit:.0f} s and was stopped")
                    word, value = pipe.recv()
                    if word == _SAID:
                        say(value)
                    elif word == _DONE:
                        return value
                    else:
                        raise PocinError(value)
            except (EOFError, OSError):
                self.end()
                raise GivenUpError("it was ended before it was through") from None

    def close(self) -> None:
        """End the process, and begin none again."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """End the process; what it was writing it takes away."""
        with self._gate:  # one that is beginning is ended too
            there, self._there = self._there, None
        if there is not None:
            process, pipe = there
            process.terminate()
            process.join(_GRACE)
            if process.is_alive():
                process.kill()
                process.join()
            pipe.close()  # after the end: whoever waits at it is told so

    def _pipe(self) -> Connection:
        """Return the pipe to the process, which is started where there is none."""
        with self._gate:
            if self._closed:
                raise EOFError
            if self._there is None or not self._there[0].is_alive():
                self._there = self._begun()
            return self._there[1]

    def _begun(self) -> tuple[SpawnProcess, Connection]:
        """Start the process."""
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(self.make, theirs), daemon=True)
        with _deaf():
            process.start()
        theirs.close()
        return process, ours


@contextmanager
def _deaf() -> Iterator[None]:
    """Start what begins in this block without Ctrl-C, which a terminal sends to all at once."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # begins with the first process, and would listen again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(make: Callable[[], Any], pipe: Connection) -> None:
    """Answer until nobody asks any more. Ctrl-C is the page's; a plain kill cleans up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)

    def say(step: str) -> None:
        with suppress(OSError):  # nobody listens: the work goes on
            pipe.send((_SAID, step))

    with suppress(EOFError, OSError, KeyboardInterrupt):
        made = make()
        while True:
            method, given = pipe.recv()
            pipe.send(_answer(getattr(made, method), given, say))


def _answer(
    method: Callable[..., Any], given: tuple[Any, ...], say: Callable[[str], None]
) -> tuple[str, Any]:
    """Return what comes of it; an error is one sentence, and its traceback stays here."""
    try:
        return _DONE, method(*given, say)
    except PocinError as error:
        return _FAILED, str(error)
    except Exception as error:
        if os.environ.get("POCIN_DEBUG"):
            raise
        return _FAILED, f"internal error ({type(error).__name__}); please report it"
