# SPDX-License-Identifier: MIT
"""The ledger never under-counts, never overdraws, and notices what can be noticed."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocin.errors import BudgetError, InputError, UsageError
from pocin.privacy import ledger as module
from pocin.privacy.ledger import GENESIS, Ledger, network_key
from pocin.privacy.spending import Spend

ONE = Spend(Fraction(1, 2), Fraction(1, 2))
WINDOWS = sys.platform == "win32"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "ledger.sqlite"


@pytest.fixture
def ledger(path):
    """Five rows on two networks."""
    made = Ledger.at(path)
    made.open_budget("grid", Fraction(10))
    made.spend("grid", ONE)
    made.spend("city", ONE)
    made.spend("grid", Spend(Fraction(1, 3), Fraction(0), Fraction(1, 4), "computed cost figure"))
    made.spend("grid", ONE)
    return made


def raw(path, *statements):
    """Run SQL as somebody else would; a statement with values is a tuple."""
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(*([statement] if isinstance(statement, str) else statement))


def tamper(path, *statements):
    """Change rows behind the triggers' back, and put the triggers back."""
    triggers = [name for name in module.SCHEMA if name != "entry"]
    drop = [f"DROP TRIGGER {name}" for name in triggers]
    raw(path, *drop, *statements, *(module.SCHEMA[name] for name in triggers))


def refused(kind, call, *arguments):
    """The sentence that a call is refused with."""
    with pytest.raises(kind) as caught:
        call(*arguments)
    return str(caught.value)


def head(path):
    return path.with_name(f"{path.name}.head")


# ---------------------------------------------------------------------------- the network's name

NODES = st.integers(min_value=0, max_value=12)
EDGES = st.lists(st.tuples(NODES, NODES), max_size=20)
SITES = st.lists(NODES, max_size=10)


def key(edges, sites):
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return network_key(pairs, np.array(sites, dtype=np.int64))


@given(EDGES, SITES, st.randoms(use_true_random=False))
def test_key_ignores_order_direction_and_repetition(edges, sites, rng):
    again = edges + [edge for edge in edges if rng.random() < 0.3]
    again = [(b, a) if rng.random() < 0.5 else (a, b) for a, b in again]
    assert key(rng.sample(again, len(again)), rng.sample(sites, len(sites))) == key(edges, sites)


@given(EDGES, SITES, EDGES, SITES)
def test_key_tells_networks_apart(edges, sites, other_edges, other_sites):
    def canonical(pairs, places):
        return {tuple(sorted(pair)) for pair in pairs}, sorted(places)

    same = canonical(edges, sites) == canonical(other_edges, other_sites)
    assert (key(edges, sites) == key(other_edges, other_sites)) is same


def test_key_counts_sites_with_multiplicity_and_leaves_its_input_alone():
    edges, sites = np.array([[2, 1], [3, 2]]), np.array([3, 1, 3])
    assert network_key(edges, sites) != network_key(edges, sites[:2])
    assert edges.tolist() == [[2, 1], [3, 2]]
    assert sites.tolist() == [3, 1, 3]


def test_key_is_the_same_for_ever():
    """A release of pocin that changes it would open fresh budgets for all."""
    known = "3721ae7f45d0c49e2c635b5e871388ac56fec7c662b41ad442148e385b4c9fc7"
    assert key([(2, 1), (2, 3)], [3, 3, 1]) == known
    narrow, swapped = np.array([[2, 1], [2, 3]], np.int16), np.array([3, 3, 1], ">i8")
    assert network_key(narrow, swapped) == known


def test_key_refuses_what_is_not_pairs():
    sites = np.zeros(1, dtype=np.int64)
    for shape in ((2, 3), (2, 1), (2,), (2, 2, 2)):
        said = refused(UsageError, network_key, np.zeros(shape, dtype=np.int64), sites)
        assert said == "edges are pairs of node ids: give an array of two columns"


