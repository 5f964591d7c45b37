# SPDX-License-Identifier: MIT
"""``pocin studio`` as a command, and the processes behind it."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from tests.conftest import Ended
from tests.studio.conftest import JSON

from pocin.errors import PocinError
from pocin.studio.worker import GivenUpError, Worker


class Odd:
    """An object for a worker: works, fails, breaks, dies, or takes its time."""

    def work(self, number: int, say: Callable[[str], None]) -> int:
        say("working")
        return 2 * number

    def fail(self, _: Callable[[str], None]) -> None:
        raise PocinError("this is the sentence")

    def stumble(self, _: Callable[[str], None]) -> None:
        raise ZeroDivisionError("a secret")

    def die(self, _: Callable[[str], None]) -> None:
        os._exit(1)

    def linger(self, _: Callable[[str], None]) -> None:
        sleep(60)


def test_a_worker_answers_fails_dies_and_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POCIN_DEBUG", raising=False)
    worker, steps = Worker(Odd), []
    try:
        assert worker.ask("work", 4, say=steps.append) == 8
        assert steps == ["working"]
        with pytest.raises(PocinError, match=r"^this is the sentence$"):
            worker.ask("fail")
        with pytest.raises(PocinError, match=r"internal error \(ZeroDivisionError\)") as caught:
            worker.ask("stumble")
        assert "secret" not in str(caught.value)
        with pytest.raises(GivenUpError, match="ended before"):
            worker.ask("die")
        with pytest.raises(GivenUpError, match="over 0 s"):
            worker.ask("linger", limit=0.1)
        assert worker.ask("work", 5) == 10
    finally:
        worker.end()


def test_a_worker_that_is_ended_tells_whoever_waits() -> None:
    worker, said = Worker(Odd), []

    def wait() -> None:
        try:
            worker.ask("linger")
        except GivenUpError as error:
            said.append(str(error))

    assert worker.ask("work", 1) == 2
    thread = Thread(target=wait)
    thread.start()
    sleep(0.2)
    worker.end()
    thread.join(20)
    assert not thread.is_alive()
    assert len(said) == 1


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--host", "0.0.0.0"), "give --token with a long secret"),  # noqa: S104
        (("--host", "0.0.0.0", "--token", "short"), "at least 16 letters and digits"),  # noqa: S104
        (("-o", "nowhere"), "nowhere: is no folder"),
        (("--port", "70000"), "--port: expected a number"),
        (("--host", "192.0.2.1", "--token", "a" * 20), "is no address of this machine"),
    ],
)
def test_what_cannot_be_served_is_a_sentence(
    pocin: Callable[..., Ended], flags: tuple[str, ...], sentence: str
) -> None:
    ended = pocin("studio", *flags)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.err.count("\n") == 1


def test_a_busy_port_is_a_sentence(pocin: Callable[..., Ended]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = pocin("studio", "--port", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert "is taken; end what uses it, or give another" in ended.err


def begun(folder: Path, *flags: str) -> tuple[subprocess.Popen[str], str]:
    """Start the command, and return it with the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pocin", "studio", "--port", "0", *flags],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/[0-9a-f]{40}/", line)
    assert found, line
    return process, found[0]


def post(url: str, what: str, body: str) -> Any:
    request = urllib.request.Request(url + what, body.encode(), JSON)  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return answer.read().decode()


def left(process: subprocess.Popen[str]) -> bool:
    """Return whether a process of its session lives on."""
    for _ in range(100):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return False
        sleep(0.05)
    return True


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_it_after_the_release(tmp_path: Path) -> None:
    process, url = begun(tmp_path, "--ledger", str(tmp_path / "ledger.sqlite"))
    try:
        body = '{"source": "ieee14", "fields": {}, "spend": "2"}'
        assert '"running": true' in post(url, "release", body)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "a release is being drawn: waiting for its end" in err
    assert err.endswith("studio ended; nothing is left running\n")
    assert (tmp_path / "released.m").exists(), err
    assert not left(process)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_twice_gives_a_release_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "slow.m")  # reading it does not end
    process, url = begun(tmp_path, "--ledger", str(tmp_path / "ledger.sqlite"))
    try:
        body = '{"source": "slow.m", "fields": {}, "spend": "2"}'
        post(url, "release", body)
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        first = process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Ctrl-C again gives it up" in first
    assert "the release was given up" in err
    assert [path.name for path in tmp_path.iterdir()] == ["slow.m"]
    assert not left(process)
