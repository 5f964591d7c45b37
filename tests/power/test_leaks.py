# SPDX-License-Identifier: MIT
"""What another tool's release could leave of a source, each told by its own sentence."""

from dataclasses import replace

import numpy as np
import pytest
from tests.metamorphic.networks import Asked, drawn, finished, network, planned

from pocin.policy import Treatment

RICH = network("rich")


@pytest.fixture(scope="module")
def made():
    plan = planned(Asked("rich"))
    return finished(plan, drawn(plan, 0))


def found(made, policy="derived", *, original=None, document=None, **changed):
    """What is told of a release that was changed so."""
    policy = RICH.kind.book.find(policy) if isinstance(policy, str) else policy
    released = replace(made.content, **changed)
    original = RICH.content if original is None else original
    document = made.document if document is None else {"": document}
    return RICH.kind.leaks("no-such-name", original, released, document, policy)


def test_a_release_of_ours_leaves_nothing(made):
    assert found(made) == ()


def test_further_columns(made):
    text = made.document[""].decode()
    rows = text.split("mpc.gen = [\n")[1].split("];")[0]
    wide = rows.replace(";", " 7;")
    (said,) = found(made, document=text.replace(rows, wide).encode())
    assert said == "its gen table has further columns, such as a solver's or a ramp's"


def test_voltages_of_a_solution(made):
    buses = RICH.content.buses
    vm = 1 + 0.001 * np.arange(len(buses))
    original = replace(RICH.content, buses=replace(buses, vm=vm))
    theirs = replace(made.content.buses, vm=np.array(vm))
    (said,) = found(made, original=original, buses=theirs)
    assert said == "bus.Vm is the original's"


def test_units_in_the_order_of_the_source(made):
    live = RICH.content.units.take(RICH.content.live_units)
    units, costs = made.content.units, made.content.costs
    rows, left = [], list(range(len(units)))
    for bus in live.bus:
        rows.append(next(k for k in left if units.bus[k] == bus))
        left.remove(rows[-1])
    order = np.array(rows)
    (said,) = found(made, units=units.take(order), costs=costs.take(order))
    assert said == "its units stand in the source's order, which no public id explains"


def test_units_out_of_service(made):
    units = made.content.units
    status = np.append(np.zeros(1, dtype=np.int64), units.status[1:])
    (said,) = found(made, units=replace(units, status=status))
    assert said == "it has units out of service"


def test_columns_that_a_policy_of_ones_own_drops(made):
    buses = RICH.content.buses
    zones = 1 + np.arange(len(buses)) % 3
    original = replace(RICH.content, buses=replace(buses, zone=zones))
    base = RICH.kind.book.find("derived")
    own = replace(base, treatments={**base.treatments, "bus.zone": Treatment.DROPPED})
    (said,) = found(made, own, original=original, buses=replace(made.content.buses, zone=zones))
    assert said == "bus.zone stands unchanged, though the policy drops it"


def test_what_stays_by_the_policy_is_no_leak():
    plan = planned(Asked("rich", "site"))
    made = finished(plan, drawn(plan, 0))
    assert found(made, "site") == ()
    # under the default policy the limits at the sites are one
    assert [said.split(" stands")[0] for said in found(made)] == ["gen.Qlimits", "gen.Pmin"]
