# SPDX-License-Identifier: MIT
"""A study's file: what it asks for, and what is said of one that cannot be."""

import textwrap

import pytest

from pocin.errors import InputError, UsageError
from pocin.study.grid import EXAMPLES, found, load


@pytest.fixture
def study(tmp_path):
    def write(text, **how):
        path = tmp_path / "study.toml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return load(path, **how)

    return write


def test_every_combination_once_cases_outermost_runs_innermost(study):
    made = study("""
        title = "All"
        [[grid]]
        case = ["ieee14", "ieee57"]
        epsilon = [1, 0.5]
        beta = 0.1
        runs = 2
    """)
    rows = [(t.settings.case, t.settings.epsilon_value, t.number) for t in made.tasks]
    assert rows[:4] == [
        ("ieee14", "1", 0),
        ("ieee14", "1", 1),
        ("ieee14", "0.5", 0),
        ("ieee14", "0.5", 1),
    ]
    assert len(rows) == len(set(rows)) == 8
    assert all(t.settings.epsilon_location == t.settings.epsilon_value for t in made.tasks)


def test_a_part_of_epsilon_stands_over_the_whole(study):
    (task,) = study('[[grid]]\ncase = "ieee14"\nepsilon = 1\nepsilon_value = 2').tasks
    assert (task.settings.epsilon_location, task.settings.epsilon_value) == ("1", "2")


def test_what_two_grids_share_is_done_once_with_all_that_is_asked(study):
    made = study("""
        [[grid]]
        case = "ieee14"
        runs = 3
        sites = true
        [[grid]]
        case = "ieee14"
        runs = [1, 7]
        budgets = ["20%", 1]
    """)
    assert [task.number for task in made.tasks] == [0, 1, 2, 7]
    both = made.tasks[1].measures
    assert both.sites
    assert both.budgets == ("20%", "1")
    assert not made.tasks[0].measures.budgets
    assert not made.tasks[3].measures.sites


def test_only_named_grids(study):
    text = '[[grid]]\nname = "a"\ncase = "ieee14"\n[[grid]]\nname = "b"\ncase = "ieee57"\n'
    assert [t.settings.case for t in study(text, only=("b",)).tasks] == ["ieee57"]
    with pytest.raises(UsageError, match=r"--only c: .* has no such grid"):
        study(text, only=("c",))


def test_a_task_is_the_same_whether_its_grid_is_done_alone_or_not(study):
    text = """
        [[grid]]
        name = "a"
        case = "ieee14"
        runs = 2
        [[grid]]
        name = "b"
        case = "ieee14"
        runs = 3
        sites = true
    """
    whole, alone = study(text), study(text, only=("a",))
    assert alone.tasks == whole.tasks[:2]
    assert all(task.measures.sites for task in alone.tasks)
    assert set(alone.grids) == {"a"}
    assert alone.grids["a"] == whole.grids["a"] < whole.grids["b"]


def test_a_case_is_the_first_of_its_candidates_that_is_here(study, tmp_path):
    text = '[cases]\nsmall = ["small.m", "ieee14"]\n[[grid]]\ncase = "small"\n'
    (built_in,) = study(text).tasks
    assert built_in.source == "ieee14"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "small.m").write_text("")
    (beside,) = study(text, data=tmp_path / "elsewhere").tasks
    assert beside.source == str(tmp_path / "elsewhere" / "small.m")
    assert beside.name == built_in.name  # wherever the file is, it is the same task


def test_a_case_that_is_not_here_is_refused_or_left_out(study):
    text = '[[grid]]\ncase = ["ieee14", "elsewhere.m"]\n'
    with pytest.raises(InputError, match=r"grid 1, case: there is no 'elsewhere\.m' here"):
        study(text)
    made = study(text, lenient=True)
    assert made.absent == ("elsewhere.m",)
    assert [t.settings.case for t in made.tasks] == ["ieee14"]


