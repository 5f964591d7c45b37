# SPDX-License-Identifier: MIT
"""Files of others, opened by one door: each that is not read has its own sentence."""

import os
from pathlib import Path

import pytest

from pocin import claims, output, sources
from pocin.claims import held
from pocin.cli import _unforeseen
from pocin.errors import InputError, UsageError
from pocin.output import refuse_existing
from pocin.sources import Limits, read_bytes, read_toml, text_of

SMALL = Limits(64, 4, 8)


def refusal(call, *given, error=InputError):
    """The sentence that this call is refused with."""
    with pytest.raises(error) as raised:
        call(*given)
    sentence = str(raised.value)
    assert "\n" not in sentence
    return sentence


def test_what_is_no_plain_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    said = {
        "gone": "there is no such file; check the path",
        "folder": "this is a folder; name a file in it",
        "pipe": "is a pipe or a device; save it as a file and name that",
        "a\0b": "cannot be read (its name is none of a file); check the path",
        "n" * 300: "cannot be read (File name too long); check the path",
    }
    for name, sentence in said.items():
        assert refusal(read_bytes, tmp_path / name).endswith(f": {sentence}")


def test_a_file_without_permission(tmp_path, monkeypatch):
    def denied(*_):
        raise PermissionError

    (tmp_path / "x").write_bytes(b"1")
    monkeypatch.setattr(sources.os, "open", denied)
    assert "no permission to read this file; ask its owner" in refusal(read_bytes, tmp_path / "x")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"x" * 64, None),
        (b"x" * 65, "is larger than 0 MiB"),
        (b"a\n" * 4, None),
        (b"a;" * 4 + b"b", None),
        (b"a\n" * 5, "has more than 4 lines"),
        (b"a b c d e f g h", None),
        (b"a b c d e f g h i", "has more than 8 cells"),
        (b",,,,,,,,", None),
        (b",,,,,,,,,", "has more than 8 cells"),
    ],
)
def test_bounds(tmp_path, data, said):
    (tmp_path / "x").write_bytes(data)
    if said is None:
        assert read_bytes(tmp_path / "x", SMALL) == data
    else:
        assert said in refusal(read_bytes, tmp_path / "x", SMALL)


def test_words_across_chunks_count_once(tmp_path, monkeypatch):
    (tmp_path / "x").write_bytes(b"abc def ghi jkl mno pqr stu vwx")  # 8 words
    for chunk in (1, 2, 3, 5, 7):
        monkeypatch.setattr(sources, "_CHUNK", chunk)
        assert read_bytes(tmp_path / "x", SMALL)
        with pytest.raises(InputError):
            read_bytes(tmp_path / "x", Limits(64, 4, 7))


def test_a_file_that_changes_meanwhile(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"1")
    asked, real = [], os.fstat

    def changing(number):
        asked.append(number)
        if len(asked) == 2:
            path.write_bytes(b"12")
        return real(number)

    monkeypatch.setattr(sources.os, "fstat", changing)
    assert "was changed while it was read; try again once it is whole" in refusal(read_bytes, path)


def test_texts():
    assert text_of("für".encode(), "x") == "für"
    assert text_of("\ufefffür".encode("utf-8"), "x") == "für"
    assert text_of("für".encode("latin-1"), "x") == "für"
    assert "save it as UTF-8" in refusal(text_of, "a".encode("utf-16"), "x")
    assert "is not a text file; save it as plain text" in refusal(text_of, b"a\0b", "x")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff = 1", "is not TOML, for it is not UTF-8"),
        (b"a = ", "is not TOML ("),
        (b"a = " + b"[" * 20_000, "is not TOML"),
    ],
)
def test_settings(tmp_path, data, said):
    (tmp_path / "x.toml").write_bytes(data)
    assert said in refusal(read_toml, tmp_path / "x.toml")
    (tmp_path / "x.toml").write_bytes(b"a = 1")
    assert read_toml(tmp_path / "x.toml") == {"a": 1}


