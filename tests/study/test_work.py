# SPDX-License-Identifier: MIT
"""A row holds what the product's own release, record and attack say."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from pocin import api, attack, flow
from pocin.plan import plan
from pocin.privacy.noise import SeededNoise
from pocin.record import record
from pocin.study import summary
from pocin.study.faults import CONDENSERS, faulty, unclamped
from pocin.study.grid import EXAMPLES, load
from pocin.study.prepared import request
from pocin.study.task import Measures, Settings, Task
from pocin.study.work import Work


def measured(settings, number=0, **measures):
    task = Task(settings, number, Measures(**measures), settings.case)
    done = Work("").__call__(task)
    assert not done.failure
    return task, done.rows


def released(task):
    asked = replace(request(task.settings, ""), seed=task.seed)
    return flow.release(api.read(task.source), asked)


@pytest.mark.parametrize("case", ["ieee57", "siouxfalls"])
def test_a_row_is_the_curators_record_of_the_same_seed(case):
    settings = Settings(case, alpha_location="10%", epsilon_value="1/2")
    task, rows = measured(settings, 3, sites=True, answers=True)
    (row,) = rows["releases"]
    made = released(task)
    told = record(made, [])
    assert row["outcome"] == "faithful"
    assert row["gap"] == told["fidelity"]["gap"]
    assert row["own_optimum"] == told["cost"]["own_optimum"]
    assert row["distance"] == told["fidelity"]["distance"]
    assert row["mean_hops"] == told["moves"]["mean_hops"]
    assert row["stayed"] == told["moves"]["stayed"]
    assert (row["noise"], row["error"]) == (told["values"]["noise"], told["values"]["error"])
    assert [site["released"] for site in rows["sites"]] == told["values"]["released"]
    assert [site["moved"] for site in rows["sites"]] == told["values"]["true"]
    homes = told["moves"]["true_site_of_element_at_site"]
    assert [site["came_from"] for site in rows["sites"]] == homes
    originals = {site["site"]: site["original"] for site in rows["sites"]}
    assert all(
        originals[home] == true for home, true in zip(homes, told["values"]["true"], strict=True)
    )


@pytest.mark.parametrize(("case", "budget"), [("ieee57", "50%"), ("siouxfalls", "10")])
def test_attack_rows_are_those_of_the_simulator(case, budget):
    task, rows = measured(Settings(case, alpha_location="4hops"), 5, budgets=(budget,))
    simulation = attack.simulation(api.read(case), budget)
    made = released(task)
    expected = [
        *simulation.random(5),
        *simulation.certain,
        *simulation.release(5, made.network, made.diagnostics.finished.certificate.solve),
    ]
    told = [(r["ranking"], r["variant"], r["by"], r["k"], r["damage"]) for r in rows["attacks"]]
    assert told == [(r.ranking, r.variant, r.by, r.k, r.harm.damage) for r in expected]
    assert {r["unit"] for r in rows["attacks"]} == {simulation.target.unit}


def test_answers_stand_where_the_original_has_them():
    """A release with next to no noise and no moves has the original's dispatch, bus by bus."""
    settings = Settings("ieee118", epsilon_location="1000", epsilon_value="1000")
    settings = replace(settings, alpha_location="0.01hops", alpha_value="0.01MW", policy="site")
    _, rows = measured(settings, answers=True)
    told = pl.DataFrame(rows["answers"])
    assert set(told["answer"]) == {"output of units (MW)", "injection at buses (MW)"}
    for name in ("before", "released"):
        assert np.allclose(told["original"], told[name], atol=1.0)
    by_bus = told.filter(pl.col("answer").str.starts_with("inj"))["original"]
    by_unit = told.filter(pl.col("answer").str.starts_with("out"))["original"]
    assert by_bus.sum() == pytest.approx(by_unit.sum(), abs=1e-3)  # condensers put out nothing


def test_without_phase_3_there_is_only_what_stands_before_it():
    _, rows = measured(Settings("ieee14", alpha_location="10%"), restore=False, unrestored=True)
    (row,) = rows["releases"]
    assert row["outcome"] == "not restored"
    assert isinstance(row["feasible_before"], bool)
    assert "gap" not in row


def test_noise_on_units_without_capacity_halves_what_is_feasible_for_each():
    """m condensers: at most about 2^-m of the draws keep every capacity at zero or above."""
    plain = api.read("ieee14")
    asked = replace(request(Settings("ieee14", alpha_location="10%"), ""), seed=0)
    clean, planned = plan(plain, asked), plan(faulty(plain, CONDENSERS), asked)
    m = len(planned.secret) - len(clean.secret)
    assert m == int(np.sum(plain.content.units.pmax == 0)) == 3
    draws = [unclamped(planned, SeededNoise(seed))[0].values for seed in range(2000)]
    share = np.mean([np.all(values >= 0) for values in draws])
    assert abs(share - 0.5**m) < 4 * math.sqrt(0.5**m * (1 - 0.5**m) / 2000)


def test_a_negative_capacity_has_no_dispatch():
    settings = Settings("ieee14", alpha_location="10%", fault=CONDENSERS, policy="unit")
    rows = [
        measured(settings, run, restore=False, unrestored=True)[1]["releases"][0]
        for run in range(12)
    ]
    negative = [row for row in rows if "negative" in row["reason_before"]]
    assert len(negative) > 6
    assert not any(row["feasible_before"] for row in negative)


def test_means_and_their_errors():
    head = dict.fromkeys(("budget", "by", "unit", "policy"), "x") | {"case": "a", "k": 1}
    numbers = [1.0, 4.0, 7.0]
    rows = pl.DataFrame(
        [
            head | {"ranking": ranking, "variant": "v", "damage": d, "objective": -d, "share": d,
                    "top": d > 2, "p": None, "p_any": None, "unsolved": 0.0, "run": run}
            for ranking in ("obfuscated", "informed")
            for run, d in enumerate(numbers)
        ],
        schema_overrides={"p": pl.Float64, "p_any": pl.Float64},
    )  # fmt: skip
    from pocin.study.tables import SETTINGS

    missing = [name for name in SETTINGS if name not in rows.columns]
    rows = rows.with_columns(pl.lit(None, dtype=pl.String).alias(name) for name in missing)
    found = summary.attacks(rows)
    told = {row["ranking"]: row for row in found.iter_rows(named=True)}
    assert told["obfuscated"]["damage"] == 4.0
    assert told["obfuscated"]["damage_se"] == pytest.approx(3 / math.sqrt(3))
    assert told["obfuscated"]["robustness"] == 4.0
    assert told["obfuscated"]["top"] == pytest.approx(2 / 3)
    assert told["informed"]["damage_se"] == 0.0


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_examples_run(path):
    """The first release of each small case of each grid of every example that comes along."""
    made = load(path)
    first = {}
    for task in made.tasks:
        key = task.settings.case, task.settings.policy, task.settings.reading
        first.setdefault(key, task)
    small = [
        task for (case, *_), task in first.items() if case in {"ieee14", "ieee57", "siouxfalls"}
    ]
    assert small
    for task in small[:4]:
        done = Work(made.root)(task)
        assert not done.failure
        assert done.rows["releases"][0]["outcome"] == "faithful"
        assert bool(done.rows.get("attacks")) == bool(task.measures.budgets)
