# SPDX-License-Identifier: MIT
"""``pocin study``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pocin.cli.console import Flag, print_json, print_text, warn
from pocin.errors import PocinError, UsageError

if TYPE_CHECKING:
    from pocin.study.engine import Outcome
    from pocin.study.executors import Executor


def study(
    file: str,
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o")] = None,
    workers: int | None = None,
    cluster: str | None = None,
    only: Annotated[
        tuple[str, ...], Parameter(consume_multiple=True, negative=(), show_default=False)
    ] = (),
    data: Path | None = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Make and measure many seeded releases: a grid of settings, for research.

    Nothing is private and nothing is spent: the results stand beside the truth and are the
    curator's. Started again, a study goes on where it ended.

    Parameters
    ----------
    file
        A .toml file that describes the study, an example's name, or 'paper': every table and
        figure of the paper, and those that it should have had.
    output
        The folder for the results; the same one again goes on with them.
    workers
        How many processes of this machine work; by default one a core.
    cluster
        The address of a Dask scheduler whose workers work instead, as tcp://10.0.0.1:8786.
    only
        The grids to do, by their names.
    data
        A folder with networks that the study names and that do not come with pocin.
    json
        Print one JSON object on stdout.
    quiet
        No progress on stderr.
    """
    from pocin.study.extras import needs

    needs("study", "polars", "matplotlib")
    from pocin.study import grid, paper, sweep
    from pocin.study.engine import carry_out
    from pocin.study.progress import bar

    if output is None:
        raise UsageError("-o DIR: name the folder for the results")
    if data is not None and not data.is_dir():
        raise UsageError(f"--data {data}: there is no such folder; check the path")
    executor = _executor(workers, cluster)
    whole = file == paper.NAME
    folder = paper.beside(output) if whole else output
    asked = grid.load(
        paper.FILE if whole else grid.found(file), only, data or paper.data(file), lenient=whole
    )
    for case in asked.absent:
        warn(f"{case} is left out: its files are not here; name their folder by --data")
    with bar(asked.title, quiet=quiet) as tick:
        ended = carry_out(asked, folder, executor, tick)
    pages = paper.write(output, asked) if whole else sweep.write(output, asked)
    files = [str(folder), *map(str, pages)]
    if json:
        print_json({**_counts(ended), "files": files})
    else:
        print_text(_told(ended, files))
    if ended.failures:
        raise PocinError(
            f"{len(ended.failures)} of {ended.tasks} tasks failed, the first: {ended.failures[0]}; "
            "started again, the study tries them once more"
        )


def _executor(workers: int | None, cluster: str | None) -> Executor:
    """Return what carries the study out."""
    if cluster is not None:
        if workers is not None:
            raise UsageError("--workers: is the cluster's to say; leave it out with --cluster")
        from pocin.study.cluster import Cluster
        from pocin.study.extras import needs

        needs("cluster", "distributed")
        return Cluster(cluster)
    if workers is not None and workers < 1:
        raise UsageError("--workers: expected a number of at least 1")
    from pocin.study.executors import Processes

    return Processes(workers or os.cpu_count() or 1)


def _counts(ended: Outcome) -> dict[str, object]:
    """Return how the study ended."""
    return {
        "tasks": ended.tasks,
        "done_before": ended.found,
        "done_now": ended.made,
        "failed": list(ended.failures),
    }


def _told(ended: Outcome, files: list[str]) -> str:
    """Say how the study ended, and where the results are."""
    before = f", {ended.found} of them before" if ended.found else ""
    lines = [f"{ended.found + ended.made} of {ended.tasks} releases measured{before}."]
    return "\n".join([*lines, *files])
