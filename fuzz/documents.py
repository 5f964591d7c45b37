# SPDX-License-Identifier: MIT
"""Inputs of several files as one: a line ``=== NAME`` before each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEAD = b"=== "
_NAME = re.compile(rb"([a-z][a-z_]{0,20}(?:\.[a-z]{1,8}){0,2})\n")


def unpack(data: bytes) -> dict[str, bytes]:
    """Return the files of an input; what stands before the first name belongs to none."""
    document = {}
    for part in (b"\n" + data).split(b"\n" + _HEAD)[1:]:
        if name := _NAME.match(part):
            document[name[1].decode()] = part[name.end() :]
    return document


def pack(document: Mapping[str, bytes]) -> bytes:
    """Return files as one input."""
    parts = [_HEAD + name.encode() + b"\n" + text for name, text in document.items()]
    return b"\n".join(parts)
