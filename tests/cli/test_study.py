# SPDX-License-Identifier: MIT
"""``pocin study`` on the command line."""

import json
from dataclasses import dataclass

import pytest

from pocin.study import executors, extras
from pocin.study.store import read

STUDY = """
title = "Tiny"
[[grid]]
name = "tiny"
case = "ieee14"
alpha_location = "10%"
beta = [0.01, 0.1]
runs = 2
budgets = [1]
"""


@dataclass(frozen=True)
class Here:
    """Stands in for processes: the same work, in this one."""

    workers: int = 1

    @staticmethod
    def run(work, tasks):
        return map(work, tasks)


@pytest.fixture
def study(pocin, desk, monkeypatch):
    monkeypatch.setattr(executors, "Processes", Here)
    (desk / "tiny.toml").write_text(STUDY, encoding="utf-8")
    return lambda *words: pocin("study", *words)


def test_a_study_and_its_files(study, desk):
    ended = study("tiny.toml", "-o", "results")
    assert (ended.code, ended.err) == (0, "")
    first, *files = ended.out.splitlines()
    assert first == "4 of 4 releases measured."
    assert files[0] == "results"
    for name in ("releases.csv", "attacks.csv", "attacks.md", "sweep_tiny_1.png"):
        assert f"results/{name}" in files
        assert (desk / "results" / name).stat().st_size
    assert len(read(desk / "results")) == 4


def test_started_again(study):
    study("tiny.toml", "-o", "results", "--quiet")
    again = json.loads(study("tiny.toml", "-o", "results", "--json").out)
    assert (again["tasks"], again["done_before"], again["done_now"]) == (4, 4, 0)
    assert again["failed"] == []


def test_it_spends_nothing(study, desk, tmp_path):
    study("tiny.toml", "-o", "results")
    assert not (tmp_path / "state").exists()
    assert not list(desk.rglob("*ledger*"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("tiny.toml",), 2, "-o DIR: name the folder"),
        (("nowhere.toml", "-o", "r"), 3, "there is no such study; name a .toml file, paper, or an"),
        (("tiny.toml", "-o", "r", "--only", "tinny"), 2, "did you mean 'tiny'?"),
        (("tiny.toml", "-o", "r", "--workers", "0"), 2, "--workers: expected a number of at least"),
        (("tiny.toml", "-o", "rich.m"), 2, "is a file; name a folder"),
        (("tiny.toml", "-o", "."), 2, "holds other files"),
        (("tiny.toml", "-o", "r", "--workers", "2", "--cluster", "tcp://x:1"), 2, "leave it out"),
    ],
)
def test_what_cannot_be_is_one_sentence(study, words, code, said):
    ended = study(*words)
    assert ended.code == code
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert ended.out == ""


@pytest.mark.parametrize(("missing", "extra"), [("polars", "study"), ("matplotlib", "study")])
def test_a_missing_extra_is_named(study, monkeypatch, missing, extra, desk):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == missing else name)
    ended = study("tiny.toml", "-o", "results")
    assert ended.code == 2
    assert f"needs {missing}; pip install 'pocin[{extra}]'" in ended.err
    assert not (desk / "results").exists()


def test_a_cluster_needs_its_extra(study, monkeypatch, desk):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "distributed" else name)
    ended = study("tiny.toml", "-o", "results", "--cluster", "tcp://127.0.0.1:1")
    assert ended.code == 2
    assert "pip install 'pocin[cluster]'" in ended.err
    assert not (desk / "results").exists()


def test_a_task_that_fails_is_said(study, monkeypatch):
    from pocin.study import work

    def failing(*_):
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(work, "prepare", failing)
    ended = study("tiny.toml", "-o", "results", "--quiet")
    assert ended.code == 1
    assert "4 of 4 tasks failed" in ended.err
    assert "ZeroDivisionError" in ended.err
