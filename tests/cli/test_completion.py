# SPDX-License-Identifier: MIT
"""Shells complete commands and flags; the manual page has them all."""

import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from pocin.cli import COMMANDS

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_man.py"


def test_bash_completes(pocin, desk: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    ended = pocin("completion", "bash")
    assert (ended.code, ended.err) == (0, "")
    (desk / "pocin.sh").write_text(ended.out)

    def completes(*words: str) -> list[str]:
        typed = " ".join(words)
        asked = f"COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _pocin; echo ${{COMPREPLY[@]}}"
        told = subprocess.run(
            [bash, "-c", f"source ./pocin.sh; {asked}"],
            capture_output=True,
            text=True,
            check=True,
        )
        return told.stdout.split()

    assert set(completes("pocin", "''")) >= set(COMMANDS)
    assert completes("pocin", "rel") == ["release"]
    assert "--epsilon-value" in completes("pocin", "release", "ieee14", "--eps")
    assert set(completes("pocin", "ledger", "''")) >= {"open", "show"}


@pytest.mark.parametrize(("shell", "marked"), [("zsh", "#compdef pocin"), ("fish", "complete -c")])
def test_other_shells_are_told_as_much(pocin, shell: str, marked: str) -> None:
    told = pocin("completion", shell).out
    assert marked in told
    assert [name for name in COMMANDS if name not in told] == []


def test_an_unknown_shell_is_one_sentence(pocin) -> None:
    ended = pocin("completion", "tcsh")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1


def test_the_manual_has_every_command_and_flag(pocin, tmp_path: Path) -> None:
    pytest.importorskip("docutils")
    page = runpy.run_path(str(SCRIPT))["manual"]()
    plain = page.replace("\\-", "-").replace("\\(aq", "'")
    for command in COMMANDS:
        told = pocin(command, "--help").out
        flags = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", told))
        assert [flag for flag in flags - {"--help", "--version"} if flag not in plain] == []
        assert f".SS {command}" in plain
    groff = shutil.which("groff")
    if groff is not None:
        (tmp_path / "pocin.1").write_text(page, "utf-8")
        words = [groff, "-man", "-ww", "-Kutf8", "-Tutf8", tmp_path / "pocin.1"]
        set_ = subprocess.run(words, capture_output=True, check=True)
        assert set_.stderr == b""
