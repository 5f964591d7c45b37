# SPDX-License-Identifier: MIT
"""The columns of a power grid and its three named policies.

    column       derived (default)                     site     unit
    Pmax         secret                                secret   secret
    cost         moves                                 moves    moves
    Qmax, Qmin   0.5 v + 10 MVAr, -(0.4 v + 10 MVAr)   public   moves
    Pmin         rho v                                 public   moves, cut to v

v is the released Pmax. The constants are public and never fitted to the data.
"""

from __future__ import annotations

from pocin.policy import Column, Policy, PolicyBook, Treatment

_S, _M, _R, _P, _D = (
    Treatment.SECRET,
    Treatment.MOVES,
    Treatment.DERIVED,
    Treatment.PUBLIC,
    Treatment.DROPPED,
)

PMAX, PMIN, Q_LIMITS, COST = "gen.Pmax", "gen.Pmin", "gen.Qlimits", "gencost"
AREA, ZONE, BASE_KV = "bus.area", "bus.zone", "bus.baseKV"
RATE_B, RATE_C = "branch.rateB", "branch.rateC"

_TABLE: tuple[tuple[Column, Treatment], ...] = (
    (Column("bus.id", "bus numbers", (_P,)), _P),
    (Column("bus.type", "reference bus: the lowest site", (_R,)), _R),
    (Column("bus.Pd,Qd", "loads", (_P,)), _P),
    (Column("bus.Gs,Bs", "shunts", (_P,)), _P),
    (Column("bus.Vmax,Vmin", "voltage limits", (_P,)), _P),
    (Column(AREA, "areas", (_P, _D)), _P),
    (Column(ZONE, "zones", (_P, _D)), _P),
    (Column(BASE_KV, "voltage levels", (_P, _D)), _P),
    (Column("bus.Vm,Va", "a solution's voltages", (_D,)), _D),
    (Column("bus.name", "names", (_D,)), _D),
    (Column("branch", "lines, transformers, ratings, angle limits, status", (_P,)), _P),
    (Column(RATE_B, "short-term rating", (_P, _D)), _P),
    (Column(RATE_C, "emergency rating", (_P, _D)), _P),
    (Column("gen.bus", "sites: occupied buses, and how many units each", (_P,)), _P),
    (Column(PMAX, "capacity and where it stands", (_S,)), _S),
    (Column(COST, "cost curve of a unit, its ends drawn out", (_M,)), _M),
    (Column(Q_LIMITS, "reactive limits Qmax and Qmin", (_R, _P, _M)), _R),
    (Column(PMIN, "least output", (_R, _P, _M)), _R),
    (Column("gen.zero", "units without capacity, dispatchable loads: whole rows", (_P,)), _P),
    (Column("gen.Pg,Qg,Vg", "a solution's dispatch and set points", (_D,)), _D),
    (Column("gen.status", "units out of service: whole rows", (_D,)), _D),
    (Column("gen.other", "mBase, Pc1 to apf, fuel and type names", (_D,)), _D),
    (Column("file", "name, comments, row order, other fields", (_D,)), _D),
)

CONSTANTS = {
    "pmin_ratio": 0.0,
    "qmax_slope": 0.5,
    "qmax_offset": 10.0,
    "qmin_slope": 0.4,
    "qmin_offset": 10.0,
    "surcharge": 40.0,
    "figure_factor": 1.0,
}

_BASE = {column.name: treatment for column, treatment in _TABLE}

BOOK = PolicyBook(
    columns=tuple(column for column, _ in _TABLE),
    policies={
        "derived": Policy("derived", _BASE, CONSTANTS),
        "unit": Policy("unit", {**_BASE, Q_LIMITS: _M, PMIN: _M}, CONSTANTS),
        "site": Policy("site", {**_BASE, Q_LIMITS: _P, PMIN: _P}, CONSTANTS),
    },
    default="derived",
    bounds={
        "pmin_ratio": (0.0, 0.9),
        "qmax_slope": (0.0, 10.0),
        "qmax_offset": (0.0, 1e6),
        "qmin_slope": (0.0, 10.0),
        "qmin_offset": (0.0, 1e6),
        "surcharge": (0.01, 1e6),
        "figure_factor": (0.1, 10.0),
    },
)
