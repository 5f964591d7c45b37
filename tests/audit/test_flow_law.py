# SPDX-License-Identifier: MIT
"""The exact law where the assignment is a flow on the topology, as it is beyond 2,000 sites."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from tests.audit.catalogue import ONE, PATH, units_of_14

from pocin.audit.enumerate import Table, exact_loss, laws, source_orders_seen
from pocin.audit.exact import enumeration
from pocin.audit.shuffles import Product
from pocin.privacy import transport
from pocin.privacy.draws import seal
from pocin.privacy.guarantee import LocationGuarantee
from pocin.privacy.metric import Hops, LinkHops
from pocin.privacy.transport import assign_by_flow


@dataclass(frozen=True)
class ByFlow(Product):
    """The product's seal, and the assignment that it makes of many sites."""

    hops: Hops | None = None

    def place(self, drawn, names, metric, standing):
        assert standing is None
        assert len(metric) == len(self.hops)
        draws, _ = seal(drawn, names, names[:, None].astype(np.float64))
        return draws.values[assign_by_flow(draws, self.hops)]


def two_at_one_bus():
    """A cycle of five nodes, two of four sites at one of them."""
    nodes = np.arange(5)
    return Hops(np.column_stack([nodes, np.roll(nodes, 1)]), 5, np.array([0, 0, 2, 3]))


@pytest.mark.parametrize("hops", [units_of_14(), two_at_one_bus(), PATH], ids=len)
@pytest.mark.parametrize("alpha", [1, 2])
def test_a_flow_keeps_the_claim(hops, alpha):
    table = Table.of(hops)
    found = exact_loss(laws(ByFlow(ONE, Fraction(alpha), hops), table), 1.0, float(alpha))
    assert found.worst <= 1 + 1e-12
    assert found.graded <= 1 + 1e-12
    assert found.graded > 0.85  # and hides little of what the draws lose


def test_its_total_is_the_assignments_and_its_law_is_another():
    """Ties fall otherwise: another function of the same arguments."""
    hops = units_of_14()
    table, matrix = Table.of(hops), hops.matrix()
    flow, dense = ByFlow(ONE, Fraction(2), hops), Product(ONE, Fraction(2))
    names, other = np.arange(5), 0
    for drawn in np.random.default_rng(0).integers(0, 5, (300, 5)):
        one, two = (np.argsort(each.place(drawn, names, table, None)) for each in (flow, dense))
        assert matrix[drawn, one].sum() == matrix[drawn, two].sum()
        other += not np.array_equal(one, two)
    assert other > 0


@pytest.mark.parametrize("hops", [two_at_one_bus(), PATH], ids=["cycle", "path"])
def test_no_order_of_the_source_rows_changes_it(hops):
    assert source_orders_seen(ByFlow(ONE, Fraction(2), hops), Table.of(hops)) == 0


@pytest.mark.parametrize("kind", [Hops, LinkHops])
def test_the_audit_enumerates_what_assigns_a_large_network(kind, monkeypatch):
    """Its places are networks of their own, assigned by the flow as the whole is."""
    rng = np.random.default_rng(3)
    at = np.arange(64).reshape(8, 8)
    ends = np.concatenate(
        [at[:, [k, k + 1]] for k in range(7)] + [at[[k, k + 1]].T for k in range(7)]
    )
    nodes = ends if kind is LinkHops else rng.integers(0, 64, 50)
    metric = kind(ends, 64, nodes, table=10)
    flows, flow = [], transport.assign_by_flow

    def counted(draws, hops):
        flows.append(len(hops))
        return flow(draws, hops)

    monkeypatch.setattr(transport, "assign_by_flow", counted)
    claim = LocationGuarantee(ONE, Fraction(2), len(metric), len(metric))
    finding = enumeration(metric, claim, Product(ONE, Fraction(2)))
    assert finding.passed
    assert "by the flow" in finding.sentence
    assert 0.7 < finding.figures["graded_share"] <= 1 + 1e-9
    assert set(flows) == {4}
    assert len(flows) > 3 * 256
    monkeypatch.setattr(transport, "assign_by_flow", lambda draws, _: np.argsort(draws.values))
    # A placement that tells nothing loses nothing: what stands there is what the gate sees.
    nothing = enumeration(metric, claim, Product(ONE, Fraction(2)))
    assert nothing.figures["graded_share"] == pytest.approx(0, abs=1e-9)