# ---------------------------------------------------------------------------- spends and budgets


def test_history_adds_up_part_by_part(ledger):
    grid = ledger.history("grid")
    assert grid.network == "grid"
    assert grid.spent == Spend(Fraction(4, 3), Fraction(1), Fraction(1, 4), "computed cost figure")
    assert grid.spent.total == Fraction(31, 12)
    assert grid.budget == 10
    assert grid.left == Fraction(89, 12)
    assert [entry.number for entry in grid.entries] == [1, 2, 4, 5]
    assert ledger.networks() == ("grid", "city")
    assert ledger.verify() == 5


def test_the_sentence_says_all(ledger):
    assert ledger.history("grid").sentence == (
        "Spent on this network so far: 31/12 (location 4/3, value 1, cost figure 0.25) in 3 "
        "spends, each for the alphas of its own release; further disclosed: computed cost figure; "
        "89/12 of the budget of 10 is left."
    )
    assert ledger.history("city").sentence.endswith("in 1 spend; no budget is set.")
    assert ledger.history("new").sentence.endswith("in 0 spends; no budget is set.")


def test_a_receipt_is_the_last_row(ledger):
    receipt = ledger.spend("grid", ONE)
    assert receipt.statement == ledger.history("grid")
    assert receipt.entry == receipt.statement.entries[-1]
    assert receipt.entry.number == 6


def test_a_budget_is_used_to_the_last_digit_and_not_beyond(path):
    ledger = Ledger.at(path)
    ledger.open_budget("grid", Fraction(3, 10))
    for _ in range(3):
        ledger.spend("grid", Spend(Fraction(1, 10), Fraction(0)))
    assert refused(BudgetError, ledger.spend, "grid", Spend(Fraction(0), Fraction(1, 10))) == (
        "this would spend 0.1, but 0 of the budget of 0.3 is left on this network: lower the "
        "epsilons, or raise the budget by `pocin ledger open`"
    )
    assert ledger.verify() == 4
    assert ledger.history("grid").left == 0


def test_the_newest_budget_holds_and_what_was_spent_counts(ledger):
    ledger.open_budget("grid", Fraction(1))
    assert ledger.history("grid").left == 0
    with pytest.raises(BudgetError):
        ledger.spend("grid", Spend(Fraction(0), Fraction(1, 10**9)))
    ledger.open_budget("grid", Fraction(100))
    ledger.spend("grid", ONE)
    ledger.spend("city", ONE)


def test_reading_creates_nothing(path):
    ledger = Ledger.at(path)
    assert ledger.history("grid").spent.total == 0
    assert ledger.history("grid").left is None
    assert ledger.networks() == ()
    assert not path.parent.exists()


@pytest.mark.parametrize("value", [Fraction(1, 10**30), Fraction(10**30)])
def test_endless_digits_are_refused(path, value):
    said = refused(UsageError, Ledger.at(path).spend, "grid", Spend(value, Fraction(0)))
    assert said == "an epsilon or budget is longer than 30 digits: round it"


def test_thirty_digits_are_not_endless(path):
    ledger = Ledger.at(path)
    for value in (Fraction(1, 10**30 - 1), Fraction(10**30 - 1)):
        ledger.spend("grid", Spend(value, Fraction(0)))
        assert ledger.history("grid").spends[-1].epsilon_location == value


@pytest.mark.parametrize("network", ["", "a\nb", "\ud800"])
def test_ids_that_cannot_be_shown_are_refused(path, network):
    said = refused(UsageError, Ledger.at(path).spend, network, ONE)
    if network:
        assert said == "a network's id or note holds a character that cannot be printed"
    else:
        assert said == "a network's id cannot be empty: leave it out, or name one"


def test_notes_that_cannot_be_shown_are_refused(path):
    spend = Spend(Fraction(1), Fraction(1), note="\x1b[2J")
    said = refused(UsageError, Ledger.at(path).spend, "grid", spend)
    assert said == "a network's id or note holds a character that cannot be printed"
    assert Ledger.at(path).verify() == 0


