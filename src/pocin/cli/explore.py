# SPDX-License-Identifier: MIT
"""``pocin explore``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pocin.cli.console import Flag, print_text, progress, require_html, warn
from pocin.output import SECRET_MODE, claimed


def explore(
    study: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["-o", "--output"])],
    quiet: Flag = False,
    force: Flag = False,
) -> None:
    """Make a page that explores a study: fidelity, damage and privacy as linked charts.

    One file, for any browser, with no network. It is the curator's, as the study is: damage is
    measured on the real network. It is written for you alone (mode 0600).

    Parameters
    ----------
    study
        The folder that pocin study wrote.
    output
        The page to write: a name that ends in .html.
    quiet
        No progress on stderr.
    force
        Overwrite what stands at the output.
    """
    from pocin.study.extras import needs

    needs("study", "polars")
    require_html(output)
    from pocin.report.explore import explorer
    from pocin.study.points import points

    with (
        progress(quiet=quiet) as say,
        claimed([output], force=force, inputs=[study]) as stage,
    ):
        say("reading")
        found = points(study)
        if found.unfinished is not None:
            warn(f"{study}: is not finished ({found.unfinished}); the page shows what is there")
        say("drawing")
        made = explorer(found, study.resolve().name)
        stage(output, {"": made.encode()}, SECRET_MODE)
    print_text(f"{output}: for the curator alone")
