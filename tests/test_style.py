# SPDX-License-Identifier: MIT
"""The look: colours that stand out on both grounds, and files that repeat to the byte."""

from itertools import pairwise
from pathlib import Path

import pytest

from pocin import style

GROUNDS = ("#ffffff", "#11151b")


def light(colour: str) -> float:
    """Return WCAG's relative luminance."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((light(a), light(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", GROUNDS)
def test_every_role_stands_out(ground: str) -> None:
    assert min(contrast(role.colour, ground) for role in style.ROLES.values()) >= 3


def test_attackers_differ_without_colour() -> None:
    roles = [style.ROLES[name] for name in style.ATTACKERS]
    assert len({(role.marker, role.dashes) for role in roles}) == len(roles)
    assert len({(role.colour, role.hatch) for role in roles}) == len(roles)


@pytest.mark.parametrize(
    ("ramp", "ground"), [(style.RAMP, GROUNDS[0]), (style.RAMP_DARK, GROUNDS[1])]
)
def test_every_step_stands_out(ramp: tuple[str, ...], ground: str) -> None:
    assert min(contrast(step, ground) for step in ramp) >= 3


@pytest.mark.parametrize(("ramp", "rises"), [(style.RAMP, False), (style.RAMP_DARK, True)])
def test_larger_values_are_farther_from_the_ground(ramp: tuple[str, ...], rises: bool) -> None:  # noqa: FBT001
    steps = [(light(a), light(b)) for a, b in pairwise(ramp)]
    assert all((b > a) is rises for a, b in steps)


@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
def test_a_figure_repeats_to_the_byte(tmp_path: Path, form: str) -> None:
    pytest.importorskip("matplotlib")
    files = []
    for name in ("a", "b"):
        with style.paper():
            figure, axes = style.panel("column")
            axes.errorbar([1, 2], [3, 4], [0.1, 0.2], **style.ROLES["informed"].line)
            axes.bar([1], [2], **style.ROLES["public"].bar)
            axes.set_xlabel(r"$\varepsilon$")
        style.save(figure, tmp_path / f"{name}.{form}")
        files.append((tmp_path / f"{name}.{form}").read_bytes())
    assert files[0] == files[1]


def test_the_style_stays_inside() -> None:
    mpl = pytest.importorskip("matplotlib")
    before = mpl.rcParams["font.family"]
    with style.paper():
        assert mpl.rcParams["font.serif"] == ["STIXGeneral"]
    assert mpl.rcParams["font.family"] == before


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with style.paper():
        figure, _ = style.panel()
    with pytest.raises(ValueError, match="expected a name that ends in"):
        style.save(figure, tmp_path / "a.gif")
