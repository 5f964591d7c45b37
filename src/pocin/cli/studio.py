# SPDX-License-Identifier: MIT
"""``pocin studio``."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin.cli.console import Flag, print_text, warn
from pocin.errors import UsageError

if TYPE_CHECKING:
    from pocin.studio.server import Studio


def studio(
    *,
    output: Annotated[Path, Parameter(alias="-o")] = Path(),
    ledger: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8642,
    token: Annotated[str | None, Parameter(env_var="POCIN_STUDIO_TOKEN")] = None,
    open_: Annotated[Flag, Parameter(name="--open")] = False,
) -> None:
    """Choose, preview and draw a release on a page in your browser. Ctrl-C ends it.

    The page is served to this machine alone, at an address with a random token in it. Previews are
    of surrogates: the public part of your network with made-up values.

    Parameters
    ----------
    output
        The folder that releases are written to; by default the one you are in.
    ledger
        The ledger's file; by default one in your state folder.
    host
        Another address to serve; it needs --token, and is not encrypted.
    port
        The port; 0 takes any free one.
    token
        The secret part of the address, of at least 16 letters and digits; by default a random one.
    open_
        Open the page in your browser.
    """
    from pocin.studio.bench import Bench
    from pocin.studio.guard import Guard
    from pocin.studio.server import Studio
    from pocin.studio.session import Session
    from pocin.studio.vault import Vault
    from pocin.studio.worker import Worker

    if not output.is_dir():
        raise UsageError(f"{output}: is no folder; make it first, or name another")
    guard = Guard.at(host, token)
    session = Session(Worker(Vault), Worker(Bench), ledger, output.resolve())
    with Studio(guard, port, session) as server:
        print_text(f"pocin studio: {server.url} (Ctrl-C ends it)")
        if open_:
            import webbrowser

            webbrowser.open(server.url)
        with suppress(KeyboardInterrupt):
            server.serve_forever()
        _close(server)


def _close(server: Studio) -> None:
    """Let a release that is being drawn come to its end, unless Ctrl-C is pressed again."""
    session = server.session
    try:
        if session.drawing:
            warn("a release is being drawn: waiting for its end; Ctrl-C again gives it up")
        session.close()
    except KeyboardInterrupt:
        session.give_up()
        warn("studio ended; the release was given up, and pocin ledger show tells what is spent")
    else:
        warn(f"{session.ended}studio ended; nothing is left running")