def test_negative_budgets_are_refused(path):
    said = refused(UsageError, Ledger.at(path).open_budget, "grid", Fraction(-1, 2))
    assert said == "a budget cannot be negative: give at least 0"
    assert Ledger.at(path).open_budget("grid", Fraction(0)).statement.left == 0


def test_a_clock_that_goes_back_breaks_nothing(ledger, monkeypatch):
    class Past(module.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(1999, 1, 1, tzinfo=tz)

    monkeypatch.setattr(module, "datetime", Past)
    entry = ledger.spend("grid", ONE).entry
    assert entry.time == "1999-01-01T00:00:00+00:00"
    assert ledger.history("grid").entries[-1] == entry


# ------------------------------------------------------------------------------------- the place


def test_default_place(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Ledger.at(None).path == tmp_path.resolve() / "pocin" / "ledger.sqlite"
    monkeypatch.setenv("XDG_STATE_HOME", "relative/is/ignored")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert module.default_path() == tmp_path / ".local/state/pocin/ledger.sqlite"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert module.default_path() == tmp_path / ".local/state/pocin/ledger.sqlite"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert module.default_path() == tmp_path / "Library/Application Support/pocin/ledger.sqlite"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert module.default_path() == tmp_path / "local" / "pocin" / "ledger.sqlite"
    monkeypatch.delenv("LOCALAPPDATA")
    assert module.default_path() == tmp_path / "AppData/Local/pocin/ledger.sqlite"


def test_no_home_is_a_sentence(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", homeless)
    said = refused(InputError, Ledger.at, None)
    assert said == "the ledger's place is unknown (no home): name its file"


@pytest.mark.skipif(WINDOWS, reason="Windows has no modes")
def test_only_the_owner_may_read(ledger):
    assert ledger.path.parent.stat().st_mode & 0o777 == 0o700
    files = sorted(ledger.path.parent.iterdir())
    assert files == [ledger.path, head(ledger.path)]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]


@pytest.mark.skipif(WINDOWS, reason="Windows has no modes")
@pytest.mark.parametrize("folders", ["", "there", "not/there/yet"])
def test_only_the_owner_may_read_wherever_it_is_made(tmp_path, folders):
    (tmp_path / "there").mkdir()
    place = tmp_path / folders / "ledger.sqlite"
    Ledger.at(place).spend("grid", ONE)
    assert [file.stat().st_mode & 0o777 for file in (place, head(place))] == [0o600, 0o600]


def test_a_spend_goes_back_to_the_journal_that_every_disk_can_keep(ledger):
    raw(ledger.path, "PRAGMA journal_mode=WAL")
    ledger.spend("grid", ONE)
    with closing(sqlite3.connect(ledger.path)) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("delete",)


@pytest.mark.skipif(WINDOWS, reason="Windows has no modes")
def test_a_ledger_opened_to_a_group_keeps_its_head_open_to_it(ledger):
    ledger.path.chmod(0o660)
    ledger.spend("grid", ONE)
    assert head(ledger.path).stat().st_mode & 0o777 == 0o660


@pytest.mark.skipif(WINDOWS, reason="links need a right of their own on Windows")
def test_a_link_leads_to_the_same_ledger(ledger, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(ledger.path)
    assert Ledger.at(link) == ledger


def test_what_is_no_ledger_is_a_sentence(tmp_path):
    garbage, other, folder = tmp_path / "garbage", tmp_path / "other", tmp_path / "folder"
    garbage.write_bytes(bytes(range(256)) * 16)
    raw(other, "CREATE TABLE somebody (elses INTEGER)")
    folder.mkdir()
    cases = (
        (garbage, "is not a ledger: name another file"),
        (other, "is another kind of database: name a ledger"),
        (folder, "is a folder: name a file"),
    )
    for place, words in cases:
        assert refused(InputError, Ledger.at, place) == f"the ledger {place} {words}"
        with pytest.raises(InputError):
            Ledger(place).spend("grid", ONE)
    for place, why in (
        (garbage / "ledger.sqlite", "Not a directory"),
        (tmp_path / ("long" * 100), "File name too long"),
    ):
        assert refused(InputError, Ledger.at, place) == (
            f"the ledger {place} cannot be used ({why}): mend that, or name another"
        )
        with pytest.raises(InputError):
            Ledger(place).spend("grid", ONE)
    said = refused(InputError, Ledger.at, Path("\0"))
    assert said.startswith("the ledger's place is unknown (")
    assert said.endswith("): name its file")
    assert garbage.read_bytes() == bytes(range(256)) * 16


def test_a_broken_file_is_a_sentence(ledger):
    whole = ledger.path.read_bytes()
    for size in (10, 100, 1000, len(whole) // 2, len(whole) - 1):
        ledger.path.write_bytes(whole[:size])
        with pytest.raises(InputError):
            ledger.history("grid")
    rng = np.random.default_rng(1)
    for start in rng.integers(len(whole), size=100):
        ledger.path.write_bytes(whole[:start] + rng.bytes(64) + whole[start + 64 :])
        with suppress(InputError):  # free space in a page may hold anything
            ledger.history("grid")
            assert ledger.verify() == 5


def test_a_read_only_folder_is_a_sentence_but_can_be_read(ledger):
    ledger.path.parent.chmod(0o500)
    if os.access(ledger.path.parent, os.W_OK):
        pytest.skip("nothing is read-only for this user")
    try:
        assert ledger.verify() == 5
        with pytest.raises(InputError, match=r"may (not )?be written"):
            ledger.spend("grid", ONE)
    finally:
        ledger.path.parent.chmod(0o700)
    ledger.path.chmod(0o400)
    with pytest.raises(InputError):
        ledger.spend("grid", ONE)


def test_a_full_disk_is_a_sentence_and_records_nothing(ledger, monkeypatch):
    class Full(sqlite3.Connection):
        def execute(self, sql, *rest):
            if sql.startswith("INSERT"):
                super().execute("PRAGMA max_page_count=1")
                return super().execute(
                    sql, tuple(v * 9000 if i == 7 else v for i, v in enumerate(rest[0]))
                )
            return super().execute(sql, *rest)

    real = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, factory=Full, **k))
        with pytest.raises(InputError, match="disk is full"):
            ledger.spend("grid", Spend(Fraction(1), Fraction(1), note="x"))
    assert ledger.verify() == 5


SENTENCES = {
    sqlite3.SQLITE_BUSY: "was locked by another process for 30 s: wait for it to end, then try "
    "again",
    sqlite3.SQLITE_BUSY_SNAPSHOT: "was locked by another process for 30 s: wait for it to end, "
    "then try again",
    sqlite3.SQLITE_FULL: "could not be written, for the disk is full: free some space",
    sqlite3.SQLITE_READONLY: "may not be written: change its permissions, or name another",
    sqlite3.SQLITE_READONLY_DBMOVED: "may not be written: change its permissions, or name another",
    sqlite3.SQLITE_CANTOPEN: "could not be opened: check that it and its folder may be written",
    sqlite3.SQLITE_NOTADB: "is not a ledger: name another file",
    sqlite3.SQLITE_CORRUPT: "is damaged: restore it from a backup",
    sqlite3.SQLITE_IOERR: "cannot be used (its own words): restore it, or name another",
    None: "cannot be used (its own words): restore it, or name another",
}


@pytest.mark.parametrize(("code", "sentence"), SENTENCES.items())
def test_whatever_sqlite_says_is_a_sentence(ledger, monkeypatch, code, sentence):
    error = sqlite3.OperationalError("its own words")
    if code is not None:
        error.sqlite_errorcode = code

    class Failing(sqlite3.Connection):
        def execute(self, sql, *rest):
            if sql.startswith("INSERT"):
                raise error
            return super().execute(sql, *rest)

    real = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *a, **k: real(*a, factory=Failing, **k))
        said = refused(InputError, ledger.spend, "grid", ONE)
    assert said == f"the ledger {ledger.path} {sentence}"
    assert ledger.verify() == 5


def test_whatever_a_disk_says_is_a_sentence(ledger, monkeypatch):
    def fail(error):
        def read(_):
            raise error

        monkeypatch.setattr(module, "_read_head", read)
        return refused(InputError, ledger.verify).removeprefix(f"the ledger {ledger.path} ")

    assert fail(OSError(5, "Input/output error")) == (
        "cannot be used (Input/output error): mend that, or name another"
    )
    assert fail(TimeoutError()) == "cannot be used (TimeoutError): mend that, or name another"
    broken = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
    assert fail(broken) == "is damaged: restore it from a backup"


@pytest.mark.parametrize("lock", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_ledger_is_waited_for_and_then_a_sentence(ledger, monkeypatch, lock):
    waited, connect = [], sqlite3.connect

    def connecting(*place, **options):
        waited.append(options["timeout"])
        return connect(*place, **options)

    monkeypatch.setattr(module, "WAIT_SECONDS", 0.2)
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute(f"BEGIN {lock}")
        monkeypatch.setattr(sqlite3, "connect", connecting)
        start = time.monotonic()
        with pytest.raises(InputError, match="locked by another process"):
            ledger.spend("grid", ONE)
        assert time.monotonic() - start >= 0.2
        assert waited == [0.2]
        other.execute("ROLLBACK")
    assert ledger.verify() == 5


def test_threads_share_a_ledger(path):
    ledger = Ledger.at(path)
    ledger.open_budget("grid", Fraction(8))

    def spend_until_refused(_):
        with suppress(BudgetError):
            while True:
                ledger.spend("grid", ONE)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(spend_until_refused, range(4)))
    assert ledger.verify() == 9
    assert ledger.history("grid").left == 0


# ------------------------------------------------------------------------------------- tampering


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entry SET location = '0/1' WHERE number = 2",
        "UPDATE OR REPLACE entry SET number = 2 WHERE number = 3",
        "DELETE FROM entry WHERE number = 5",
        "DELETE FROM entry",
        "REPLACE INTO entry VALUES (2, 'now', 'grid', '0/1', '0/1', '0/1', NULL, '', '')",
        "INSERT INTO entry VALUES (9, 'now', 'grid', '0/1', '0/1', '0/1', NULL, '', '')",
    ],
)
def test_sqlite_itself_refuses_changes(ledger, statement):
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw(ledger.path, statement)
    assert ledger.verify() == 5