# ------------------------------------------------------------------------------- places to write to


def test_what_cannot_be_written(tmp_path):
    given = tmp_path / "given.m"
    given.write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe.m")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "own.txt").write_text("mine")
    (tmp_path / "released").mkdir()
    (tmp_path / "released" / "release.json").write_text("{}")
    said = {
        "given.m": "the release is made from this file; name another",
        "pipe.m": "is a pipe or a device; name a file",
        "full": "is a folder that stands already and holds more than a release",
        "none/x.m": "its folder does not exist; make it first",
        "released/x.m": "lies in a release, which is public; name a place beside it",
        "n" * 300: "cannot be made (File name too long); choose another name",
    }
    for name, sentence in said.items():
        with pytest.raises(UsageError) as raised:
            refuse_existing([tmp_path / name], force=True, inputs=[given])
        assert sentence in str(raised.value)


def test_a_mount_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "is_mount", lambda path: path.name == "disk")
    (tmp_path / "disk").mkdir()
    monkeypatch.setattr(output, "_ours", lambda _: True)
    with pytest.raises(UsageError, match="is where a disk is mounted; name a place inside of it"):
        refuse_existing([tmp_path / "disk"], force=True)


def test_nothing_staged_is_nothing_moved(tmp_path):
    class Never:
        def callback(self, *_):
            raise AssertionError

    output._move(tmp_path / "absent", tmp_path / "place", Never())
    assert list(tmp_path.iterdir()) == []


# ----------------------------------------------------------------------------------- places to hold


def test_a_place_is_held_by_one_and_gone_at_the_end(tmp_path):
    place = tmp_path / "place"
    with held(place, "out.m"):
        (place / "folder").mkdir()
        (place / "folder" / "file").write_text("x")
        (place / "file").write_text("x")
        with pytest.raises(UsageError, match=r"out\.m: another run is writing here; wait for it"):
            held(place, "out.m").__enter__()
        assert (place / "file").exists()
    assert not place.exists()


def test_a_place_that_a_killed_run_left_is_taken_over(tmp_path):
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    (place / "lock").touch()
    (place / "left").write_text("x")
    with held(place, "out.m"):
        assert (place / "left").exists()
        claims.clear(place)
        assert [file.name for file in place.iterdir()] == ["lock"]
    assert not place.exists()


@pytest.mark.parametrize("how", ["a file", "open to others"])
def test_a_place_that_someone_else_made_is_refused(tmp_path, how):
    place = tmp_path / "place"
    if how == "a file":
        place.touch(mode=0o600)
    else:
        place.mkdir()
        place.chmod(0o777)
    with pytest.raises(UsageError, match=r"stands in the way of out\.m; remove it"):
        held(place, "out.m").__enter__()
    assert place.exists()


def test_a_lock_that_went_away_meanwhile_is_made_again(tmp_path, monkeypatch):
    place, found = tmp_path / "place", []
    real = claims._is

    def gone_once(lock, path):
        found.append(path)
        if len(found) == 1:
            path.unlink()
        return real(lock, path)

    monkeypatch.setattr(claims, "_is", gone_once)
    with held(place, "out.m"):
        assert len(found) == 2
    assert not place.exists()


# -------------------------------------------------------------------------------------- unforeseen


def test_what_no_command_foresees():
    full = OSError(28, "No space left on device", "out.m")
    assert _unforeseen(full) == (
        "out.m: cannot be used (No space left on device); check the path and the disk", 3,
    )  # fmt: skip
    assert _unforeseen(MemoryError())[0].startswith("memory ran out; close other programs")
    said, code = _unforeseen(ZeroDivisionError("a secret"))
    assert said.startswith("internal error (ZeroDivisionError); please report it")
    assert "secret" not in said
    assert code == _unforeseen(MemoryError())[1] == 1
