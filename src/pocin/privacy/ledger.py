# SPDX-License-Identifier: MIT
"""The append-only record of the privacy spent on each network.

A spend is on disk before `Ledger.spend` returns, hence before the first draw: a crash can count a
spend that drew nothing, never draw what was not counted. Four things keep the record straight:

1. every write is one exclusive transaction that checks the whole ledger, judges the budget and
   appends, so processes that spend at once can neither overdraw nor lose a row;
2. triggers refuse to change or delete a row through SQLite;
3. each row's digest covers the row before it, so an edit, a gap or a swap shows in the chain;
4. a *head* file beside the ledger holds the last row's number and digest, so missing last rows
   show too. It is written after the commit: a ledger ahead of its head was interrupted there and
   is sound, one behind it lost rows.

None of this holds a key. Whoever rewrites the chain and the head, or puts back older copies of
both, leaves no trace here; the digests in the curator's records of past releases show it. Nor can
a network whose ids were renumbered be known again: name it by an id of your own.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import sys
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from pocin.errors import BudgetError, InputError, UsageError
from pocin.privacy.spending import DIGITS, Entry, Receipt, Row, Spend, Statement
from pocin.signals import put_off

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from pocin.arrays import Ints

WAIT_SECONDS = 30.0
GENESIS = "0" * 64

SCHEMA = {
    "entry": """CREATE TABLE entry (
  number INTEGER PRIMARY KEY, time TEXT NOT NULL, network TEXT NOT NULL,
  location TEXT, value TEXT, cost TEXT, budget TEXT, note TEXT NOT NULL, digest TEXT NOT NULL)""",
    "no_update": """CREATE TRIGGER no_update BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    "no_delete": """CREATE TRIGGER no_delete BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
    # INSERT OR REPLACE deletes without asking no_delete.
    "no_replace": """CREATE TRIGGER no_replace BEFORE INSERT ON entry
WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM entry)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END""",
}
REMEDIES = {
    sqlite3.SQLITE_BUSY: f"was locked by another process for {WAIT_SECONDS:.0f} s: "
    "wait for it to end, then try again",
    sqlite3.SQLITE_FULL: "could not be written, for the disk is full: free some space",
    sqlite3.SQLITE_READONLY: "may not be written: change its permissions, or name another",
    sqlite3.SQLITE_CANTOPEN: "could not be opened: check that it and its folder may be written",
    sqlite3.SQLITE_NOTADB: "is not a ledger: name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged: restore it from a backup",
}


def network_key(edges: Ints, sites: Ints) -> str:
    """Return the name of a network: a digest of its topology and its occupied sites.

    Edges count once and without direction, sites with multiplicity, neither in any order, so
    that no other season, load, policy or order of rows opens a fresh budget.
    """
    if edges.shape[1:] != (2,):
        raise UsageError("edges are pairs of node ids: give an array of two columns")
    ends = np.unique(np.sort(edges), axis=0)
    digest = hashlib.sha256(f"pocin network {len(ends)} {np.size(sites)}\n".encode())
    for part in (ends, np.sort(sites)):
        digest.update(np.ascontiguousarray(part, dtype="<i8").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Ledger:
    """The ledger in one file, which the first write creates; nothing stays open between calls."""

    path: Path

    @classmethod
    def at(cls, path: str | Path | None = None) -> Self:
        """Return the ledger at this path, or the user's own, once it was verified."""
        try:
            place = Path(path or default_path()).expanduser().resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InputError(f"the ledger's place is unknown ({error}): name its file") from error
        with _sentences(place):
            if place.is_dir():
                raise InputError(f"the ledger {place} is a folder: name a file")
        ledger = cls(place)
        ledger.verify()
        return ledger

    def open_budget(self, network: str, budget: Fraction) -> Receipt:
        """Set what may be spent on this network in all, what was spent before included."""
        if budget < 0:
            raise UsageError("a budget cannot be negative: give at least 0")
        return self._append(network, (None, None, None, _text(budget), ""))

    def spend(self, network: str, spend: Spend) -> Receipt:
        """Record this spend durably before returning, or raise BudgetError and record nothing."""
        parts = (spend.epsilon_location, spend.epsilon_value, spend.epsilon_cost)
        return self._append(network, (*map(_text, parts), None, _printable(spend.note)), spend)

    def history(self, network: str) -> Statement:
        """Return all that was recorded on this network; nothing where it is unknown."""
        return self._statement(network, self._verified())

    def networks(self) -> tuple[str, ...]:
        """Return every network in the ledger, in the order of their first rows."""
        return tuple(dict.fromkeys(row[2] for row in self._verified()))

    def verify(self) -> int:
        """Return the number of rows; raise InputError that names the first one tampered with."""
        return len(self._verified())

    def _append(self, network: str, values: Row, spend: Spend | None = None) -> Receipt:
        """Check, judge and append in one transaction, then move the head."""
        if not _printable(network):
            raise UsageError("a network's id cannot be empty: leave it out, or name one")
        with _sentences(self.path), suppress(FileExistsError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite would let all read it. Never open one that exists: closing it again would
            # drop the locks that other threads hold on it.
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with _transaction(self.path, "EXCLUSIVE") as database:
            rows = self._checked(database) or self._create(database)
            refusal = self._statement(network, rows).refusal(spend) if spend else None
            if refusal:
                raise BudgetError(refusal)
            now = datetime.now(UTC).isoformat(timespec="seconds")
            row = (len(rows) + 1, now, network, *values)
            row = (*row, _digest(rows[-1][-1] if rows else GENESIS, row))
            database.execute("INSERT INTO entry VALUES (?,?,?,?,?,?,?,?,?)", row)
        with suppress(InputError):  # the row stands, and the next write moves the head again
            self._move_head()
        return Receipt(Entry.of(row), self._statement(network, [*rows, row]))

    def _create(self, database: sqlite3.Connection) -> list[Row]:
        """Make the table where there is none yet, after its head: no row ever lacks one."""
        if not _schema(database):
            _write_head(self.path, 0, GENESIS)
            for statement in SCHEMA.values():
                database.execute(statement)
        return []

    def _move_head(self) -> None:
        """Write the last row down, by a lock of its own so that no head ever moves back."""
        with _transaction(self.path, "EXCLUSIVE") as database:
            query = "SELECT number, digest FROM entry ORDER BY number DESC LIMIT 1"
            _write_head(self.path, *database.execute(query).fetchone())

    def _statement(self, network: str, rows: list[Row]) -> Statement:
        """Gather a network's rows."""
        try:
            entries = tuple(Entry.of(row) for row in rows if row[2] == network)
        except (TypeError, ValueError, ZeroDivisionError, UsageError) as error:
            raise InputError(
                f"the ledger {self.path} holds a row of this network that is no spend and no "
                "budget: restore it from a backup"
            ) from error
        return Statement(network, entries)

    def _verified(self) -> list[Row]:
        """Read all rows and check them."""
        with _sentences(self.path):
            head = _read_head(self.path)  # before the look at the ledger, which may come to be
            if not self.path.exists():
                self._check_head(head, [])
                return []
        with _transaction(self.path, "DEFERRED") as database:
            return self._checked(database)

    def _checked(self, database: sqlite3.Connection) -> list[Row]:
        """Check schema, chain and head under one lock, and return the rows."""
        schema = _schema(database)
        if schema and "entry" not in schema:
            raise InputError(f"the ledger {self.path} is another kind of database: name a ledger")
        if schema and schema != SCHEMA:
            raise InputError(
                f"the ledger {self.path} has another table or other triggers than pocin gave it, "
                "so its rows may have been changed: restore it from a backup"
            )
        rows: list[Row] = []
        if schema:
            rows = database.execute("SELECT * FROM entry ORDER BY number").fetchall()
        previous = GENESIS
        for number, row in enumerate(rows, start=1):
            if row[0] != number:
                raise self._tampered(number, "is missing")
            if row[-1] != _digest(previous, row[:-1]):
                raise self._tampered(number, "was changed")
            previous = row[-1]
        head = _read_head(self.path)
        if schema and head is None:
            raise InputError(
                f"the ledger {self.path} lacks its head {_head(self.path).name}: copy both "
                f"together, or, if row {len(rows)} is surely its last, write "
                f"{len(rows)} {previous} into it"
            )
        self._check_head(head, rows)
        return rows

    def _check_head(self, head: tuple[int, str] | None, rows: list[Row]) -> None:
        """Raise InputError where the ledger is behind its head, or not the one it stood on."""
        number, digest = head or (0, GENESIS)
        if number > len(rows):
            raise self._tampered(len(rows) + 1, "is missing")
        if digest != (rows[number - 1][-1] if number > 0 else GENESIS):
            raise self._tampered(number, f"is not the one in {_head(self.path).name}")

    def _tampered(self, number: int, fault: str) -> InputError:
        """Name the row, and the remedy."""
        return InputError(
            f"the ledger {self.path}: row {number} {fault}, so what was spent is not known: "
            "restore the ledger and its head from a backup"
        )


def default_path() -> Path:
    """Return the ledger in the user's state folder."""
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        named = Path(os.environ.get("XDG_STATE_HOME", ""))
        root = named if named.is_absolute() else Path.home() / ".local" / "state"
    return root / "pocin" / "ledger.sqlite"


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what a disk or SQLite can raise into one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte names the family
        remedy = REMEDIES.get(code, f"cannot be used ({error}): restore it, or name another")
        raise InputError(f"the ledger {path} {remedy}") from error
    except UnicodeDecodeError as error:  # of what SQLite quotes from a broken file
        raise InputError(f"the ledger {path} {REMEDIES[sqlite3.SQLITE_CORRUPT]}") from error
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(
            f"the ledger {path} cannot be used ({why}): mend that, or name another"
        ) from error


@contextmanager
def _transaction(
    path: Path, lock: Literal["DEFERRED", "EXCLUSIVE"]
) -> Iterator[sqlite3.Connection]:
    """Run one transaction on a connection of its own; anything raised in it rolls it back.

    The journal is a rollback journal: a write-ahead log needs shared memory, which network disks
    lack, and readers would see its head and rows out of step. EXTRA syncs the folder too: under
    FULL a power cut could bring the deleted journal back and roll a committed spend back with it.
    """
    with (
        _sentences(path),
        closing(sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)) as database,
    ):
        for pragma in ("synchronous=EXTRA", "fullfsync=ON", "trusted_schema=OFF"):
            database.execute(f"PRAGMA {pragma}")
        if lock == "EXCLUSIVE":
            database.execute("PRAGMA journal_mode=DELETE")
        database.execute(f"BEGIN {lock}")
        yield database
        database.execute("COMMIT")