@pytest.mark.parametrize(
    ("row", "statements"),
    [
        (2, ["UPDATE entry SET location = '0/1' WHERE number = 2"]),
        (2, ["UPDATE entry SET value = '0/1' WHERE number = 2"]),
        (4, ["UPDATE entry SET cost = '0/1' WHERE number = 4"]),
        (4, ["UPDATE entry SET note = '' WHERE number = 4"]),
        (2, ["UPDATE entry SET time = '1999' WHERE number = 2"]),
        (2, ["UPDATE entry SET network = 'city' WHERE number = 2"]),
        (2, ["UPDATE entry SET note = CAST(note AS BLOB) WHERE number = 2"]),
        (2, ["UPDATE entry SET location = NULL, budget = '1/1' WHERE number = 2"]),
        (1, ["UPDATE entry SET budget = '99/1' WHERE number = 1"]),
        (5, ["UPDATE entry SET digest = 'x' WHERE number = 5"]),
        (3, ["DELETE FROM entry WHERE number = 3"]),
        (1, ["DELETE FROM entry WHERE number = 1"]),
        (5, ["DELETE FROM entry WHERE number = 5"]),
        (1, ["DELETE FROM entry"]),
        (
            3,
            [
                "DELETE FROM entry WHERE number = 3",
                "UPDATE entry SET number = 3 WHERE number = 4",
                "UPDATE entry SET number = 4 WHERE number = 5",
            ],
        ),
        (
            2,
            [
                "UPDATE entry SET number = 9 WHERE number = 2",
                "UPDATE entry SET number = 2 WHERE number = 3",
                "UPDATE entry SET number = 3 WHERE number = 9",
            ],
        ),
    ],
)
def test_a_changed_ledger_is_refused_by_its_row(ledger, row, statements):
    tamper(ledger.path, *statements)
    for use in (
        lambda: Ledger.at(ledger.path),
        lambda: ledger.history("grid"),
        lambda: ledger.spend("grid", ONE),
        lambda: ledger.open_budget("grid", Fraction(1)),
    ):
        with pytest.raises(InputError, match=rf"ledger\.sqlite: row {row} "):
            use()


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DELETE FROM entry WHERE number = 3", "row 3 is missing"),
        ("UPDATE entry SET value = '0/1' WHERE number = 2", "row 2 was changed"),
        ("DELETE FROM entry WHERE number = 5", "row 5 is missing"),
    ],
)
def test_what_became_of_a_row_is_said(ledger, statement, fault):
    tamper(ledger.path, statement)
    with pytest.raises(InputError, match=f": {fault}, so what was spent is not known: restore"):
        ledger.history("grid")


