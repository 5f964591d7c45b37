# SPDX-License-Identifier: MIT
"""Every trap of the design is walked into once, and the check that stands there catches it."""

from __future__ import annotations

import pytest
from tests.audit import faults
from tests.audit.catalogue import ALPHA, NOISE, ONE, TRAPS, claim, drawn_once, fitted, five_units

from pocin import flow
from pocin.audit.exact import enumeration
from pocin.audit.fit import locations_fit

EXACT = {
    "the factor 2 is forgotten": 1.961,
    "plus sign: farther is likelier": 0.981,
    "permute-and-flip rows": 1.299,
    "assignment cost by the truth": 3.906,
    "tie-break by the truth": 3.415,
    "columns in true order": 1.228,
    "rows in source order": 1.741,
    "a flow cut in the order of the source's rows": 1.194,
    "collisions repaired by the truth": 3.289,
    "float acceptance underflows": float("inf"),
    "numpy Laplace on floats": float("inf"),
    "resample until at least 0": 1.490,
    "units without capacity un-noised while called secret": float("inf"),
    "symmetric rounding": 1.001,
    "retry until feasible": 1.471,
    "retry by true cost": float("inf"),
    "best of five by true cost": 14.631,
    "phase 3 sees the truth": float("inf"),
    "the time that it took in the file": float("inf"),
    "negative zeros in the source's order": float("inf"),
    "draws placed anew by the truth": 2.3615,
    "failure by the truth": float("inf"),
    "the exact optimum taken for public": float("inf"),
    "Q limits and Pmin left at the sites": float("inf"),
    "cost curves that end at the capacity": float("inf"),
    "the source's reference bus in the file": float("inf"),
    "demand's volumes in released roads": float("inf"),
    "names, comments, a solution, source order in the file": float("inf"),
}


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_the_trap_is_caught(trap):
    found = trap.run()
    assert found.caught
    assert found.epsilon == pytest.approx(EXACT[trap.name], abs=6e-4)


def test_no_epsilon_audit_sees_the_plus_sign_and_the_fit_does():
    exact = enumeration(five_units(), claim(), faults.PlusSign(ONE, ALPHA))
    assert exact.passed
    assert locations_fit(faults.PlusSign(ONE, ALPHA), five_units(), NOISE).passed is False


def test_the_fit_sees_permute_and_flip_too():
    assert fitted(faults.PermuteAndFlip).caught


def test_the_product_draws_once():
    assert drawn_once(flow.release)
