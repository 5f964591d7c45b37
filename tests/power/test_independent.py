# SPDX-License-Identifier: MIT
"""A reader with other tools: released files, opened by matpowercaseframes, solved by PYPOWER."""

from pathlib import Path

import numpy as np
import pytest
from matpowercaseframes import CaseFrames

import pocin
from pocin.power.matpower import format_matpower

SEED = 1
RICH = Path(__file__).parents[1] / "data" / "rich.m"


@pytest.mark.parametrize(
    ("case", "policy", "beta"),
    [
        ("ieee14", "derived", 0.01),
        ("ieee14", "unit", 0.1),
        ("ieee14", "site", 0.1),
        ("ieee30", "derived", 0.1),
        ("ieee118", "derived", 0.1),
        ("ieee118", "derived", 0.01),
    ],
)
def test_another_reader_finds_the_same_optimum(case, policy, beta, tmp_path, pypower):
    made = pocin.release(pocin.read(case), policy=policy, beta=beta, seed=SEED)
    path = tmp_path / "released.m"
    pocin.write(made, path)
    frames = CaseFrames(str(path))
    tables = (frames.bus, frames.gen, frames.branch, frames.gencost)
    theirs = pypower(float(frames.baseMVA), *(table.to_numpy() for table in tables))
    ours = pocin.solve(pocin.read(path)).cost
    goal = made.diagnostics.goal
    assert theirs == pytest.approx(ours, rel=1e-4)
    assert ours == made.diagnostics.finished.certificate.own_optimum
    assert abs(theirs - goal.figure) <= (beta + 1e-4) * goal.figure
    assert f"{goal.figure!r}, the declared cost figure" in path.read_text("ascii")


@pytest.mark.filterwarnings("ignore:Mixed cost models")  # only its names of the columns differ
def test_another_reader_takes_every_kind_of_curve_and_unit(tmp_path, pypower):
    made = pocin.release(pocin.read(RICH), cost_figure=2690.8, policy="unit", seed=SEED)
    pocin.write(made, tmp_path / "released.m")
    frames = CaseFrames(str(tmp_path / "released.m"))
    assert set(frames.gencost["MODEL"]) == {1, 2}
    tables = (frames.bus, frames.gen, frames.branch, frames.gencost)
    theirs = pypower(float(frames.baseMVA), *(table.to_numpy() for table in tables))
    assert theirs == pytest.approx(pocin.solve(pocin.read(tmp_path / "released.m")).cost, rel=1e-5)


@pytest.mark.filterwarnings("ignore:Mixed cost models")
@pytest.mark.parametrize("free", [False, True])
def test_a_load_whose_reactive_power_may_vary_is_noted(free, tmp_path, pypower):
    path = tmp_path / "loads.m"
    row = "\t-8.313\t-8\t0\t-12\t" if free else "\t-8.313\t0\t0\t0\t"
    path.write_text(RICH.read_text("utf-8").replace("\t-8.313\t0\t0\t0\t", row), "utf-8")
    network = pocin.read(path)
    path.write_text(format_matpower(network.content, (), "loads"), "utf-8")
    frames = CaseFrames(str(path))
    tables = (frames.bus, frames.gen, frames.branch, frames.gencost)
    theirs = pypower(float(frames.baseMVA), *(table.to_numpy() for table in tables))
    same = theirs == pytest.approx(pocin.solve(network).cost, rel=1e-5)
    assert same is not free
    said = [note for note in network.content.notes if "hold the power factor" in note]
    assert len(said) == free


def test_another_reader_sees_the_public_part_untouched(tmp_path):
    network = pocin.read("ieee30")
    pocin.write(pocin.release(network, seed=SEED), tmp_path / "released.m")
    frames, grid = CaseFrames(str(tmp_path / "released.m")), network.content
    order = np.argsort(grid.buses.id)
    for theirs, ours in [("BUS_I", "id"), ("PD", "pd"), ("QD", "qd"), ("VMAX", "vmax")]:
        np.testing.assert_array_equal(frames.bus[theirs], getattr(grid.buses, ours)[order])
    for theirs, ours in [("BR_X", "x"), ("RATE_A", "rate_a"), ("TAP", "tap")]:
        np.testing.assert_array_equal(
            np.sort(frames.branch[theirs]), np.sort(getattr(grid.branches, ours))
        )
