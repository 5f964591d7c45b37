# SPDX-License-Identifier: MIT
"""The tutorial's kind, as a package of its own would bring it: by an entry point, and no edit."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

import pocin as library
from pocin import api, flow, kinds
from pocin.errors import InputError, NotFaithfulError
from pocin.kinds import Goal
from pocin.plan import Request, plan
from pocin.privacy.draws import Draws
from pocin.privacy.noise import SeededNoise

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial"


@pytest.fixture
def town(desk, tmp_path, monkeypatch):
    """The town's file, with the kind installed as other packages are."""
    found = tmp_path / "installed"
    (found / "pocin_water-0.1.dist-info").mkdir(parents=True)
    meta = found / "pocin_water-0.1.dist-info"
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: pocin-water\nVersion: 0.1\n")
    (meta / "entry_points.txt").write_text("[pocin.kinds]\nwater = water:WATER\n")
    (found / "water.py").write_bytes((TUTORIAL / "water.py").read_bytes())
    monkeypatch.syspath_prepend(str(found))
    kinds.kinds.cache_clear()
    (desk / "town.water").write_bytes((TUTORIAL / "town.water").read_bytes())
    yield desk / "town.water"
    kinds.kinds.cache_clear()


def test_its_code_is_short():
    assert len((TUTORIAL / "water.py").read_text("utf-8").splitlines()) < 150


def least_cost(data):
    """The optimum by another model: paths from wells to junctions instead of flows at junctions."""
    junctions, pipes, wells = (np.array(data[key]) for key in ("junctions", "pipes", "wells"))
    ends = np.concatenate([pipes[:, :2], pipes[:, 1::-1]])
    lengths, room = np.tile(pipes[:, 2], 2), pipes[:, 3]
    arcs = len(ends)
    # one commodity a well: y[w, a] what of w's water takes arc a, p[w, j] what it gives j
    k, n = len(wells), len(junctions)
    cost = np.concatenate([np.tile(1e-4 * lengths, k), np.repeat(wells[:, 2], n)])
    rows, right = [], []
    for w in range(k):
        for j in range(n):
            row = np.zeros(len(cost))
            row[w * arcs : (w + 1) * arcs] = (ends[:, 1] == junctions[j, 0]).astype(float) - (
                ends[:, 0] == junctions[j, 0]
            )
            given = slice(k * arcs + w * n, k * arcs + (w + 1) * n)
            row[k * arcs + w * n + j] -= 1
            if junctions[j, 0] == wells[w, 0]:
                row[given] += 1
            rows.append(row)
            right.append(0.0)
    for j in range(n):
        row = np.zeros(len(cost))
        row[k * arcs + j :: n] = 1
        rows.append(row)
        right.append(junctions[j, 1])
    above, limits = [], []
    for w in range(k):
        row = np.zeros(len(cost))
        row[k * arcs + w * n : k * arcs + (w + 1) * n] = 1
        above.append(row)
        limits.append(wells[w, 1])
    for e in range(len(pipes)):
        row = np.zeros(len(cost))
        row[e : k * arcs : arcs] = 1
        row[e + len(pipes) : k * arcs : arcs] = 1
        above.append(row)
        limits.append(room[e])
    return linprog(cost, above, limits, rows, right)


def test_the_optimum_agrees_with_another_model(town):
    data = json.loads(town.read_text())
    other = least_cost(data)
    assert other.status == 0
    assert library.solve(library.read(town)).cost == pytest.approx(other.fun, rel=1e-9)


