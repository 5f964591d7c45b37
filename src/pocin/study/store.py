# SPDX-License-Identifier: MIT
"""The folder of a study: a journal that a killed run leaves whole, and the parquet parts.

    journal.sqlite        what came of each task, committed as it comes
    TABLE/part-N.parquet  what the journal held when it was emptied; written whole or not at all

The N-th emptying writes the parts N of all tables, and only then forgets the journal and counts
on: whenever it is killed, it is done again, from the same journal, into the same files.
The folder is the curator's (mode 0700): it knows the truth and the seeds.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pocin.errors import InputError, UsageError
from pocin.study.extras import needs
from pocin.study.tables import TABLES
from pocin.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    import polars as pl

    from pocin.study.tables import Row
    from pocin.study.work import Done

JOURNAL = "journal.sqlite"
STAMP = "NOT A PRIVATE RELEASE: seeded draws beside the truth; the curator's alone."
FULL = 2_000
"""Tasks after which the journal is emptied into parts."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS done (task TEXT PRIMARY KEY, rows TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS parts (next INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS about (pocin TEXT NOT NULL, stamp TEXT NOT NULL);
"""


class Store:
    """An open folder; no other process can open it meanwhile."""

    def __init__(self, folder: Path, journal: sqlite3.Connection) -> None:
        self.folder, self.journal = folder, journal
        self.done = self._done()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a folder, made where there is none, and empty what a killed run left behind."""
        needs("study", "polars")
        _make(folder)
        journal = sqlite3.connect(folder / JOURNAL, isolation_level=None, timeout=0.5)
        try:
            _lock(journal)
            _same_version(journal)
        except sqlite3.Error as error:
            journal.close()
            raise UsageError(
                f"{folder}: another run is writing into this study, or its journal is damaged "
                f"({error}); wait for it, or name another folder"
            ) from None
        except BaseException:
            journal.close()
            raise
        store = cls(folder, journal)
        store.empty()
        return store

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.empty()
        finally:
            self.journal.close()

    def add(self, done: Done) -> None:
        """Keep what came of a task, from now on whatever happens."""
        line = json.dumps(done.rows)
        with self._told():
            self.journal.execute("INSERT OR IGNORE INTO done VALUES (?, ?)", (done.name, line))
        self.done.add(done.name)
        self._held += 1
        if self._held >= FULL:
            self.empty()

    def empty(self) -> None:
        """Write the journal into parts, then forget it."""
        with self._told():
            lines = [json.loads(rows) for (rows,) in self.journal.execute("SELECT rows FROM done")]
            (part,) = self.journal.execute("SELECT next FROM parts").fetchone()
        self._held = 0
        if not lines:
            return
        for table in TABLES:
            rows = [row for line in lines for row in line.get(table, ())]
            if rows:
                _write(self.folder / table / f"part-{part:05}.parquet", frame(table, rows))
        with self._told():
            self.journal.execute("BEGIN")
            self.journal.execute("DELETE FROM done")
            self.journal.execute("UPDATE parts SET next = next + 1")
            self.journal.execute("COMMIT")

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what SQLite can raise into one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise InputError(
                f"{self.folder / JOURNAL}: cannot be written ({error}); make room, then start the "
                "study again"
            ) from None

    def _done(self) -> set[str]:
        """Return the tasks that are done, in parts or in the journal."""
        names = {name for (name,) in self.journal.execute("SELECT task FROM done")}
        for part in self.folder.glob("releases/part-*.parquet"):
            import polars as pl

            names |= set(pl.read_parquet(part, columns=["task"])["task"])
        return names

    _held = 0


def frame(table: str, rows: Iterable[Row]) -> pl.DataFrame:
    """Return rows as a table, with all its columns."""
    import polars as pl

    types = {str: pl.String, float: pl.Float64, int: pl.Int64, bool: pl.Boolean}
    schema = {name: types[kind] for name, kind in TABLES[table].items()}
    known = [{name: row.get(name) for name in schema} for row in rows]
    return pl.DataFrame(known, schema=schema, orient="row")


def read(folder: str | Path, table: str = "releases") -> pl.DataFrame:
    """Read a table of a study's results, its rows in an order of their own."""
    needs("study", "polars")
    import polars as pl

    if table not in TABLES:
        raise UsageError(f"table '{table}': a study has {', '.join(TABLES)}; name one of them")
    parts = sorted(Path(folder).glob(f"{table}/part-*.parquet"))
    if not parts:
        if not (Path(folder) / JOURNAL).exists():
            raise InputError(f"{folder}: holds no study; name the folder that pocin study wrote")
        return frame(table, ())
    order = ["case", "task", "site", "answer", "index", "budget", "ranking", "variant"]
    read_parts = (pl.read_parquet(part) for part in parts)
    found = pl.concat([frame(table, ()), *read_parts], how="diagonal")
    return found.sort([name for name in order if name in found.columns])


def waiting(folder: Path) -> str | None:
    """Say what keeps a study's tables from being whole: a run that goes on, or was killed."""
    if not (folder / JOURNAL).exists():
        return None
    try:
        with contextlib.closing(
            sqlite3.connect(f"{(folder / JOURNAL).resolve().as_uri()}?mode=ro", uri=True, timeout=0)
        ) as journal:
            (held,) = journal.execute("SELECT count(*) FROM done").fetchone()
    except sqlite3.Error:
        return "a run is writing into this study, or its journal is damaged"
    return f"a run was killed, and {held} of its releases are in its journal only" if held else None


def _make(folder: Path) -> None:
    """Make the folder, or refuse one that is something else."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder for the results")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / JOURNAL).exists():
        raise UsageError(f"{folder}: holds other files; name a new folder or that of a study")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for table in TABLES:
            (folder / table).mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot be made ({error.strerror}); check the path and the disk"
        ) from None


def _lock(journal: sqlite3.Connection) -> None:
    """Keep others out, and make the journal's tables.

    A commit outlives this process at once; a machine that loses its power may lose the last ones,
    which are then done again. Waiting for the disk each time would take longer than many a release.
    """
    journal.execute("PRAGMA locking_mode = EXCLUSIVE")
    journal.execute("PRAGMA journal_mode = WAL")
    journal.execute("PRAGMA synchronous = NORMAL")
    journal.execute("BEGIN EXCLUSIVE")
    for statement in _SCHEMA.split(";"):
        journal.execute(statement)
    if journal.execute("SELECT count(*) FROM parts").fetchone() == (0,):
        journal.execute("INSERT INTO parts VALUES (0)")
        journal.execute("INSERT INTO about VALUES (?, ?)", (VERSION, STAMP))
    journal.execute("COMMIT")


def _same_version(journal: sqlite3.Connection) -> None:
    """Refuse to go on with another version's results: they would not be of one study."""
    (version,) = journal.execute("SELECT pocin FROM about").fetchone()
    if version != VERSION:
        raise UsageError(
            f"the results in this folder are of pocin {version}, and this is {VERSION}; "
            "name a new folder"
        )


def _write(path: Path, table: pl.DataFrame) -> None:
    """Write a part beside its place and move it there."""
    with _staged(path) as staged:
        table.write_parquet(staged)


@contextlib.contextmanager
def _staged(path: Path) -> Iterator[Path]:
    """Yield a place beside a file's; what is there at the end moves to the file's."""
    handle, name = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
        with Path(name).open("rb+") as file:
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); make room, then start the study again"
        ) from None
    finally:
        Path(name).unlink(missing_ok=True)
