# SPDX-License-Identifier: MIT
"""What tests share: a desk with a small grid on it, and the command line as a function."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pocin.cli import run

RICH = Path(__file__).with_name("data") / "rich.m"


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def pytest_configure() -> None:
    """Let Ctrl-C be tested where a shell runs the tests in the background and has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder that holds data/rich.m, with a state folder of its own."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "rich.m").write_bytes(RICH.read_bytes())
    for name in ("HOME", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "state"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def pocin(desk: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command line at the desk; what native code prints is caught too."""
    assert desk.is_dir()

    def call(*words: str) -> Ended:
        capfd.readouterr()
        code = run([str(word) for word in words])
        return Ended(code, *capfd.readouterr())

    return call
