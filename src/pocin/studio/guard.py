# SPDX-License-Identifier: MIT
"""Who may ask the studio: whoever holds the token, by a page that the studio itself served.

- The token stands in every address. Other programs and other pages do not know it.
- The Host header is a literal address or the name that was bound to, never another name: a page of
  another site whose name is made to point here (DNS rebinding) sends its own.
- What changes anything is a POST of JSON with a header of our own, from our own origin: a form or a
  script of another site cannot send one without asking first, and nobody answers that question.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from pocin.errors import UsageError
from pocin.privacy.noise import SystemNoise

if TYPE_CHECKING:
    from email.message import Message

MARK = "X-Pocin-Studio"
TOKEN_BITS, LEAST = 160, 16
LOCAL = "localhost"

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer says: keep nothing, load nothing from elsewhere, tell nobody the address."""


@dataclass(frozen=True)
class Guard:
    """Judges requests to the studio at a host and port."""

    host: str
    token: str

    @classmethod
    def at(cls, host: str, token: str | None) -> Guard:
        """Guard a host; one that others can reach needs a token that was agreed on with them."""
        if token is None and not loopback(host):
            raise UsageError(
                f"--host {host}: others could reach this page, and with it draw releases; give "
                "--token with a long secret too (or leave out --host)"
            )
        if token is not None and (len(token) < LEAST or not token.isalnum() or not token.isascii()):
            raise UsageError(f"--token: expected at least {LEAST} letters and digits")
        return cls(host, token or f"{SystemNoise().bits(TOKEN_BITS):040x}")

    def inside(self, path: str) -> str | None:
        """Return what stands behind the token in a path; None where it is not the token."""
        first, _, rest = path.partition("?")[0].removeprefix("/").partition("/")
        right = hmac.compare_digest(first.encode("utf-8", "replace"), self.token.encode())
        return rest if right else None

    def refusal(self, method: str, headers: Message[str, str]) -> str | None:
        """Say what is wrong with a request, whatever it asks for."""
        host = headers.get("Host", "")
        if not self.named(host):
            return "this is not the address that pocin studio printed"
        if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            return "another page may not ask here"
        if headers.get("Origin", f"http://{host}") != f"http://{host}":
            return "another page may not ask here"
        if method == "POST" and (
            headers.get(MARK) != "1" or headers.get("Content-Type") != "application/json"
        ):
            return "only the studio's own page may change anything"
        return None

    def named(self, host: str) -> bool:
        """Return whether a Host header is a literal address, or the name that was bound to."""
        name = _without_port(host)
        if name.lower() in (self.host.lower(), LOCAL):
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not loopback(self.host)


def loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return host.lower() == LOCAL or ip_address(host).is_loopback
    except ValueError:
        return False


def _without_port(host: str) -> str:
    """Return the name or the address in a Host header."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
