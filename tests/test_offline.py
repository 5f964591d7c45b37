# SPDX-License-Identifier: MIT
"""No telemetry, no network: release, audit, attack, report and their friends open no socket.

A fresh interpreter runs the commands under an audit hook, which every socket of Python's passes and
which no code can take off again; what native libraries might leave open stands in /proc.
"""

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = """
import os, sys

WATCHED = ("socket.", "urllib.", "http.client.", "smtplib.", "ftplib.", "webbrowser.")
opened = []

def hook(event, arguments):
    if event.startswith(WATCHED):
        opened.append(event)
        raise PermissionError("a socket")

sys.addaudithook(hook)

def sockets():
    fds = "/proc/self/fd"
    if not os.path.isdir(fds):
        return []
    links = [os.path.join(fds, fd) for fd in os.listdir(fds)]
    return [os.readlink(link) for link in links if os.path.lexists(link)]

before = {at for at in sockets() if at.startswith("socket:")}
"""
REST = """
left = {at for at in sockets() if at.startswith("socket:")} - before
sys.exit(f"sockets: {opened} {left}" if opened or left else 0)
"""
COMMANDS = """
from pocin.cli import run

def do(line):
    code = run(line.split())
    if code:
        sys.exit(f"{line}: exit code {code}")

do("release ieee14 -o out.m --ledger ledger.sqlite --quiet")
do("audit ieee14 out.m --quiet")
do("attack ieee14 out.m --budget 20% --draws 2 --quiet")
do("report out.m -o page.html --quiet")
do("report out.m --public -o public.html --quiet")
do("ledger show ieee14 --ledger ledger.sqlite")
do("cases")
do("solve ieee14 --quiet")
do("release siouxfalls -o roads --ledger ledger.sqlite --quiet")
"""


def ended(code: str, desk: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HOOK + code + REST],
        cwd=desk,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_command_opens_a_socket(desk: Path) -> None:
    found = ended(COMMANDS, desk)
    assert found.returncode == 0, found.stderr
    assert (desk / "page.html").exists()
    assert (desk / "roads" / "release.json").exists()


@pytest.mark.parametrize(
    "call",
    [
        "import socket; socket.socket()",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://localhost:1/')",
    ],
)
def test_a_socket_would_be_seen(desk: Path, call: str) -> None:
    found = ended(f"try:\n    {call}\nexcept OSError:\n    pass\n", desk)
    assert "sockets: ['" in found.stderr
    assert found.returncode == 1


def test_pages_fetch_nothing(pocin, desk: Path) -> None:
    assert pocin("release", "ieee14", "-o", "out.m", "--quiet").code == 0
    assert pocin("report", "out.m", "-o", "page.html", "--quiet").code == 0
    page = (desk / "page.html").read_text("utf-8")
    for fetching in ('src="http', 'src="//', "@import", "url(http", "fetch(", "XMLHttpRequest"):
        assert fetching not in page