def test_release_certificate_audit_and_attack(town, pocin):
    figure = library.solve(library.read(town)).cost
    ended = pocin("release", town, "-o", "out.water", "--cost-figure", figure, "--json", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    told = json.loads(ended.out)
    assert told["kind"] == "water"
    assert told["fidelity"]["within_beta"]
    assert "(wells.cost)" in told["guarantee"]["statement"]
    assert "junctions, demand, pipes" in told["guarantee"]["statement"]
    own = least_cost(json.loads(Path("out.water").read_text())).fun
    assert own == pytest.approx(figure, rel=0.1)
    assert "made-up" not in Path("out.water").read_text()
    record = json.loads(Path("out.water.curator.json").read_text())
    assert record["robustness"]["damage"] >= 0
    assert record["reader_view"]["optimum"]["released"] == pytest.approx(own)

    audited = pocin("audit", town, "out.water", "--json", "--quiet")
    assert audited.code == 0, audited.out
    findings = {found["gate"]: found for found in json.loads(audited.out)["findings"]}
    assert findings["truth-blindness"]["figures"]["truths"] == 3
    assert findings["enumeration"]["passed"]

    attacked = pocin("attack", town, "out.water", "--budget", "1,50%", "--json", "--quiet")
    assert attacked.code == 0, attacked.err
    one = json.loads(attacked.out)["budgets"][0]["rankings"]
    assert one["informed"]["damage"] > 0
    assert set(one) == {"random", "public", "obfuscated", "residual", "informed"}

    shown = pocin("report", "out.water", "-o", "page.html", "--quiet")
    assert (shown.code, shown.err) == (0, "")
    assert "junction" in Path("page.html").read_text()


def test_the_damage_is_what_is_missing(town):
    network = library.read(town)
    target = network.kind.target(network.content, "town", {})
    assert target.optimum == pytest.approx(library.solve(network).cost)
    every = np.arange(target.count)
    assert target.harm(every).damage == pytest.approx(480)  # all that is asked for
    worst = int(np.argmax(target.worth))
    capacity_left = target.worth.sum() - target.worth[worst]
    assert target.harm(np.array([worst])).damage >= 480 - capacity_left - 1e-6
    nothing = target.harm(np.array([], dtype=int))
    assert (nothing.damage, nothing.objective) == pytest.approx((0, 0), abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_no_byte_depends_on_the_truth(town, seed):
    network = library.read(town)
    figure = library.solve(network).cost
    request = Request(beta=0.05, cost_figure=figure, seed=seed)

    def told(content, draws):
        made = plan(replace(network, content=content), request)
        side = flow.OpenSide(made.kind, made.public, made.guarantee)
        done = flow.finish(side, draws, Goal(figure, 0.05))
        return done.document, done.bilevel, done.reason, done.certificate.own_optimum

    planned = plan(network, request)
    draws, _, _ = flow.draw(planned, SeededNoise(seed), lambda _: None)
    first = told(network.content, draws)
    assert first[1] == "certified"
    twins = list(network.kind.twins(network.content, planned.public.policy, None))
    assert len(twins) == 3
    for name, truth in twins:
        assert told(truth, draws) == first, name
    others, _, _ = flow.draw(planned, SeededNoise(seed + 100), lambda _: None)
    assert told(network.content, others) != first


@pytest.mark.parametrize("factor", [0.3, 0.6, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("beta", [0.01, 0.1])
def test_phase_3_comes_into_the_band_from_both_sides(town, factor, beta):
    # Too little capacity is too dear, too much too cheap; wells shuffled so that costs differ.
    network = library.read(town)
    figure = library.solve(network).cost
    planned = plan(network, Request(beta=beta, cost_figure=figure, seed=0))
    values = np.round(factor * planned.secret.values).astype(np.int64)
    draws = Draws(np.arange(6), values, planned.secret.moved)
    side = flow.OpenSide(planned.kind, planned.public, planned.guarantee)
    done = flow.finish(side, draws, Goal(figure, beta))
    assert done.certificate.within, done.reason
    noisy = done.content.elements.copy()
    noisy[:, 1] = done.noisy
    before = network.kind.optimum(replace(done.content, elements=noisy))
    if math.isfinite(before) and Goal(figure, 0.99 * beta).met_by(before):
        assert done.distance == 0
    else:
        assert done.distance > 0


def test_what_cannot_be_faithful_is_refused(town):
    with pytest.raises(NotFaithfulError, match=r"its own optimum is .* % above"):
        library.release(library.read(town), beta=0.01, cost_figure=1.0, seed=0)


def test_a_private_figure_is_refused_before_the_spend(town, pocin):
    ended = pocin("release", town, "-o", "out.water", "--cost-epsilon", "1", "--quiet")
    assert ended.code == 2
    assert "water networks bring none" in ended.err
    assert not Path("out.water").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"wells": [[1, 5]]}, "3 numbers a row"),
        ({"wells": []}, "no edge or no element"),
        ({"wells": [[99, 5, 1]]}, "names no node"),
        ({"wells": [[1, -5, 1]]}, "negative"),
        ({"junctions": [[1, 0], [1, 2]]}, "two nodes have one id"),
        ({"junctions": [[1.5, 0]]}, "no whole number"),
        ({"pipes": "no"}, "3 numbers a row"),
        ({"pipes": [[1, 2, 1e999, 1]]}, "not finite"),
    ],
)
def test_a_fault_is_named(town, change, said):
    town.write_text(json.dumps(json.loads(town.read_text()) | change))
    with pytest.raises(InputError, match=said):
        api.read(town)


def test_other_alphas_are_in_its_unit(town):
    network = library.read(town)
    assert network.kind.amount("3m3", network.content) == Fraction(3)


@pytest.mark.usefixtures("town")
def test_a_study_runs_on_it(pocin):
    Path("study.toml").write_text(
        'title = "Water"\n[[grid]]\nname = "wells"\ncase = ["town.water"]\n'
        'runs = 3\nbudgets = ["20%"]\n'
    )
    ended = pocin("study", "study.toml", "-o", "found", "--workers", "1", "--data", ".", "--quiet")
    assert ended.code == 0, ended.err
