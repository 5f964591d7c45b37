# SPDX-License-Identifier: MIT
"""Policies: the tables that a curator signs, by name or from a file."""

from pathlib import Path

import pytest

from pocin.errors import InputError, UsageError
from pocin.policy import Policy, Treatment
from pocin.power.columns import BOOK, COST, PMAX, PMIN, Q_LIMITS

S, M, R, P = Treatment.SECRET, Treatment.MOVES, Treatment.DERIVED, Treatment.PUBLIC

PROMISED = {
    "derived": {PMAX: S, COST: M, Q_LIMITS: R, PMIN: R},
    "site": {PMAX: S, COST: M, Q_LIMITS: P, PMIN: P},
    "unit": {PMAX: S, COST: M, Q_LIMITS: M, PMIN: M},
}


def written(folder: Path, text: str) -> Path:
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", PROMISED)
def test_the_named_policies_are_as_promised(name: str) -> None:
    policy = BOOK.find(name)
    assert policy.name == name
    assert {column: policy[column] for column in PROMISED[name]} == PROMISED[name]
    assert policy.having(S) == (PMAX,)


def test_the_policies_of_the_book() -> None:
    assert set(BOOK.policies) == set(PROMISED)
    assert BOOK.find(None) is BOOK.policies["derived"]
    assert BOOK.find(None).constants["pmin_ratio"] == 0
    assert [BOOK.find(None).constants[name] for name in ("qmax_slope", "qmax_offset")] == [0.5, 10]
    assert [BOOK.find(None).constants[name] for name in ("qmin_slope", "qmin_offset")] == [0.4, 10]


@pytest.mark.parametrize("policy", BOOK.policies.values(), ids=lambda policy: policy.name)
def test_every_column_is_treated_as_it_allows(policy: Policy) -> None:
    assert list(policy.treatments) == [column.name for column in BOOK.columns]
    assert [c.name for c in BOOK.columns if policy[c.name] not in c.allowed] == []
    assert set(policy.constants) == set(BOOK.bounds)
    assert [name for name, v in policy.constants.items() if not BOOK.allows(name, v)] == []


def test_solutions_and_names_can_only_be_dropped() -> None:
    for name in ("bus.Vm,Va", "bus.name", "gen.Pg,Qg,Vg", "gen.status", "gen.other", "file"):
        (column,) = (column for column in BOOK.columns if column.name == name)
        assert column.allowed == (Treatment.DROPPED,)


def test_ones_own_policy(tmp_path: Path) -> None:
    text = """
    base = "unit"
    [columns]
    "gen.Pmin" = "derived"
    "bus.area" = "dropped"
    [constants]
    pmin_ratio = 0.25
    qmax_offset = 5
    """
    policy = BOOK.find(written(tmp_path, text))
    assert policy.name == "own (from unit)"
    assert (policy[PMIN], policy[Q_LIMITS], policy["bus.area"]) == (R, M, Treatment.DROPPED)
    assert policy.constants["pmin_ratio"] == 0.25
    assert policy.constants["qmax_offset"] == 5
    assert BOOK.policies["unit"][PMIN] is M  # the book is as it was


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    policy = BOOK.read(written(tmp_path, ""))
    assert policy.treatments == BOOK.find(None).treatments
    assert policy.constants == BOOK.find(None).constants


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    text = "bases = 1\n[columns]\n'gen.Pmax' = 'public'\nx = 'y'\n[constants]\nrho = 1\n"
    with pytest.raises(InputError) as caught:
        BOOK.read(written(tmp_path, text))
    said = str(caught.value)
    for word in ("own.toml", "'bases'", "'gen.Pmax' can only be secret", "column 'x'", "'rho'"):
        assert word in said


@pytest.mark.parametrize("value", ["SECRET", "hidden", 3, True, ["moves"], "public"])
def test_a_treatment_that_is_not_allowed(tmp_path: Path, value: object) -> None:
    shown = str(value).lower() if value is True else repr(value)
    with pytest.raises(InputError, match=r"'gen\.Pmax' can only be secret"):
        BOOK.read(written(tmp_path, f"[columns]\n'gen.Pmax' = {shown}\n"))


@pytest.mark.parametrize("name", ["Derived", "derived ", "", "policy.yaml"])
def test_an_unknown_name(name: str) -> None:
    with pytest.raises(UsageError, match=r"choose derived, unit, site or a \.toml file"):
        BOOK.find(name)


def test_constants() -> None:
    policy = BOOK.find("site").with_constants(pmin_ratio=0.1, surcharge=None)
    assert policy.constants == {**BOOK.find("site").constants, "pmin_ratio": 0.1}
    for low, high in BOOK.bounds.values():
        assert low < high
    for value in (-0.01, 0.91, float("nan"), float("inf"), "0.1", None, True, 10**400):
        assert not BOOK.allows("pmin_ratio", value)
    for value in (0, 0.5, 0.9):
        assert BOOK.allows("pmin_ratio", value)
