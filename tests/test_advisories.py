# SPDX-License-Identifier: MIT
"""What `make advisories` makes of the answers of an advisory service."""

import json
import runpy
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_advisories.py"
FAULTY = {"name": "x", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2", "1.1"]}]}
SOUND = {"name": "y", "version": "1", "vulns": []}
UNKNOWN = {"name": "z", "skip_reason": "not found"}


@pytest.fixture
def check(monkeypatch, capsys):
    """Give what each service answers; get the exit code and what was printed."""

    def checked(**answers):
        def run(words, **_):
            told = answers[words[words.index("--vulnerability-service") + 1]]
            return SimpleNamespace(
                stdout=told if told == "" else json.dumps({"dependencies": told})
            )

        monkeypatch.setattr(subprocess, "run", run)
        code = runpy.run_path(str(SCRIPT))["main"](["a.txt"])
        return code, capsys.readouterr().out

    return checked


def test_a_known_fault_ends_with_one_and_is_named(check):
    code, told = check(pypi=[FAULTY, SOUND, UNKNOWN])
    assert code == 1
    assert "2 packages checked by pypi, 1 not known to pypi, 1 faulty" in told
    assert "x 1: CVE-1; mended in 2, 1.1" in told


def test_no_fault_ends_with_zero(check):
    assert check(pypi=[SOUND]) == (0, "a.txt: 1 packages checked by pypi, 0 faulty\n")


@pytest.mark.parametrize("silent", ["", [UNKNOWN]])
def test_the_second_service_is_asked_where_the_first_knows_nothing(check, silent):
    code, told = check(pypi=silent, osv=[FAULTY])
    assert (code, "checked by osv" in told) == (1, True)


def test_nothing_checked_is_said_and_never_called_sound(check):
    code, told = check(pypi="", osv=[UNKNOWN])
    assert (code, "not checked" in told, "0 faulty" in told) == (0, True, False)
