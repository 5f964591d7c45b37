# SPDX-License-Identifier: MIT
"""The library: four verbs, a locked surface, and releases that keep what the policy keeps."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import pocin
from pocin.api import privacy
from pocin.kinds import Network
from pocin.power.matpower import read_matpower
from pocin.privacy.ledger import Ledger
from pocin.privacy.settings import Radius, Scale

DATA = Path(__file__).with_name("data")
OPTIMUM = 2690.8414
SURFACE = [
    "AuditError",
    "BudgetError",
    "InputError",
    "Network",
    "NotFaithfulError",
    "PocinError",
    "Release",
    "Solved",
    "UsageError",
    "__version__",
    "read",
    "release",
    "solve",
    "write",
]


@pytest.fixture(scope="module")
def rich() -> Network:
    return pocin.read(DATA / "rich.m")


@pytest.fixture(scope="module")
def made(rich: Network) -> pocin.Release:
    return pocin.release(rich, seed=11, cost_figure=OPTIMUM)


def test_the_surface_is_locked() -> None:
    assert pocin.__all__ == SURFACE
    assert [name for name in SURFACE if not hasattr(pocin, name)] == []
    with pytest.raises(AttributeError, match="no attribute 'noise'"):
        _ = pocin.noise  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = "'casadi', 'scipy', 'opendp', 'numpy', 'pocin.api'"
    code = f"import sys, pocin; print([m for m in ({heavy}) if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_the_example_of_the_docstring(tmp_path: Path) -> None:
    network = pocin.read("ieee118")
    made = pocin.release(network, beta=0.01)
    pocin.write(made, tmp_path / "released.m")
    found = pocin.solve(pocin.read(tmp_path / "released.m"))
    assert network.published is not None
    assert found.cost == pytest.approx(network.published, rel=0.01)


def test_read(rich: Network) -> None:
    assert rich.kind.name == "power"
    assert rich.published is None
    assert rich.name.endswith("rich.m")
    assert pocin.read("ieee14").published == 2178.1
    with pytest.raises(pocin.InputError):
        pocin.read("nowhere.m")


def test_solve(rich: Network) -> None:
    found = pocin.solve(rich)
    assert found.cost == pytest.approx(OPTIMUM, rel=1e-6)
    assert found.seconds > 0


def test_a_release_is_frozen_and_shows_no_secret(made: pocin.Release) -> None:
    with pytest.raises(FrozenInstanceError):
        made.network = None  # type: ignore[misc]
    for shown in (repr(made), repr(made.diagnostics), repr(made.diagnostics.plan)):
        assert not [text for text in ("240", "171.3", "HIDEOUT") if text in shown]


def test_the_guarantee_is_an_object(rich: Network) -> None:
    asked = privacy(epsilon_location="1/3", epsilon_value=2, alpha_location="3hops")
    promise = pocin.release(rich, privacy=asked, cost_figure=OPTIMUM).guarantee
    assert promise.private
    assert promise.total == Fraction(7, 3)
    assert promise.loss(hops_moved=6, value_change=10) == Fraction(1, 3) + 2
    assert promise.spent is None


def test_without_a_figure_it_says_the_three_ways(rich: Network) -> None:
    with pytest.raises(pocin.UsageError, match="--cost-figure computed"):
        pocin.release(rich)


def test_a_ledger_is_told_before_the_draws(rich: Network, tmp_path: Path) -> None:
    ledger = Ledger.at(tmp_path / "l.sqlite")
    made = pocin.release(rich, cost_figure=OPTIMUM, ledger=ledger, network_id="north")
    assert made.guarantee.spent is not None
    assert ledger.history("north").spent.total == 2
    pocin.release(rich, cost_figure=OPTIMUM, ledger=ledger, network_id="north", seed=1)
    assert ledger.history("north").spent.total == 2
    with pytest.raises(pocin.NotFaithfulError, match="stays spent"):
        pocin.release(rich, cost_figure=100, ledger=ledger, network_id="north")
    assert ledger.history("north").spent.total == 4
    ledger.open_budget("north", Fraction(5))
    with pytest.raises(pocin.BudgetError):
        pocin.release(rich, cost_figure=OPTIMUM, ledger=ledger, network_id="north")
    assert ledger.history("north").spent.total == 4


def test_a_refused_release_spends_nothing(rich: Network, tmp_path: Path) -> None:
    ledger = Ledger.at(tmp_path / "l.sqlite")
    bad = [
        {"beta": 0},
        {"beta": float("nan")},
        {"policy": "best"},
        {"mechanism": "best"},
        {"policy": DATA / "nowhere.toml"},
        {"only": DATA / "nowhere.txt"},
        {"cost_figure": "much"},
        {"cost_figure": -1},
        {"pmin_ratio": 2},
        {"time_limit": 0},
        {"privacy": privacy(alpha_value="0.001MW")},
        {"privacy": privacy(alpha_value="5veh")},
        {"privacy": privacy(epsilon_cost=1)},
        {"privacy": privacy(epsilon_cost=1), "cost_figure": None},  # a cubic cost
    ]
    for words in bad:
        with pytest.raises((pocin.UsageError, pocin.InputError)):
            pocin.release(rich, **{"cost_figure": OPTIMUM, "ledger": ledger, **words})
        assert ledger.networks() == (), words


def test_write_refuses_to_overwrite(made: pocin.Release, tmp_path: Path) -> None:
    target = tmp_path / "out.m"
    written = pocin.write(made, target)
    assert written.diagnostics.seconds["write"] > 0
    assert target.read_bytes() == made.document[""]
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(pocin.UsageError, match="exists"):
        pocin.write(made, target)
    target.unlink()
    with pytest.raises(pocin.UsageError, match=r"out\.m\.release\.json: exists"):
        pocin.write(made, target)
    assert {path.name for path in tmp_path.iterdir()} == set(before) - {"out.m"}
    pocin.write(made, target, force=True)
    assert target.read_bytes() == before["out.m"]
    assert {path.name for path in tmp_path.iterdir()} == set(before)


def test_write_never_replaces_its_source(tmp_path: Path) -> None:
    source = tmp_path / "own.m"
    source.write_bytes((DATA / "rich.m").read_bytes())
    made = pocin.release(pocin.read(source), seed=1)
    with pytest.raises(pocin.UsageError, match="made from this file"):
        pocin.write(made, source, force=True)
    assert source.read_bytes() == (DATA / "rich.m").read_bytes()


def test_the_public_statement(made: pocin.Release, tmp_path: Path) -> None:
    pocin.write(made, tmp_path / "out.m")
    told = json.loads((tmp_path / "out.m.release.json").read_text())
    assert set(told) == {"pocin", "kind", "problem", "parameters", "guarantee", "cost", "files"}
    assert told["problem"] == "AC optimal power flow"
    assert set(told["cost"]) == {"figure", "source"}
    assert told["files"] == ["out.m"]
    record = json.loads((tmp_path / "out.m.curator.json").read_text())
    assert set(told["parameters"]) == set(record["parameters"])
    assert record["seed"] == 11
    assert record["moves"]["hops"]


class TestPrivacy:
    def test_defaults(self) -> None:
        asked = privacy()
        assert (asked.epsilon_location, asked.epsilon_value, asked.epsilon_cost) == (1, 1, None)
        assert (asked.alpha_location, asked.alpha_value) == (None, None)

    def test_exact_numbers(self) -> None:
        asked = privacy(epsilon_location=0.1, epsilon_value="1/3", epsilon_cost=Fraction(2, 7))
        assert asked.epsilon_location == Fraction(1, 10)
        assert asked.epsilon_value == Fraction(1, 3)
        assert asked.epsilon_cost == Fraction(2, 7)

    @pytest.mark.parametrize(
        ("text", "amount", "scale"),
        [
            ("2hops", 2, Scale.HOPS),
            (" 2.5 hops ", Fraction(5, 2), Scale.HOPS),
            ("5%", 5, Scale.DIAMETER),
            ("1%nodes", 1, Scale.NODES),
            ("1e-1%", Fraction(1, 10), Scale.DIAMETER),
        ],
    )
    def test_radii(self, text: str, amount: Fraction, scale: Scale) -> None:
        assert privacy(alpha_location=text).alpha_location == Radius(Fraction(amount), scale)

    @pytest.mark.parametrize("bad", [0, -1, "nan", "inf", "one", "", "1/0", 1001, "1e400", None])
    @pytest.mark.parametrize("name", ["epsilon_location", "epsilon_value"])
    def test_bad_epsilons(self, name: str, bad: object) -> None:
        with pytest.raises(pocin.UsageError, match=f"{name}: expected a number over 0"):
            privacy(**{name: bad})

    @pytest.mark.parametrize("bad", ["", "2", "hops", "-2hops", "0hops", "2km", "2%buses", "nan%"])
    def test_bad_radii(self, bad: str) -> None:
        with pytest.raises(pocin.UsageError, match="--alpha-location"):
            privacy(alpha_location=bad)

    def test_radii_on_a_network(self, rich: Network) -> None:
        hops = {
            text: pocin.release(
                rich, privacy=privacy(alpha_location=text), cost_figure=OPTIMUM, seed=1
            ).guarantee.location.alpha
            for text in ("3hops", "40%", "10%nodes")
        }
        # The diameter is 5 hops; 14 buses are not isolated.
        assert hops == {"3hops": 3, "40%": 2, "10%nodes": Fraction(14, 10)}

    @pytest.mark.parametrize(("text", "amount"), [("10MW", 10), ("0.1pu", 10), ("0.25MW", 0.25)])
    def test_value_changes(self, rich: Network, text: str, amount: float) -> None:
        asked = privacy(alpha_value=text)
        made = pocin.release(rich, privacy=asked, cost_figure=OPTIMUM, seed=1)
        assert made.guarantee.value.alpha == Fraction(amount)


def own_policies(folder: Path) -> Iterator[tuple[str, Path | str, dict[str, float]]]:
    """Yield policies, named and from files, with constants of the call."""
    yield "derived", "derived", {}
    yield "unit", "unit", {}
    yield "site", "site", {}
    yield "ratio", "derived", {"pmin_ratio": 0.2}
    for name, text in (
        ("mixed", "base = 'unit'\n[columns]\n'gen.Pmin' = 'derived'\n'bus.area' = 'dropped'\n"),
        ("wide", "[constants]\nqmax_slope = 1\nqmin_slope = 1\npmin_ratio = 0.1\n"),
    ):
        path = folder / f"{name}.toml"
        path.write_text(text)
        yield name, path, {}


@pytest.mark.parametrize("which", range(6))
def test_a_release_certifies_and_curves_travel_with_their_units(
    rich: Network, tmp_path: Path, which: int
) -> None:
    name, policy, words = list(own_policies(tmp_path))[which]
    made = pocin.release(rich, policy=policy, cost_figure=OPTIMUM, seed=which, **words)
    target = tmp_path / "out.m"
    pocin.write(made, target)
    found = pocin.solve(pocin.read(target))
    assert found.cost == pytest.approx(OPTIMUM, rel=0.1)
    assert made.diagnostics.finished.certificate.own_optimum == found.cost

    released, d = read_matpower(target), made.diagnostics
    at_sites = d.plan.public.site_rows
    elements = d.trace.element[d.finished.record]
    curves = d.plan.secret.moved[elements][:, : released.costs.matrix.shape[1]]
    assert released.costs.matrix[at_sites].tolist() == curves.tolist()
    assert {1, 2} == set(released.costs.model[at_sites].tolist())
    assert released.costs.n[at_sites].max() == 4  # the cubic one

    units = released.units.take(at_sites)
    v = d.finished.released
    assert units.pmax.tolist() == v.tolist()
    ratio = {"ratio": 0.2, "wide": 0.1, "derived": 0, "mixed": 0}.get(name)
    if ratio is not None:
        assert units.pmin == pytest.approx(ratio * v, abs=1e-9)
    slope = {"wide": 1, "derived": 0.5, "ratio": 0.5}.get(name)
    if slope is not None:
        assert units.qmax == pytest.approx(slope * v + 10, abs=1e-9)
    if name == "site":
        assert units.qmax.tolist() == [90, 27, 44, 30, 37, 23]
    if name in ("unit", "mixed"):
        assert sorted(units.qmax.tolist()) == [23, 27, 30, 37, 44, 90]
    assert set(released.buses.area.tolist()) == {1}
    assert np.isin([3, 6, 14, 15], released.buses.id).all()


def test_the_same_seed_repeats(rich: Network, made: pocin.Release) -> None:
    again = pocin.release(rich, seed=11, cost_figure=OPTIMUM)
    assert again.document == made.document
    assert pocin.release(rich, seed=12, cost_figure=OPTIMUM).document != made.document


def test_whatever_becomes_of_the_readers_view_the_release_is_written(
    rich: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It solves the original: were files written only where that succeeds, they would tell of it.
    made = pocin.release(rich, seed=11, cost_figure=OPTIMUM)

    def fails(*_: object) -> dict[str, object]:
        raise ArithmeticError("61.19")

    monkeypatch.setattr(type(made.diagnostics.plan.kind), "reader_view", fails)
    pocin.write(made, tmp_path / "out.m")
    assert (tmp_path / "out.m").read_bytes() == made.document[""]
    record = (tmp_path / "out.m.curator.json").read_text()
    assert "could not be made (ArithmeticError)" in record
