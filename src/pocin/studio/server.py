# SPDX-License-Identifier: MIT
"""HTTP by the standard library: one page, its style and script, and what they ask for.

    GET   (page) studio.css studio.js state download/release download/statement download/page
    POST  open plan preview release        JSON in, JSON out; what is wrong is {"error": sentence}

The standard library's server serves one curator well, and is nothing more to trust in a process
that stands beside a secret; ``guard`` judges every request before anything is done.
"""

from __future__ import annotations

import errno
import io
import json
import socket
import zipfile
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocin.errors import PocinError, UsageError
from pocin.kinds import STATEMENT
from pocin.report.page import public_page, stylesheet
from pocin.report.released import read_released
from pocin.studio import pages
from pocin.studio.guard import HEADERS

if TYPE_CHECKING:
    from pocin.studio.guard import Guard
    from pocin.studio.session import Session

MOST = 65_536
"""Bytes that a question may have."""

_OK, _BAD, _FORBIDDEN, _MISSING, _LARGE, _BROKEN = 200, 400, 403, 404, 413, 500
_TIME = (1980, 1, 1, 0, 0, 0)  # of the files in an archive: the bytes are those of the release


class Studio(ThreadingHTTPServer):
    """The server, with what is open and who may ask."""

    daemon_threads = True

    def __init__(self, guard: Guard, port: int, session: Session) -> None:
        self.guard, self.session = guard, session
        self.address_family = socket.AF_INET6 if ":" in guard.host else socket.AF_INET
        try:
            super().__init__((guard.host, port), Handler)
        except OSError as error:
            raise UsageError(_unbound(guard.host, port, error)) from None
        except OverflowError:
            raise UsageError("--port: expected a number from 0 to 65535") from None

    @property
    def url(self) -> str:
        """The address to open."""
        host = f"[{self.guard.host}]" if ":" in self.guard.host else self.guard.host
        return f"http://{host}:{self.server_address[1]}/{self.guard.token}/"

    def server_bind(self) -> None:
        """Bind without asking a name server who we are."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.guard.host, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request; nothing is logged, for addresses hold the token."""

    server: Studio
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pocin", ""
    timeout = 60

    def do_GET(self) -> None:
        """Answer with what is shown."""
        asked = self._asked("GET")
        if asked is None:
            return
        session = self.server.session
        if asked == "":
            self._send(_OK, pages.page().encode(), "text/html; charset=utf-8")
        elif asked == "studio.css":
            self._send(_OK, _style(), "text/css; charset=utf-8")
        elif asked == "studio.js":
            self._send(_OK, _asset("studio.js").encode(), "text/javascript; charset=utf-8")
        elif asked == "state":
            self._json(_OK, session.state())
        elif asked.startswith("download/"):
            self._download(asked.removeprefix("download/"))
        else:
            self._json(_MISSING, {"error": "there is nothing of this name"})

    def do_POST(self) -> None:
        """Do what is asked; an error is a sentence."""
        asked = self._asked("POST")
        if asked is None:
            return
        body = self._body()
        if body is None:
            return
        try:
            self._json(_OK, self._done(asked, body))
        except PocinError as error:
            self._json(_OK, {"error": str(error)})
        except (KeyError, TypeError, AttributeError):
            self._json(_BAD, {"error": "this question cannot be understood"})

    def _done(self, asked: str, body: dict[str, Any]) -> dict[str, Any]:
        """Call what a name stands for."""
        session = self.server.session
        if asked == "open":
            return session.open(_text(body["source"]))
        if asked == "plan":
            return session.plan(_text(body["source"]), _fields(body["fields"]))
        if asked == "preview":
            return session.preview()
        if asked == "release":
            spend = _text(body["spend"])
            return session.release(_text(body["source"]), _fields(body["fields"]), spend)
        raise KeyError(asked)

    def _asked(self, method: str) -> str | None:
        """Return what is asked for, or refuse."""
        guard = self.server.guard
        refused = guard.refusal(method, self.headers)
        if refused is not None:
            self.close_connection = True
            self._json(_FORBIDDEN, {"error": refused})
            return None
        inside = guard.inside(self.path)
        if inside is None:
            self.close_connection = True
            sentence = "open the whole address that pocin studio printed"
            self._json(_MISSING, {"error": sentence})
        return inside

    def _body(self) -> dict[str, Any] | None:
        """Return the question, or refuse it."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST:
            self.close_connection = True
            self._json(_LARGE, {"error": "this question is too long, or does not say how long"})
            return None
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            self._json(_BAD, {"error": "this question cannot be understood"})
            return None
        return body

    def _download(self, what: str) -> None:
        """Send a public file of the release."""
        released = self.server.session.released
        if released is None or what not in ("release", "statement", "page"):
            self._json(_MISSING, {"error": "there is no release yet"})
            return
        path = Path(released.path)
        try:
            if what == "page":
                name, data = f"{path.stem}.html", public_page([read_released(path)]).encode()
            elif what == "statement":
                name, data = f"{path.name}.{STATEMENT}", Path(released.files[1]).read_bytes()
            elif path.is_dir():
                name, data = f"{path.name}.zip", _archive(path)
            else:
                name, data = path.name, path.read_bytes()
        except (OSError, PocinError):
            self._json(_MISSING, {"error": f"{path} cannot be read any more"})
            return
        self._send(_OK, data, "application/octet-stream", name)

    def _json(self, status: int, said: dict[str, Any]) -> None:
        """Send an object."""
        self._send(status, json.dumps(said).encode(), "application/json")

    def _send(self, status: int, data: bytes, kind: str, name: str | None = None) -> None:
        """Send an answer with the headers that all have."""
        self.send_response(status)
        for key, value in HEADERS.items():
            self.send_header(key, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if name is not None:
            self.send_header("Content-Disposition", f'attachment; filename="{name}"')
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def _text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError
    return value


def _fields(value: Any) -> dict[str, str]:
    """Return texts by name."""
    return {_text(name): _text(given) for name, given in value.items()}


def _archive(folder: Path) -> bytes:
    """Return a released folder as one file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.iterdir()):
            entry = zipfile.ZipInfo(f"{folder.name}/{file.name}", _TIME)
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return made.getvalue()


@cache
def _asset(name: str) -> str:
    """Return a file that comes with the package."""
    return files("pocin.studio").joinpath("assets", name).read_text("utf-8")


@cache
def _style() -> bytes:
    """Return the style of all pages, and the studio's own."""
    return (stylesheet() + _asset("studio.css")).encode()


def _unbound(host: str, port: int, error: OSError) -> str:
    """Say why the address cannot be had."""
    if error.errno == errno.EADDRINUSE:
        return f"--port {port}: is taken; end what uses it, or give another (0 takes any free one)"
    if error.errno == errno.EACCES:
        return f"--port {port}: is not for everybody; give one above 1023"
    return f"--host {host}: is no address of this machine ({error.strerror}); give another"
