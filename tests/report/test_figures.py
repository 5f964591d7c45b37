# SPDX-License-Identifier: MIT
"""Charts, the attacker's sentence, and figures for papers."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Ended

from pocin import style
from pocin.report import charts, findings, svg
from pocin.report.curator import overlay, read_attacks, read_record
from pocin.report.html import number, percent, tag
from pocin.report.maps import LEVELS, Map
from pocin.report.released import read_released


def attack(**damage: float) -> dict[str, Any]:
    hits = {name: {"damage": value, "se": 1.0} for name, value in damage.items()}
    return {"budgets": [{"k": 3, "budget": "20%", "rankings": hits}], "unit": "$/h"}


@pytest.fixture
def told(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    def write(stated: dict[str, Any]) -> Path:
        path = tmp_path / "attack.json"
        path.write_text(json.dumps(stated))
        return path

    return write


def test_the_card_tells_of_the_best_way_that_is_open(
    told: Callable[[dict[str, Any]], Path], releases: dict[str, Path]
) -> None:
    released = read_released(releases["ieee14"])
    found = attack(random=10, public=70, obfuscated=30, residual=20, informed=100)
    card = findings.gain(read_attacks(told(found), style.ATTACKERS), released)
    assert card.figure == "70 %"
    for share in ("70 %", "30 %", "20 %", "10 %", "20 % (3 hit)"):
        assert share in card.sentence
    found["budgets"][0]["rankings"]["obfuscated"]["damage"] = 90
    assert findings.gain(read_attacks(told(found), style.ATTACKERS), released).figure == "90 %"
    found["budgets"][0]["rankings"]["informed"]["damage"] = 0
    card = findings.gain(read_attacks(told(found), style.ATTACKERS), released)
    assert "was not measured" in card.sentence
    assert "was not measured" in findings.gain(None, released).sentence


def test_attackers_come_in_the_order_of_the_style(told: Callable[[dict[str, Any]], Path]) -> None:
    stated = attack(informed=100, obfuscated=30, random=10, residual=20, public=70)
    found = read_attacks(told(stated), style.ATTACKERS)
    assert [hit.role for hit in found.largest.hits] == list(style.ATTACKERS)


@pytest.mark.parametrize(
    ("high", "wanted"),
    [(1.0, 1.0), (20_800, 25_000), (0.0, 1.0), (99, 100), (101, 120), (3e-7, 3e-7), (7, 8)],
)
def test_an_axis_ends_at_a_round_value_above_all(high: float, wanted: float) -> None:
    assert svg.top_of([high]) == pytest.approx(wanted)


def test_bars_are_as_high_as_their_values() -> None:
    bars = [charts.Bar("random", "chance", 10.0, 2.0), charts.Bar("informed", "all", 40.0, None)]
    drawn = charts.grouped_bars("t", "s", [("a", bars)], "$/h")
    found = re.findall(r'<rect[^>]*class="bar[^>]*>', drawn)
    low, high = (float(rect.partition(' height="')[2].partition('"')[0]) for rect in found)
    assert high / low == pytest.approx(4, rel=0.01)
    assert drawn.count("whisker") == 1


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (97_213.6, "97,214"),
        (0.01234, "0.01234"),
        (0.0, "0"),
        (1.0, "1"),
        (2.718281, "2.718"),
        (float("nan"), "\N{EN DASH}"),
        (None, "\N{EN DASH}"),
        (1.5e9, "1.500e+09"),
        (999.96, "1000"),
    ],
)
def test_numbers_are_for_people(value: float | None, wanted: str) -> None:
    assert number(value) == wanted


def test_percent_has_a_sign_where_it_should() -> None:
    assert percent(0.0298, signed=True) == "+2.98 %"
    assert percent(-0.1, signed=True) == "\N{MINUS SIGN}10 %"


def test_text_is_escaped_everywhere() -> None:
    assert tag("p", "<b>", title='"&') == '<p title="&quot;&amp;">&lt;b&gt;</p>'


@pytest.mark.parametrize("case", ["ieee14", "siouxfalls"])
def test_levels_rise_with_values(releases: dict[str, Path], case: str) -> None:
    made = Map.of(read_released(releases[case]).drawing)
    order = np.argsort(made.totals)
    assert np.all(np.diff(made.levels[order]) >= 0)
    assert made.levels.max() == LEVELS
    assert np.array_equal(made.levels == 0, made.totals == 0)
    for level, low, high in made.steps:
        inside = made.totals[made.levels == level]
        assert low <= inside.min()
        assert inside.max() <= high


@pytest.mark.parametrize("case", ["ieee14", "siouxfalls"])
def test_the_overlay_is_the_real_network(releases: dict[str, Path], case: str) -> None:
    import pocin

    released = read_released(releases[case])
    made, record = Map.of(released.drawing), read_record(released)
    assert record is not None
    network = pocin.read(case)
    real = network.kind.drawing(network.content)
    truth = Map(real, made.layout)
    assert np.array_equal(truth.ids, made.ids)
    found = overlay(record, made)
    assert np.allclose(found["real"], truth.totals, atol=0.01)
    sums = np.zeros(len(made.ids))
    for _, origin, value in found["moves"]:
        sums[origin] += value
    assert np.allclose(sums[truth.totals > 0], truth.totals[truth.totals > 0], atol=0.01)


def test_the_command_writes_figures(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    pytest.importorskip("matplotlib")
    (desk / "attack.json").write_text(
        json.dumps(attack(random=10, public=70, obfuscated=30, residual=20, informed=100))
    )
    source = str(releases["ieee14"])
    assert (
        pocin("figures", source, "-o", "all", "--form", "svg", "--attack", "attack.json").code == 0
    )
    modes = {path.name: path.stat().st_mode & 0o777 for path in (desk / "all").iterdir()}
    public, private = 0o644, 0o600
    assert modes == {
        "map.svg": public,
        "values.svg": public,
        "truth.svg": private,
        "attacks.svg": private,
    }
    assert pocin("figures", source, "-o", "few", "--public").code == 0
    assert {path.name for path in (desk / "few").iterdir()} == {"map.pdf", "values.pdf"}
    assert pocin("figures", source, "-o", "few", "--public").code == 2
    assert pocin("figures", source, "-o", "x", "--form", "gif").code == 2
    assert pocin("figures", "rich.m", "-o", "y").code == 3
    assert not (desk / "y").exists()