def test_lost_triggers_are_noticed(ledger):
    raw(ledger.path, "DROP TRIGGER no_delete")
    assert refused(InputError, ledger.verify) == (
        f"the ledger {ledger.path} has another table or other triggers than pocin gave it, so its "
        "rows may have been changed: restore it from a backup"
    )


def test_a_foreign_trigger_is_noticed(ledger):
    raw(ledger.path, "CREATE TRIGGER x BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END")
    with pytest.raises(InputError, match="other triggers"):
        ledger.spend("grid", ONE)


def test_a_chain_written_anew_does_not_meet_its_head(ledger):
    with closing(sqlite3.connect(ledger.path)) as database:
        rows = database.execute("SELECT * FROM entry ORDER BY number").fetchall()
    previous, forged = GENESIS, []
    for row in rows:
        columns = (*row[:3], "0/1" if row[0] == 2 else row[3], *row[4:-1])
        previous = module._digest(previous, columns)
        update = "UPDATE entry SET location = ?, digest = ? WHERE number = ?"
        forged.append((update, (columns[3], previous, row[0])))
    tamper(ledger.path, *forged)
    assert refused(InputError, ledger.verify) == (
        f"the ledger {ledger.path}: row 5 is not the one in ledger.sqlite.head, so what was spent "
        "is not known: restore the ledger and its head from a backup"
    )
    head(ledger.path).write_text(f"5 {previous}\n")  # the limit: nothing here holds a key
    assert ledger.verify() == 5


