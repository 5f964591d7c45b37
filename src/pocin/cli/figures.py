# SPDX-License-Identifier: MIT
"""``pocin figures``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pocin.cli.console import Flag, print_text, progress
from pocin.errors import UsageError
from pocin.output import PUBLIC_MODE, SECRET_MODE, claimed

if TYPE_CHECKING:
    from collections.abc import Callable

FORMS = ("pdf", "svg", "png")


def figures(
    released: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["-o", "--output"])],
    form: str = "pdf",
    attack: Path | None = None,
    public: Flag = False,
    quiet: Flag = False,
    force: Flag = False,
) -> None:
    """Draw a release for a paper: one file a figure, in one style, at a column's width.

    The map and the released values; for the curator also the truth against the release, where the
    record stands beside it, and the damage of attacks. These two are written for you alone.

    Parameters
    ----------
    released
        A released file or folder.
    output
        The folder to write into.
    form
        pdf, svg or png.
    attack
        What pocin attack ... --json printed.
    public
        Only the figures that may be published: the curator's record is not opened.
    quiet
        No progress on stderr.
    force
        Overwrite figures that stand there.
    """
    if form not in FORMS:
        raise UsageError(f"--form: expected {', '.join(FORMS)}")
    if public and attack:
        raise UsageError("--attack: compares with the real network; leave it out, or --public")
    try:
        import matplotlib as mpl
    except ImportError:
        raise UsageError("pocin figures needs matplotlib: pip install 'pocin[study]'") from None
    del mpl
    with progress(quiet=quiet) as say:
        say("drawing")
        drawn = _public(released)
        secret = {} if public else _secret(released, attack)
        _folder(output)
        files = {output / f"{name}.{form}": make for name, make in {**drawn, **secret}.items()}
        with claimed(list(files), force=force, inputs=[released]) as stage:
            for path, make in files.items():
                mode = SECRET_MODE if path.stem in secret else PUBLIC_MODE
                stage(path, {"": _bytes(make, form)}, mode)
    print_text("\n".join(str(path) for path in files))


def _folder(path: Path) -> None:
    """Make the folder where it does not stand yet."""
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{path}: is no folder to write into ({error.strerror}); name another"
        ) from None


def _public(source: Path) -> dict[str, Callable[[Any], None]]:
    """Return the figures that anyone could draw."""
    from pocin.report import figures as draw
    from pocin.report.maps import Map
    from pocin.report.released import read_released

    drawing = read_released(source).drawing
    made = Map.of(drawing)
    return {
        "map": lambda axes: draw.draw_map(axes, made),
        "values": lambda axes: draw.draw_values(axes, drawing.values, drawing.unit),
    }


def _secret(source: Path, attack: Path | None) -> dict[str, Callable[[Any], None]]:
    """Return the curator's figures."""
    from pocin import style
    from pocin.report import figures as draw
    from pocin.report.curator import read_attacks, read_record
    from pocin.report.released import read_released

    found: dict[str, Callable[[Any], None]] = {}
    released = read_released(source)
    record, unit = read_record(released), released.drawing.unit
    if record is not None:
        found["truth"] = lambda axes: draw.draw_truth(axes, record, unit)
    if attack is not None:
        attacks = read_attacks(attack, style.ATTACKERS)
        found["attacks"] = lambda axes: draw.draw_attacks(axes, attacks)
    return found


def _bytes(make: Callable[[Any], None], form: str) -> bytes:
    """Draw one figure."""
    from pocin import style

    with style.paper():
        figure, axes = style.panel("column", 0.75)
        make(axes)
        return style.rendered(figure, form)
