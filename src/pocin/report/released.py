# SPDX-License-Identifier: MIT
"""A release as the public has it: the network, and its public statement. Nothing else is opened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError
from pocin.kinds import STATEMENT, kind_of

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
    if not source.exists():
        raise InputError(
            f"{source}: is a built-in case, not a release; make one by "
            f"pocin release {source} -o OUT, and report on OUT"
        )
    whole = source.absolute()
    if kind.folder and not whole.is_dir():
        whole = whole.parent  # one file of a folder was named
    own = whole / STATEMENT if kind.folder else whole.with_name(whole.name + ".release.json")
    statement = _statement(own)
    problem = str(statement.get("problem", kind.problem))
    return Released(whole, whole.name, statement, kind.drawing(content), kind.book, problem)


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