def test_seeds_follow_from_what_decides_the_draws(study):
    tasks = study("""
        [[grid]]
        case = ["ieee14", "ieee57"]
        epsilon = [1, 2]
        alpha_location = ["2hops", "3hops"]
        alpha_value = ["10MW", "20MW"]
        beta = [0.1, 0.2]
        policy = ["derived", "unit"]
        runs = 2
    """).tasks
    by_seed = {}
    for task in tasks:
        s = task.settings
        drawn = (s.case, s.epsilon_value, s.alpha_location, s.alpha_value, task.number)
        by_seed.setdefault(task.seed, set()).add(drawn)
    assert all(len(drawn) == 1 for drawn in by_seed.values())
    assert len(by_seed) == len(tasks) // 4  # beta and policy are compared on the same draws
    assert len({task.name for task in tasks}) == len(tasks)


def test_seeds_and_names_are_the_same_on_every_machine(study):
    """A change of these makes every old study begin anew: make it on purpose."""
    (task,) = study('[[grid]]\ncase = "ieee14"').tasks
    assert task.seed == SEED
    assert task.name == NAME


SEED = 3650299515103658343
NAME = "98c4d83ac9764c34"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "describes no grid; begin one by a line"),
        ("titel = 1\n[[grid]]\ncase = 'ieee14'", "unknown key 'titel'; did you mean 'title'?"),
        ("[[grid]]\ncase = 'ieee14'\nrun = 3", "grid 1: unknown key 'run'; did you mean 'runs'?"),
        ("[[grid]]\nruns = 3", "names no network"),
        ("[[grid]]\ncase = 'ieee188'", "did you mean 'ieee118'?"),
        ("[[grid]]\ncase = 14", "grid 1, case: expected text in quotes"),
        ("[[grid]]\ncase = 'ieee14'\nepsilon = [1, 0]", "epsilon: expected a number over 0"),
        ("[[grid]]\ncase = 'ieee14'\nalpha_location = '3'", "expected a positive number with its"),
        ("[[grid]]\ncase = 'ieee14'\nbeta = 10", "beta: expected numbers between 0 and 1"),
        ("[[grid]]\ncase = 'ieee14'\npolicy = 'derivd'", "policy: expected derived, unit"),
        ("[[grid]]\ncase = 'ieee14'\nmechanism = 'x'", "mechanism: expected one of softmax"),
        ("[[grid]]\ncase = 'ieee14'\nfault = 'x'", "fault: expected condensers"),
        ("[[grid]]\ncase = 'ieee14'\nruns = 0", "runs: expected a number of runs"),
        ("[[grid]]\ncase = 'ieee14'\nruns = [-1]", "runs: expected a number of runs"),
        ("[[grid]]\ncase = 'ieee14'\nruns = true", "runs: expected a number of runs"),
        ("[[grid]]\ncase = 'ieee14'\nbudgets = '10'", "budgets: expected shares"),
        ("[[grid]]\ncase = 'ieee14'\nbudgets = '0%'", "budgets: expected shares"),
        ("[[grid]]\ncase = 'ieee14'\nslowdown = 0.5", "slowdown: expected a factor"),
        ("[[grid]]\ncase = 'ieee14'\nsites = 1", "sites: expected true or false"),
        ("[[grid]]\ncase = 'ieee14'\nrestore = false\nbudgets = 1", "restore: is needed by"),
        (
            "[[grid]]\ncase = 'ieee14'\nepsilon = 1\nepsilon_location = 1\nepsilon_value = 1",
            "leave",
        ),
        ("[[grid]]\nname = 'a'\ncase = 'ieee14'\n" * 2, "two grids have one name"),
        ("grid = 3", "describes no grid"),
        ("cases = 3\n[[grid]]\ncase = 'ieee14'", "cases: must be a table"),
        ("not toml", "is not TOML"),
    ],
)
def test_a_fault_is_said_with_its_place_and_its_remedy(study, text, said):
    with pytest.raises(InputError) as refused:
        study(text)
    assert said in str(refused.value)
    assert "study.toml" in str(refused.value)


def test_all_faults_are_said_at_once(study):
    with pytest.raises(InputError) as refused:
        study("[[grid]]\ncase = 'ieee14'\nbeta = 2\nruns = 0\nepsilon = 0")
    assert str(refused.value).count("grid 1") == 3


def test_every_example_that_comes_along_can_be_read():
    names = [path.stem for path in EXAMPLES.glob("*.toml")]
    assert names
    for name in names:
        made = load(found(name))
        assert made.tasks
        assert not made.absent
    with pytest.raises(InputError, match="paper, or an example"):
        found("nowhere")