def _schema(database: sqlite3.Connection) -> dict[str, str]:
    """Return every table and trigger as it was declared."""
    query = "SELECT name, sql FROM sqlite_master WHERE substr(name, 1, 7) <> 'sqlite_'"
    return dict(database.execute(query).fetchall())


_encode = json.JSONEncoder(default=list).encode  # a blob becomes a list, never equal to a text


def _digest(previous: str, columns: Row) -> str:
    """Chain a row to the one before it."""
    return hashlib.sha256(_encode([previous, *columns]).encode()).hexdigest()


def _head(path: Path) -> Path:
    """Return the file that remembers the last row of the ledger at this path."""
    return path.with_name(f"{path.name}.head")


def _read_head(path: Path) -> tuple[int, str] | None:
    """Return the number and digest of the last row known, or None without a head."""
    try:
        number, digest = _head(path).read_text("ascii").split()
        return int(number), digest
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise InputError(f"the ledger's head {_head(path)} was changed: restore it") from error


def _write_head(path: Path, number: int, digest: str) -> None:
    """Replace the head whole, under the ledger's lock and open to whom the ledger is."""
    fresh = path.with_name(f"{path.name}.head.new")
    with put_off(), ExitStack() as undo:  # neither Ctrl-C nor a full disk leaves it beside
        descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        undo.callback(fresh.unlink, missing_ok=True)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{number} {digest}\n")
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, fresh)
        fresh.replace(_head(path))


def _text(value: Fraction) -> str:
    """Write a fraction for the table, where it is of a sensible length."""
    if max(value.numerator, value.denominator) >= 10**DIGITS:
        raise UsageError(f"an epsilon or budget is longer than {DIGITS} digits: round it")
    return f"{value.numerator}/{value.denominator}"


def _printable(text: str) -> str:
    """Refuse what a terminal or SQLite cannot show."""
    if not text.isprintable():
        raise UsageError("a network's id or note holds a character that cannot be printed")
    return text
