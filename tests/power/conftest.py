# SPDX-License-Identifier: MIT
"""Another program's optimal power flow, to check ours against."""

import warnings

import numpy as np
import pytest

# Step control (565): the plain method stalls on some meshes with phase shifters.
OPTIONS = {"VERBOSE": 0, "OUT_ALL": 0, "OPF_ALG": 565, "OPF_IGNORE_ANG_LIM": False}


@pytest.fixture(scope="session")
def pypower_solution():
    """Return a function from the tables of a case to PYPOWER's own, solved."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its modules hold invalid escapes
        from pypower.api import ppoption, runopf

    def solution(base_mva, bus, gen, branch, gencost) -> dict:
        tables = {"bus": bus, "gen": gen, "branch": branch, "gencost": gencost}
        case = {name: np.array(table, dtype=float) for name, table in tables.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its use of numpy and scipy, not ours
            answer = runopf({"version": "2", "baseMVA": base_mva, **case}, ppoption(**OPTIONS))
        assert answer["success"]
        return answer

    return solution


@pytest.fixture(scope="session")
def pypower(pypower_solution):
    """Return a function from the tables of a case to PYPOWER's optimum."""
    return lambda *tables: float(pypower_solution(*tables)["f"])
