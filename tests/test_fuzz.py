# SPDX-License-Identifier: MIT
"""The fuzz targets without atheris: valid files, mutated ones, any bytes, and every fault found.

``tests/regressions/TARGET/*.case`` are small inputs that once were faults. Their part ``expect``
has the exit code and the sentence, or 0 and what the reader notes, a line each.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fuzz import __main__ as runner
from fuzz.documents import pack, unpack
from fuzz.judge import SHELF, Fault, Target, desk, judge, keeps_secrets
from fuzz.mutate import Mutator, plain
from fuzz.targets import CORPUS, NAMES, corpus, target
from hypothesis import given, settings
from hypothesis import strategies as st

from pocin.errors import InputError

REGRESSIONS = Path(__file__).with_name("regressions")
CASES = sorted(REGRESSIONS.glob("*/*.case"))
NEEDS = {"raw": "powerio", "powermodels": "powerio", "pandapower": "powerio"}


def opened(name: str) -> Target:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason="powerio is not installed")
    return target(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_valid_input_is_read(name: str) -> None:
    reader, inputs = opened(name), corpus(name)
    assert len(inputs) > 1
    for stem, data in inputs.items():
        outcome = judge(reader, data)
        assert (outcome.built, outcome.reached) == (True, True), (stem, outcome.sentence)


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_was_a_fault_is_none(path: Path) -> None:
    reader, document = opened(path.parent.name), unpack(path.read_bytes())
    first, *notes = document.pop("expect").decode().splitlines()
    outcome = judge(reader, pack(document))
    said = f"{outcome.code} {outcome.sentence}".strip()
    assert said.replace(desk(), "{desk}") == first
    if outcome.built:
        with SHELF.serving(document):
            assert list(reader.says(reader.read(Path(desk()), document))) == notes


def test_there_is_a_regression_of_most_readers() -> None:
    assert {path.parent.name for path in CASES} <= set(NAMES)
    assert len(CASES) > 12


@pytest.mark.parametrize("name", [name for name in NAMES if name != "commands"])
def test_mutated_files_are_networks_or_sentences(name: str) -> None:
    reader, seeds = opened(name), list(corpus(name).values())
    mutator, reached, runs = Mutator(seeds, reader), 0, 0

    @settings(max_examples=150, deadline=None, database=None)
    @given(st.sampled_from(seeds), st.lists(st.integers(0, 2**31), min_size=1, max_size=3))
    def hold(data: bytes, numbers: list[int]) -> None:
        nonlocal reached, runs
        for number in numbers:
            data = mutator(data, 10_000, number, plain)
        outcome = judge(reader, data)
        reached, runs = reached + outcome.reached, runs + 1

    hold()
    assert reached > runs / 20


@pytest.mark.parametrize("name", [name for name in NAMES if name != "commands"])
def test_any_bytes_are_a_sentence(name: str) -> None:
    reader = opened(name)
    files = {file for data in corpus(name).values() for file in unpack(data)}

    @settings(max_examples=40, deadline=None, database=None)
    @given(st.fixed_dictionaries(dict.fromkeys(sorted(files), st.binary(max_size=60))))
    def hold(document: dict[str, bytes]) -> None:
        judge(reader, pack(document))

    hold()


def test_commands_keep_their_word() -> None:
    reader, seeds = target("commands"), list(corpus("commands").values())
    mutator = Mutator(seeds, reader)

    @settings(max_examples=60, deadline=None, database=None)
    @given(st.sampled_from(seeds), st.integers(0, 2**31))
    def hold(data: bytes, number: int) -> None:
        judge(reader, mutator(data, 10_000, number, plain))

    hold()


# What the judge must see: each of these is a reader with one fault planted.


def refusing(sentence: str) -> Callable[..., None]:
    def read(folder: Path, _document: object) -> None:
        raise InputError(sentence.format(folder=folder))

    return read


def leaving(folder: Path, _document: object) -> None:
    (folder / "left").write_text("half")


def altered(network: object) -> None:
    raise Fault(str(network))


INPUT = b"=== power.toml\nbase = 7919.31\n"
SOUND = replace(target("policy"), read=lambda *_: None, check=lambda _: None)
FAULTS = {
    "a secret in an error": replace(SOUND, read=refusing("{folder}: base is 7919.31")),
    "an error that names no source": replace(SOUND, read=refusing("something is wrong here")),
    "an error of another code": replace(SOUND, read=refusing("{folder}: no"), codes=(2,)),
    "a wrong success": replace(SOUND, check=altered),
    "a secret in a note": replace(SOUND, says=lambda _: ("left out: 7919.31",)),
    "a file left": replace(SOUND, read=leaving, filed=True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_judge_sees(name: str) -> None:
    assert judge(SOUND, INPUT).built
    with pytest.raises(Fault):
        judge(FAULTS[name], INPUT)


def test_what_the_reader_raises_comes_through() -> None:
    def read(*_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        judge(replace(SOUND, read=read), INPUT)


def test_a_number_cut_in_pieces_may_be_an_id() -> None:
    keeps_secrets(b"node 7919 and 7919.31", "node 7919 is not there")
    with pytest.raises(Fault):
        keeps_secrets(b"node 1 and 7919.31", "node 7919 is not there")


@given(st.dictionaries(st.from_regex(r"[a-z]{1,9}\.[a-z]{1,4}", fullmatch=True), st.binary()))
def test_files_are_packed_and_unpacked(document: dict[str, bytes]) -> None:
    document = {name: data.replace(b"=== ", b"") for name, data in document.items()}
    assert unpack(pack(document)) == document


@pytest.mark.parametrize("name", NAMES)
def test_mutations_repeat_by_their_seed(name: str) -> None:
    seeds = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    one, two = (Mutator(seeds, opened(name)) for _ in range(2))
    for number in range(40):
        made = one(seeds[0], 9_000, number, plain)
        assert made == two(seeds[0], 9_000, number, plain)
        assert len(made) <= 9_000


def test_it_says_so_where_atheris_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["fuzz", "policy", "--runs", "10"])
    assert runner.main() == 2
    assert "pip install atheris" in capsys.readouterr().err