def test_an_older_copy_or_none_is_noticed(ledger, tmp_path):
    copy = shutil.copy(ledger.path, tmp_path / "copy")
    ledger.spend("grid", ONE)
    shutil.copy(copy, ledger.path)
    assert refused(InputError, ledger.verify) == (
        f"the ledger {ledger.path}: row 6 is missing, so what was spent is not known: restore the "
        "ledger and its head from a backup"
    )
    ledger.path.unlink()
    with pytest.raises(InputError, match="row 1 is missing"):
        Ledger.at(ledger.path)
    with pytest.raises(InputError, match="row 1 is missing"):
        ledger.spend("grid", ONE)


def test_a_lost_head_is_noticed_and_can_be_vouched_for(ledger):
    digest = ledger.history("grid").entries[-1].digest
    head(ledger.path).unlink()
    assert refused(InputError, ledger.spend, "grid", ONE) == (
        f"the ledger {ledger.path} lacks its head ledger.sqlite.head: copy both together, or, if "
        f"row 5 is surely its last, write 5 {digest} into it"
    )
    head(ledger.path).write_text(f"5 {digest}\n")
    assert ledger.spend("grid", ONE).entry.number == 6


@pytest.mark.parametrize("text", ["", "5", "-1 x", "x y", "9 x", "0 x", "1 x", "\xff"])
def test_a_head_that_was_changed_is_noticed(ledger, text):
    head(ledger.path).write_text(text, encoding="latin-1")
    said = refused(InputError, ledger.verify)
    if text in ("", "5", "x y", "\xff"):
        assert said == f"the ledger's head {head(ledger.path)} was changed: restore it"
    else:
        assert "restore the ledger and its head from a backup" in said


