# SPDX-License-Identifier: MIT
"""README keeps to the truth: its commands and flags exist, its Python and its policy file work."""

import re
import shlex
from pathlib import Path

import pytest

from pocin.cli import COMMANDS
from pocin.power.columns import BOOK
from pocin.power.matpower import read_matpower

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
LINES = [
    line.removeprefix(".venv/bin/pocin ")
    for language, block in BLOCKS
    if not language
    for line in block.splitlines()
    if line.startswith(".venv/bin/pocin ")
]
THEIRS = {"mygrid.m", "mycity"}


def only(language: str) -> str:
    (block,) = (text for found, text in BLOCKS if found == language)
    return block


def test_it_holds_commands() -> None:
    assert any(line.startswith("release ieee118") for line in LINES)
    assert any(line.startswith("release siouxfalls") for line in LINES)


@pytest.mark.parametrize("line", LINES)
def test_a_command_and_its_flags_exist(pocin, line: str) -> None:
    words = shlex.split(line)
    assert words[0] in COMMANDS
    command = words[: 2 if words[1:2] in (["open"], ["show"], ["make-city"]) else 1]
    told = pocin(*command, "--help").out
    for flag in (word for word in words if re.match(r"--?[a-z]", word)):
        assert flag in told


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("release ")])
def test_a_release_would_begin(pocin, line: str) -> None:
    words = shlex.split(line)
    if words[1] in THEIRS:
        words[1] = {"mygrid.m": "ieee118", "mycity": "siouxfalls"}[words[1]]
    if words[1] == "city":
        assert (
            pocin("cases", "make-city", "-o", "city", "--links", "200", "--trips", "50").code == 0
        )
    ended = pocin(*words, "--dry-run", "--quiet")
    assert (ended.code, ended.err) == (0, "")


def test_every_flag_that_it_names_exists(pocin) -> None:
    told = "".join(pocin(*command.split(), "--help").out for command in (*COMMANDS, "ledger open"))
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    assert [
        flag for flag in re.findall(r"`[^`]*?(--[a-z][a-z-]+)", prose) if flag not in told
    ] == []


def test_its_python_runs(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(only("python"), {})  # noqa: S102
    optimum, statement = capsys.readouterr().out.split("\n", 1)
    assert float(optimum) == pytest.approx(97214, rel=1e-4)
    assert statement.startswith("Hold fixed the public part")
    assert len(read_matpower(desk / "from_python.m").buses) == 118


def test_its_policy_file_is_one(desk: Path) -> None:
    (desk / "own.toml").write_text(only("toml"), "utf-8")
    policy = BOOK.find("own.toml")
    assert policy["bus.zone"] == "dropped"
    assert policy.constants["pmin_ratio"] == 0.1
