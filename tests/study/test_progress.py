# SPDX-License-Identifier: MIT
"""How far a study is: a bar where there is a terminal, else a line now and then."""

import sys

import pytest

from pocin.study import progress
from pocin.study.progress import EVERY, Lines, bar, duration


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min")]
)
def test_a_time_as_people_say_it(seconds, said):
    assert duration(seconds) == said


def test_a_line_now_and_then(monkeypatch, capsys):
    now = [100.0]
    monkeypatch.setattr(progress, "perf_counter", lambda: now[0])
    lines = Lines(100.0, 100.0)
    lines(0, 10)  # nothing is done: no pace to tell
    now[0] += EVERY - 1
    lines(1, 10)  # too soon
    now[0] += 1
    lines(3, 10)  # 15 s for 3
    now[0] += 1
    lines(4, 10)  # too soon after that
    now[0] += EVERY
    lines(5, 10)  # 31 s for 5
    said = capsys.readouterr().err.splitlines()
    assert said == ["pocin: 3 of 10, about 35 s left", "pocin: 5 of 10, about 31 s left"]


def test_a_bar_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar("Study", quiet=False) as tick:
        tick(1, 3)
        tick(3, 3)
    said = capsys.readouterr().err
    assert "Study" in said
    assert "3/3" in said


def test_nothing_where_nothing_is_wanted(capsys):
    with bar("Study", quiet=True) as tick:
        tick(1, 3)
    assert capsys.readouterr().err == ""


def test_lines_where_there_is_no_terminal():
    with bar("Study", quiet=False) as tick:
        assert isinstance(tick, Lines)