def test_the_chain_is_the_same_for_ever(path, monkeypatch):
    """A release of pocin that changes it would take every ledger for tampered with."""

    class Then(module.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 2, 3, 4, 5, 678, tzinfo=tz)

    monkeypatch.setattr(module, "datetime", Then)
    ledger = Ledger.at(path)
    ledger.open_budget("grid", Fraction(1, 3))
    entry = ledger.spend("grid", Spend(Fraction(1, 4), Fraction(0), note="\u03b5")).entry
    assert entry.time == "2026-01-02T03:04:05+00:00"
    assert entry.digest == "4c7395200ca266f0b2243c931140730c0fb2ea7b5059eac299676b77ff79165a"
    assert head(path).read_text() == f"2 {entry.digest}\n"


def test_a_ledger_without_rows_has_a_head_too(path):
    """Made, and then its first row was refused."""
    ledger = Ledger.at(path)
    path.parent.mkdir()
    with module._transaction(path, "EXCLUSIVE") as database:
        ledger._create(database)
    assert head(path).read_text() == f"0 {'0' * 64}\n"
    assert Ledger.at(path).networks() == ()
    assert ledger.spend("grid", ONE).entry.number == 1


def test_a_ledger_ahead_of_its_head_is_sound(ledger):
    before = head(ledger.path).read_text()
    ledger.spend("grid", ONE)
    ledger.spend("grid", ONE)
    head(ledger.path).write_text(before)
    assert ledger.verify() == 7
    ledger.spend("grid", ONE)
    assert head(ledger.path).read_text().startswith("8 ")


