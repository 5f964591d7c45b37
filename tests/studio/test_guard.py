# SPDX-License-Identifier: MIT
"""Who may ask: whoever holds the token, by the studio's own page, at its own address."""

import socket
from typing import Any

import pytest
from tests.studio.conftest import JSON, Open

from pocin.errors import UsageError
from pocin.studio.guard import HEADERS, Guard
from pocin.studio.server import MOST, Studio

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_every_answer_keeps_nothing_and_loads_nothing_from_elsewhere(running: Open) -> None:
    for path in ("", "studio.css", "studio.js", "state", "nothing", "download/release"):
        _, headers, _ = running.raw("GET", running.inside(path), {"Host": running.host})
        for name, value in HEADERS.items():
            assert headers[name] == value
    assert "no-store" in HEADERS["Cache-Control"]
    assert "http" not in HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("path", ["/", "/state", "/0/", "/0/state", "/favicon.ico", "//", "/é/"])
def test_nothing_is_shown_without_the_token(running: Open, path: str) -> None:
    quoted = path.encode().decode("latin-1") if path.isascii() else "/%C3%A9/"
    status, _, data = running.raw("GET", quoted, {"Host": running.host})
    assert status == 404
    assert running.server.guard.token.encode() not in data


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "", "127.0.0.1.evil.example"]
)
def test_a_name_that_points_here_is_refused(running: Open, host: str) -> None:
    status, _, _ = running.raw("GET", running.inside(""), {"Host": host})
    assert status == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]"])
def test_this_machine_is_not(running: Open, host: str) -> None:
    status, _, _ = running.raw("GET", running.inside(""), {"Host": host})
    assert status == 200


@pytest.mark.parametrize(
    "headers",
    [
        FORM,
        {"Content-Type": "application/json"},
        {**JSON, "Content-Type": "text/plain"},
        {**JSON, "Origin": "http://evil.example"},
        {**JSON, "Origin": "null"},
        {**JSON, "Sec-Fetch-Site": "cross-site"},
        {**JSON, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_page_changes_nothing(running: Open, headers: dict[str, str]) -> None:
    given = {"Host": running.host, **headers}
    for path in ("open", "plan", "preview", "release"):
        status, _, _ = running.raw("POST", running.inside(path), given, b"{}")
        assert status == 403


def test_a_token_is_needed_to_change_anything(running: Open) -> None:
    status, _, _ = running.raw("POST", "/release", {"Host": running.host, **JSON}, b"{}")
    assert status == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        (b"{}", 400),
        (b'{"source": 1}', 400),
        (b'{"source": "ieee14", "fields": []}', 400),
        (b'{"source": "ieee14", "fields": {"beta": 1}}', 400),
        (b"[" * 5000, 400),
        (b"x" * (MOST + 1), 413),
    ],
)
def test_nonsense_is_refused(running: Open, body: bytes, status: int) -> None:
    given = {"Host": running.host, **JSON}
    assert running.raw("POST", running.inside("plan"), given, body)[0] == status


def test_the_answers_of_other_methods_are_refusals(running: Open) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD"):
        status, headers, _ = running.raw(method, running.inside(""), {"Host": running.host})
        assert status == 501
        assert "Access-Control-Allow-Origin" not in headers


def test_tokens_are_random() -> None:
    tokens = {Guard.at("127.0.0.1", None).token for _ in range(20)}
    assert len(tokens) == 20
    assert {len(token) for token in tokens} == {40}


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "grid.example", "::"])  # noqa: S104
def test_others_are_served_with_an_agreed_token_only(host: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        Guard.at(host, None)
    assert Guard.at(host, "a" * 16).token == "a" * 16


@pytest.mark.parametrize("token", ["", "short", "a/" * 10, "ä" * 20])
def test_a_token_is_long_and_plain(token: str) -> None:
    with pytest.raises(UsageError, match="letters and digits"):
        Guard.at("127.0.0.1", token)


def test_where_others_are_served_a_name_of_theirs_is_still_refused() -> None:
    guard = Guard.at("0.0.0.0", "a" * 16)  # noqa: S104
    assert guard.named("192.168.1.4:8642")
    assert not guard.named("evil.example:8642")
    assert Guard.at("grid.example", "a" * 16).named("grid.example:8642")
    assert not Guard.at("127.0.0.1", None).named("192.168.1.4:8642")


@pytest.mark.parametrize("port", [-1, 70_000])
def test_a_port_that_cannot_be_is_a_sentence(port: int) -> None:
    nobody: Any = None
    with pytest.raises(UsageError, match="--port"):
        Studio(Guard.at("127.0.0.1", None), port, nobody)


def test_a_busy_port_is_a_sentence() -> None:
    nobody: Any = None
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"--port {port}: is taken; .* give another"):
            Studio(Guard.at("127.0.0.1", None), port, nobody)
