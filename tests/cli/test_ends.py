# SPDX-License-Identifier: MIT
"""What commands say where something is missing, lost or slow."""

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

from pocin import attack as attacks
from pocin.cli import console, doctor, studio
from pocin.cli.attack import _told


def test_doctor_in_words(pocin):
    ended = pocin("doctor")
    assert ended.code == 0
    lines = dict(line.split(maxsplit=1) for line in ended.out.splitlines() if "(" not in line)
    told = json.loads(pocin("doctor", "--json").out)
    assert lines["pocin"] == told["versions"]["pocin"]
    assert lines["numpy"] == told["versions"]["numpy"]
    assert ended.out.count(" ok\n") == len(told["checks"]) == 5
    assert all(told["checks"].values())


def test_doctor_names_what_does_not_work(pocin, monkeypatch):
    def missing():
        raise ImportError

    checks = {"one": lambda: True, "two": missing, "three": lambda: False}
    monkeypatch.setattr(doctor, "CHECKS", checks)
    monkeypatch.setattr(doctor, "requires", lambda _: ["nothing-of-this-name>=1", ";"])
    ended = pocin("doctor")
    assert ended.code == 1
    assert "two and three did not work here; install pocin anew" in ended.err
    assert "nothing-of-this-name   missing" in ended.out
    assert ended.out.count("FAILS") == 2


def test_an_attack_says_how_many_solves_were_given_up(pocin, monkeypatch):
    real = attacks.measure

    def some_lost(*given):
        found = real(*given)
        row = found.rows[0]
        harm = replace(row.harm, details={**row.harm.details, "unsolved": 2.0})
        return replace(found, rows=[replace(row, harm=harm), *found.rows[1:]])

    pocin("release", "ieee14", "-o", "out.m", "--research", "--seed", "1", "--quiet")
    monkeypatch.setattr("pocin.cli.attack.attacks.measure", some_lost)
    words = ("attack", "ieee14", "out.m", "--budget", "1")
    ended = pocin(*words)
    assert ended.code == 0
    assert "the solver gave up on 2 attacks; their damage is that of its last point" in ended.err
    assert "gave up" not in pocin(*words, "--quiet").err


def test_what_not_every_attack_tells_has_no_table(pocin, monkeypatch):
    kept = []
    real = attacks.measure
    monkeypatch.setattr(
        "pocin.cli.attack.attacks.measure", lambda *given: kept.append(real(*given)) or kept[0]
    )
    pocin("release", "ieee14", "-o", "out.m", "--research", "--seed", "1", "--quiet")
    pocin("attack", "ieee14", "out.m", "--budget", "1", "--quiet")
    (found,) = kept
    beside = {**found.beside, "no such detail": "What nobody measured"}
    told = "\n".join(_told(replace(found, beside=beside)))
    assert "What nobody measured" not in told
    assert all(meaning in told for meaning in found.beside.values())


def test_a_spinner_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with console.progress(quiet=False) as say:
        say("restoring fidelity")
    assert "pocin:" not in capsys.readouterr().err


def test_a_release_that_is_being_drawn_is_waited_for(capsys):
    ended = []

    def session(close):
        return SimpleNamespace(
            drawing=True,
            close=close,
            give_up=lambda: ended.append("given up"),
            ended="the release is in x.m; ",
        )

    studio._close(SimpleNamespace(session=session(lambda: ended.append("closed"))))
    said = capsys.readouterr().err.splitlines()
    assert "a release is being drawn: waiting for its end" in said[0]
    assert said[1] == "pocin: the release is in x.m; studio ended; nothing is left running"

    def again():
        raise KeyboardInterrupt

    studio._close(SimpleNamespace(session=session(again)))
    assert "the release was given up" in capsys.readouterr().err
    assert ended == ["closed", "given up"]
