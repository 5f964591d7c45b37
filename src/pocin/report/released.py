# SPDX-License-Identifier: MIT
"""A release as the public has it: the network, and its public statement. Nothing else is opened."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pocin.errors import InputError
from pocin.kinds import kind_of, statement_of
from pocin.sources import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from types import UnionType

    from pocin.kinds import Drawing
    from pocin.policy import PolicyBook

_WHAT = "the public statement of a release"
_NUMBERS = (
    "parameters.private",
    "parameters.beta",
    "parameters.alpha_location_hops",
    "guarantee.epsilon_location",
    "guarantee.epsilon_value",
    "guarantee.epsilon_cost",
    "guarantee.coverage.covered",
    "guarantee.coverage.elements",
    "cost.figure",
)
_TEXTS = ("kind", "parameters.policy", "guarantee.statement", "cost.source")
_TABLES = ("parameters.columns", "parameters.constants")


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
    statement = _statement(statement_of(whole, kind))
    problem = str(statement.get("problem", kind.problem))
    return Released(whole, whole.name, statement, kind.drawing(content), kind.book, problem)


def _statement(path: Path) -> Mapping[str, Any]:
    """Read the public statement of a release."""
    stated = read_json(path, f"{_WHAT}; keep it beside the released file")
    where = f"{path}: is not {_WHAT}"
    need(stated, _NUMBERS, int | float, where)
    need(stated, _TEXTS, str, where)
    need(stated, _TABLES, dict, where)
    alphas = [name for name in stated["parameters"] if name.startswith("alpha_value_")]
    need(stated, [f"parameters.{name}" for name in alphas or ["alpha_value"]], int | float, where)
    return stated


def need(
    stated: Mapping[str, Any], names: Iterable[str], kinds: type | UnionType, where: str
) -> None:
    """Refuse an object in which one of these is of another kind; ``a.b`` is b inside a."""
    for name in names:
        found: Any = stated
        for key in name.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, kinds):
            raise InputError(f"{where} (it has no {name}); make the release again")


def read_json(path: Path, what: str) -> Mapping[str, Any]:
    """Read a JSON object, or say what it should be."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file; it is {what}")
    try:
        stated = json.loads(read_bytes(path).decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(f"{path}: is not JSON; expected {what}") from None
    if not isinstance(stated, dict):
        raise InputError(f"{path}: is not an object; expected {what}")
    return stated
