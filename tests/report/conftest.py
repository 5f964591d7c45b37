# SPDX-License-Identifier: MIT
"""Releases to report on, made once, and one browser for all pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.browser import Browser, chromium
from tests.report.exploring import small_study
from tests.report.large import large_release

import pocin

CASES = {"ieee14.m": "ieee14", "siouxfalls": "siouxfalls"}


@pytest.fixture(scope="session")
def releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return releases with their statements and records, by case."""
    folder = tmp_path_factory.mktemp("releases")
    for name, case in CASES.items():
        made = pocin.release(pocin.read(case), beta=0.1, seed=1)
        pocin.write(made, folder / name)
    return {case: folder / name for name, case in CASES.items()}


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a grid of 10,200 buses that looks released."""
    return large_release(tmp_path_factory.mktemp("large"))


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a small study; its file is in the folder above."""
    pytest.importorskip("polars")
    folder = tmp_path_factory.mktemp("explored")
    small_study(folder)
    return folder / "results"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return a headless Chromium; tests that need one skip where there is none."""
    with chromium() as found:
        yield found
