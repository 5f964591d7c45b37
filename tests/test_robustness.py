# SPDX-License-Identifier: MIT
"""The third wish in the curator's record: right, private, and never in the way of a release."""

import json

import pytest

import pocin
from pocin import attack, flow, robustness
from pocin.errors import InputError
from pocin.plan import Request, plan
from pocin.privacy.settings import Privacy, Radius
from pocin.record import record

NAMES = ("ieee30", "siouxfalls")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_pocin_attack_measures(name):
    network = pocin.read(name)
    made = pocin.release(network, seed=2)
    found = robustness.robustness(made)
    simulation = attack.simulation(network, "10%", draws=1)
    at = attack.measure(simulation, [made.network]).budgets[0]
    best = at.best("obfuscated")
    assert found["hit"] == at.k
    assert found["damage"] == pytest.approx(best.damage.mean)
    assert found["objective_difference"] == pytest.approx(best.robustness.mean)
    assert found["relative"] == pytest.approx(best.robustness.mean / simulation.target.optimum)
    assert found["share_of_informed"] == pytest.approx(best.share.mean)


def chance(alpha):
    privacy = Privacy(alpha_location=Radius.parse(alpha))
    planned = plan(pocin.read("ieee118"), Request(seed=0, privacy=privacy))
    return robustness.one_attack(planned)


def test_one_attack_finds_the_top_unit_as_often_as_chance_once_all_are_shuffled(monkeypatch):
    monkeypatch.setattr(robustness, "DRAWS", 400)
    near, far = chance("0.1hops"), chance("1000hops")
    assert near["chance"] > 0.9  # hardly any unit moves
    # binomial(400, 1/19): 45 or more, and 5 or fewer, each with probability below 1e-4
    assert 5 < 400 * far["chance"] < 45
    assert far["uniform"] == pytest.approx(1 / 19)


@pytest.mark.parametrize("name", NAMES)
def test_it_stands_in_the_record_alone(name, tmp_path):
    made = pocin.release(pocin.read(name), seed=1)
    target = tmp_path / ("r.m" if name == "ieee30" else "r")
    pocin.write(made, target)
    kept = json.loads(target.with_name(target.name + ".curator.json").read_text())
    assert {"objective_difference", "damage", "one_attack"} <= set(kept["robustness"])
    public = [file for file in tmp_path.rglob("*") if file.is_file()]
    for file in public:
        if not file.name.endswith(".curator.json"):
            assert "robustness" not in file.read_text()


def test_a_release_stands_whatever_becomes_of_it(monkeypatch):
    made = pocin.release(pocin.read("ieee14"), seed=1)

    def failing(*_):
        raise InputError("a secret value: 340 MW")

    monkeypatch.setattr(type(made.diagnostics.plan.kind), "target", failing)
    assert record(made, [])["robustness"] == {"missing": "it could not be made (InputError)"}


def test_a_large_network_is_left_to_pocin_attack(monkeypatch):
    made = pocin.release(pocin.read("ieee14"), seed=1)
    monkeypatch.setattr(type(made.diagnostics.plan.kind), "attacked", 10)
    assert "see pocin attack" in record(made, [])["robustness"]["missing"]


def test_the_draws_of_the_record_are_none_of_the_release(monkeypatch):
    # What is drawn to find the chance is drawn from a public seed, never from the system's noise.
    made = pocin.release(pocin.read("ieee14"), seed=1)
    asked = []
    draw = flow.draw
    monkeypatch.setattr(flow, "draw", lambda *a: asked.append(a[1].private) or draw(*a))
    robustness.robustness(made)
    assert asked == [False] * robustness.DRAWS