def test_a_head_that_cannot_move_does_not_undo_the_spend(ledger, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_write_head", fail)
    assert ledger.spend("grid", ONE).entry.number == 6
    assert ledger.verify() == 6


def test_a_forged_amount_is_a_sentence(ledger):
    for text in ("1/0", "x", "-1/1", ""):
        row = (6, "now", "grid", text, "0/1", "0/1", None, "")
        digest = module._digest(ledger.history("grid").entries[-1].digest, row)
        raw(ledger.path, ("INSERT INTO entry VALUES (?,?,?,?,?,?,?,?,?)", (*row, digest)))
        assert refused(InputError, ledger.history, "grid") == (
            f"the ledger {ledger.path} holds a row of this network that is no spend and no budget: "
            "restore it from a backup"
        )
        tamper(ledger.path, "DELETE FROM entry WHERE number = 6")


# ------------------------------------------------------------------- many processes, and kill -9

PRELUDE = """
import os, signal, sqlite3, sys, time
from fractions import Fraction
from pathlib import Path
from pocin.errors import BudgetError
from pocin.privacy.ledger import Ledger
from pocin.privacy.spending import Spend
path, argument = Path(sys.argv[1]), int(sys.argv[2])
ONE = Spend(Fraction(1, 3), Fraction(2, 3))
"""

RACE = """
print("ready", flush=True)
sys.stdin.readline()
ledger = Ledger.at(path)
ledger.open_budget("grid", Fraction(argument))
count = 0
try:
    while True:
        ledger.spend("grid", ONE)
        count += 1
except BudgetError:
    print(count)
"""

LOOP = """
ledger = Ledger.at(path)
for number in range(argument):
    print(ledger.spend("grid", ONE).entry.number, flush=True)
"""

# For every n a process that dies at its n-th step of SQL or of the head; the last one lives.
MORTAL = """
steps = deadline = 0
def step():
    global steps
    if steps == deadline:
        os.kill(os.getpid(), signal.SIGKILL)
    steps += 1
class Mortal(sqlite3.Connection):
    def execute(self, *arguments):
        step()
        result = super().execute(*arguments)
        step()
        return result
connect, fsync, replace = sqlite3.connect, os.fsync, Path.replace
sqlite3.connect = lambda *a, **k: connect(*a, factory=Mortal, **k)
os.fsync = lambda number: (step(), fsync(number), step())
Path.replace = lambda *a: (step(), replace(*a), step())
status = -1
while status != 0:
    place = path / str(deadline) / "ledger.sqlite"
    child = os.fork()
    if child == 0:
        ledger = Ledger.at(place)
        for _ in range(argument):
            ledger.spend("grid", ONE)
            os.write(1, b"returned ")
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    os.write(1, f"{status}\\n".encode())
    deadline += 1
"""


def start(code, path, argument):
    command = [sys.executable, "-c", PRELUDE + code, str(path), str(argument)]
    return subprocess.Popen(
        command,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_four_processes_at_once_neither_overdraw_nor_lose_a_row(path):
    """The file does not exist yet: they race for its creation as well."""
    children = [start(RACE, path, 20) for _ in range(4)]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    outcomes = [child.communicate() for child in children]
    assert [errors for _, errors in outcomes] == [""] * 4
    assert sum(int(count) for count, _ in outcomes) == 20
    statement = Ledger.at(path).history("grid")
    assert len(statement.spends) == 20
    assert statement.left == 0
    assert Ledger.at(path).verify() == 24
    assert head(path).read_text().startswith("24 ")


@pytest.mark.skipif(WINDOWS, reason="Windows has no kill -9")
def test_killed_at_any_step_the_ledger_is_sound_and_counts_all(tmp_path):
    """From the first look at a ledger that is not there yet to the second spend's return."""
    output, errors = start(MORTAL, tmp_path, 2).communicate()
    assert errors == ""
    *deaths, survivor = output.splitlines()
    assert survivor == "returned returned 0"
    assert len(deaths) > 50
    for number, line in enumerate(deaths):
        assert line.endswith(f"{int(signal.SIGKILL)}")
        check_after_death(tmp_path / str(number) / "ledger.sqlite", line)


def check_after_death(place, output):
    """Every spend that returned is there, nothing is there twice, and it can be spent on."""
    ledger = Ledger.at(place)
    rows, returned = ledger.verify(), output.count("returned")
    assert returned <= rows <= returned + 1
    assert ledger.spend("grid", ONE).entry.number == rows + 1
    assert ledger.verify() == rows + 1


@pytest.mark.skipif(WINDOWS, reason="Windows has no kill -9")
def test_killed_at_random_times_the_ledger_is_sound_and_counts_all(path):
    """Inside of commits as well: one ledger, killed and taken up again."""
    rng = np.random.default_rng(7)
    known = 0
    for _ in range(8):
        child = start(LOOP, path, 10_000)
        seen = int(child.stdout.readline())
        assert seen in (known + 1, known + 2)  # one may have been committed yet not told
        time.sleep(rng.random() * 0.15)
        child.kill()
        output, errors = child.communicate()
        assert errors == ""
        known = int((output.split("\n")[:-1] or [seen])[-1])
        assert known <= Ledger.at(path).verify() <= known + 1
    assert known > 8
