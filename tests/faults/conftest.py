# SPDX-License-Identifier: MIT
"""The forge that the tests of faults share."""

import os
from collections.abc import Iterator

import pytest

if os.name == "nt":
    collect_ignore_glob = ["test_*.py"]  # signals, forks and limits are POSIX's


@pytest.fixture(scope="session")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """One process that forks for all tests."""
    from tests.faults.forge import Forge

    made = Forge(tmp_path_factory.mktemp("forge"))
    yield made
    made.close()
