# SPDX-License-Identifier: MIT
"""A release as the public has it: the network, and its public statement. Nothing else is opened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError
from pocin.header import STATEMENT
from pocin.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pocin.kinds import Drawing
    from pocin.policy import PolicyBook

_NEEDED = ("kind", "parameters", "guarantee", "cost")


@dataclass(frozen=True, eq=False)
class Released:
    """All that a public page may show. There is no place in it for what the curator knows.

    ``source`` is the file or the folder; ``name`` the part of that which is public.
    """

    source: Path
    name: str
    statement: Mapping[str, Any] = field(repr=False)
    drawing: Drawing = field(repr=False)
    book: PolicyBook = field(repr=False)
    problem: str

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters, as stated."""
        found: Mapping[str, Any] = self.statement["parameters"]
        return found

    @property
    def guarantee(self) -> Mapping[str, Any]:
        """The guarantee, as stated."""
        found: Mapping[str, Any] = self.statement["guarantee"]
        return found

    @property
    def private(self) -> bool:
        """Whether it is a private release, and not one of research."""
        return bool(self.parameters["private"])


def read_released(source: Path) -> Released:
    """Read a released network and the statement beside it, or in its folder."""
    kind = kind_of(source)
    content, _ = kind.read(source, None)
    statement = _statement(_beside(source))
    drawing = kind.drawing(content)
    problem = str(statement.get("problem", kind.problem))
    return Released(source, source.resolve().name, statement, drawing, kind.book, problem)


def _beside(source: Path) -> Path:
    """Return where the public statement of a release stands."""
    if not source.exists():
        raise InputError(
            f"{source}: is a built-in case, not a release; make one by "
            f"pocin release {source} -o OUT, and report on OUT"
        )
    own = source / STATEMENT if source.is_dir() else source.parent / STATEMENT
    named = source.with_name(source.name + ".release.json")
    return own if source.is_dir() or (not named.exists() and own.exists()) else named


def _statement(path: Path) -> Mapping[str, Any]:
    """Read the public statement of a release."""
    stated = read_json(path, "the public statement of a release; keep it beside the released file")
    missing = [name for name in _NEEDED if name not in stated]
    if missing:
        raise InputError(
            f"{path}: is not the public statement of a release (it has no {missing[0]}); "
            "give the folder or file that pocin release wrote"
        )
    return stated


def read_json(path: Path, what: str) -> Mapping[str, Any]:
    """Read a JSON object, or say what it should be."""
    try:
        stated = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); it is {what}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is not JSON; expected {what}") from None
    if not isinstance(stated, dict):
        raise InputError(f"{path}: is not an object; expected {what}")
    return stated
