# SPDX-License-Identifier: MIT
"""The check of `make bench`: warns where a ratio got worse by a fifth, three times over."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.fixture
def ratios(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location("ratios", BENCHMARKS / "ratios.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "ratios", module)
    spec.loader.exec_module(module)
    return module


def stand_in(*seen):
    """A ratio whose measurements are given."""
    left = list(seen)
    return SimpleNamespace(
        work="w", yardstick="y", name="w / y", measure=lambda: left.pop(0), left=left
    )


def test_a_ratio_is_the_medians_of_turns_without_the_first(ratios):
    now = [0.0]
    spent = iter([100, 1, 4, 2, 8, 2, 6, 4])  # work and yardstick in turns; the first pair compiles

    def call():
        now[0] += next(spent)

    ratio = ratios.Ratio("w", "y", lambda: (call, call), repeats=3, clock=lambda: now[0])
    assert ratio.measure() == 6 / 2


def test_a_fifth_worse_thrice_is_a_warning(ratios):
    found = ratios.compare(stand_in(2.5, 2.6, 2.41), {"w / y": 2.0})
    assert found.worse
    assert found.warning == "w / y: 2.41, was 2.00 (+21 %)"


@pytest.mark.parametrize("seen", [(2.4,), (2.5, 2.39), (2.5, 2.5, 2.3)])
def test_within_a_fifth_once_is_well(ratios, seen):
    ratio = stand_in(*seen)
    assert not ratios.compare(ratio, {"w / y": 2.0}).worse
    assert not ratio.left  # and nothing more was measured than needed


def test_what_was_never_kept_cannot_be_worse(ratios):
    assert not ratios.compare(stand_in(99.0), {}).worse


def test_strict_ends_with_one_and_the_page_shows_both(ratios, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ratios, "KEPT", tmp_path / "kept.json")
    monkeypatch.setattr(ratios, "PAGE", tmp_path / "page.md")
    (tmp_path / "kept.json").write_text('{"w / y": 2}')
    monkeypatch.setattr(ratios, "RATIOS", [stand_in(3.0, 3.0, 3.0)])
    monkeypatch.setattr(sys, "argv", ["ratios.py", "--strict"])
    assert ratios.main() == 1
    assert "warning: w / y: 3.00, was 2.00 (+50 %)" in capsys.readouterr().err
    assert "| w | y | 3 | 2 |" in (tmp_path / "page.md").read_text()
    assert json.loads((tmp_path / "kept.json").read_text()) == {"w / y": 2}


def test_every_ratio_is_kept_and_none_besides(ratios):
    kept = json.loads(ratios.KEPT.read_text())
    assert set(kept) == {ratio.name for ratio in ratios.RATIOS}
