# SPDX-License-Identifier: MIT
"""Ctrl-C, and a plain kill, made to wait for what must not be torn apart.

Python runs handlers of signals in the main thread, between two of its steps, or where a library
asks for them. So it is the handlers that are put off: a mask of signals would not do, for another
thread (a progress bar's) takes what the main one masks.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def put_off() -> Iterator[Callable[[], bool]]:
    """Put signals off to the end of the block, and yield a function that says if one waits."""
    waiting: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    before = {k: found for k, found in handlers.items() if found not in (signal.SIG_IGN, None)}
    try:
        for number in before:
            signal.signal(number, lambda number, _: waiting.append(number))
        yield lambda: bool(waiting)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for sent in waiting:
            signal.raise_signal(sent)
