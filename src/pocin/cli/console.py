# SPDX-License-Identifier: MIT
"""What commands share: data on stdout, progress on stderr after the first second."""

from __future__ import annotations

import json
import os
import sys
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from pocin.errors import PocinError, UsageError, aside, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE = 1.0

Flag: TypeAlias = Annotated[bool, Parameter(negative=(), show_default=False)]


def print_json(data: Any) -> None:
    """Print one object on stdout."""
    print_text(json.dumps(data, indent=2, ensure_ascii=False))


def print_text(text: str) -> None:
    """Print lines on stdout."""
    if sys.stdout is None:
        raise PocinError(
            "the output cannot be printed (stdout is closed); files that were written are whole"
        )
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What could not be printed is lost, and Python must not try again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise PocinError(
            f"the output cannot be printed ({error.strerror}); files that were written are whole"
        ) from None


def warn(sentence: str) -> None:
    """Say something that the curator should know, on stderr."""
    aside(f"pocin: {plain(sentence)}")


def require_html(output: Path) -> None:
    """Refuse a page whose name a browser would not open."""
    if output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{output}: a page ends in .html; name it {output.stem}.html")


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Yield a function that shows the present step: a spinner on a terminal, else lines."""
    if quiet:
        yield lambda _: None
    elif sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("reading") as status:
            yield status.update
    else:
        began = perf_counter()

        def say(step: str) -> None:
            if perf_counter() - began > PATIENCE:
                aside(f"pocin: {step} ({perf_counter() - began:.0f} s)")

        yield say
