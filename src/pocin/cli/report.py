# SPDX-License-Identifier: MIT
"""``pocin report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin.cli.console import Flag, print_text, progress, require_html
from pocin.errors import UsageError
from pocin.output import PUBLIC_MODE, SECRET_MODE, claimed

if TYPE_CHECKING:
    from collections.abc import Callable


def report(
    *released: Path,
    output: Annotated[Path, Parameter(name=["-o", "--output"])],
    public: Flag = False,
    attack: Path | None = None,
    audit: Path | None = None,
    credit: str | None = None,
    quiet: Flag = False,
    force: Flag = False,
) -> None:
    """Make a page that shows a release: one file, for any browser, with no network.

    Without --public it is the curator's: it shows the real network where OUT.curator.json stands
    beside the release, and is written for you alone (mode 0600).

    Parameters
    ----------
    released
        Released files or folders; several are compared.
    output
        The page to write: a name that ends in .html.
    public
        Make the page that may be published: it does not open the curator's record.
    attack
        What pocin attack ... --json printed, for the curator's page.
    audit
        What pocin audit ... --json printed, for the curator's page.
    credit
        A line under the maps, such as '© OpenStreetMap contributors'.
    quiet
        No progress on stderr.
    force
        Overwrite what stands at the output.
    """
    if not released:
        raise UsageError("RELEASE: name a released file or folder; pocin release makes one")
    require_html(output)
    if public and (attack or audit):
        raise UsageError(
            f"--{'attack' if attack else 'audit'}: compares with the real network, so it is not "
            "for a public page; leave it out, or leave out --public"
        )
    given = [*released, *(file for file in (attack, audit) if file)]
    with (
        progress(quiet=quiet) as say,
        claimed([output], force=force, inputs=given) as stage,
    ):
        made = (
            _public(released, credit, say)
            if public
            else _curator(released, attack, audit, credit, say)
        )
        stage(output, {"": made.encode()}, PUBLIC_MODE if public else SECRET_MODE)
    print_text(f"{output}: {'public' if public else 'for the curator alone'}")


def _public(released: tuple[Path, ...], credit: str | None, say: Callable[[str], None]) -> str:
    """Make the page without a module that could open the curator's record."""
    from pocin.report.page import public_page
    from pocin.report.released import read_released

    say("reading")
    found = [read_released(path) for path in released]
    say("drawing")
    return public_page(found, credit)


def _curator(
    released: tuple[Path, ...],
    attack: Path | None,
    audit: Path | None,
    credit: str | None,
    say: Callable[[str], None],
) -> str:
    """Make the curator's page."""
    from pocin.report.private import curator_page
    from pocin.report.released import read_released

    say("reading")
    found = [read_released(path) for path in released]
    say("drawing")
    return curator_page(found, attack=attack, audit=audit, credit=credit)
