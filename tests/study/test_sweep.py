# SPDX-License-Identifier: MIT
"""What a study shows of its dials: none, one, words, several; and what it leaves out."""

import pytest

from pocin.study import sweep
from pocin.study.engine import carry_out
from pocin.study.grid import load

pytest.importorskip("matplotlib")

HEAD = 'title = "Dials"\n[[grid]]\nname = "dials"\ncase = ["ieee14"]\nruns = 2\n'
ATTACKED = 'budgets = ["50%"]\n'


@pytest.fixture
def drawn(tmp_path, here, monkeypatch):
    """Carry out a study of such dials; return the names of what is written, and every panel."""

    def draw(dials):
        panels = []
        for name in ("_dial", "_frontier"):
            way = getattr(sweep, name)

            def seen(at, *given, way=way, name=name):
                way(at, *given)
                panels.append((name, at))

            monkeypatch.setattr(sweep, name, seen)
        path = tmp_path / "dials.toml"
        path.write_text(HEAD + dials)
        study = load(path)
        ended = carry_out(study, tmp_path / "found", here)
        assert ended.failures == ()
        return {file.name for file in sweep.write(tmp_path / "found", study)}, panels

    return draw


def test_one_dial_is_a_line_an_attacker(drawn):
    written, panels = drawn("epsilon = [0.1, 1]\n" + ATTACKED)
    assert {"sweep_dials_50pct.svg", "releases.csv", "attacks.csv"} <= written
    ((name, at),) = panels
    assert name == "_dial"
    assert at.get_xlabel() == "epsilon"
    assert [tick.get_text() for tick in at.get_xticklabels()] == ["0.1", "1"]
    assert len(at.containers) >= 3  # random, obfuscated, informed at least
    assert "None" not in {line.get_linestyle() for line in at.get_lines()[:1]}


def test_words_have_no_line_between_them(drawn):
    _, panels = drawn('policy = ["derived", "unit"]\n' + ATTACKED)
    ((name, at),) = panels
    assert name == "_dial"
    assert [tick.get_text() for tick in at.get_xticklabels()] == ["derived", "unit"]
    assert {box.lines[0].get_linestyle() for box in at.containers} == {"None"}


def test_several_dials_are_a_frontier(drawn):
    written, panels = drawn("epsilon = [0.1, 1]\nbeta = [0.05, 0.1]\n" + ATTACKED)
    assert "sweep_dials_50pct.svg" in written
    ((name, at),) = panels
    assert name == "_frontier"
    assert at.get_xlabel() == "cost off, mean (%)"
    lines = {line.get_label(): line for line in at.get_lines()}
    assert {"informed", "random"} < lines.keys()
    assert len(lines) == 4  # two bounds, and a line a value of the last dial
    for label in lines.keys() - {"informed", "random"}:
        x, y = lines[label].get_data()
        assert len(x) == 2  # a point a value of the other dial
        assert list(x) == sorted(x)
        assert (y >= 0).all()


def test_without_a_dial_there_is_no_figure(drawn):
    written, panels = drawn(ATTACKED)
    assert panels == []
    assert {"releases.csv", "attacks.csv"} <= written
    assert not [name for name in written if name.startswith("sweep")]


def test_without_attacks_there_are_releases_alone(drawn):
    written, panels = drawn("epsilon = [0.1, 1]\n")
    assert panels == []
    assert "releases.csv" in written
    assert not [name for name in written if name.startswith(("sweep", "attacks"))]


@pytest.mark.parametrize(
    ("told", "ticks"),
    [
        (["1hops", "16hops"], (["1", "16"], " (hops)")),
        (["1%nodes", "25%nodes"], (["1", "25"], " (%nodes)")),
        (["1hops", "5%"], (["1hops", "5%"], "")),
        ([0.1, 3], (["0.1", "3"], "")),
        (["site", "unit"], (["site", "unit"], "")),
        (["1e-3", "1e-2"], (["1e-3", "1e-2"], "")),
    ],
)
def test_a_unit_that_all_values_share_stands_once(told, ticks) -> None:
    assert sweep._ticks(told) == ticks
