# SPDX-License-Identifier: MIT
"""Linear, quadratic and mixed-integer programs as blocks of columns and rows, solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pocin.arrays import Floats, Mask

INFINITE = highspy.kHighsInf
TIGHT = 1e-9
"""What a constraint may be violated by in an LP: the reader's solver sees the written file anew."""

USUAL = 1e-7
KNOWN = ("optimal", "infeasible", "time limit")


@dataclass(frozen=True)
class Block:
    """Columns of one meaning."""

    start: int
    size: int

    def of(self, x: Floats) -> Floats:
        """Take the block out of a solution."""
        return x[self.start : self.start + self.size]


@dataclass(frozen=True, eq=False)
class Linear:
    """min cost . x + x' diag(curvature) x / 2 s.t. lower <= A x <= upper, within bounds."""

    cost: Floats
    curvature: Floats
    bounds: tuple[Floats, Floats] = field(repr=False)
    matrix: csr_array = field(repr=False)
    limits: tuple[Floats, Floats] = field(repr=False)
    integer: Mask = field(repr=False)
    curved: tuple[Curved, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class Curved:
    """A row lower <= gradient . x + x' diag(curvature) x / 2 <= upper, for solvers that take it."""

    gradient: Floats
    curvature: Floats
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What a solver found. ``bound`` is what it proved; ``duals`` are d objective / d limit."""

    status: str
    value: float
    bound: float
    x: Floats = field(repr=False)
    duals: Floats = field(repr=False)

    @property
    def solved(self) -> bool:
        """Whether the optimum was found and proved."""
        return self.status == "optimal"

    @property
    def found(self) -> bool:
        """Whether there is a feasible point."""
        return bool(len(self.x))


class Builder:
    """Gathers columns and rows."""

    def __init__(self) -> None:
        self._columns: list[tuple[Floats, ...]] = []
        self._entries: list[tuple[Floats, Any, Any]] = []
        self._limits: list[tuple[Floats, Floats]] = []
        self.width = self.height = 0

    def columns(
        self,
        size: int,
        lower: Floats | float = -INFINITE,
        upper: Floats | float = INFINITE,
        *,
        cost: Floats | float = 0.0,
        curvature: Floats | float = 0.0,
        integer: bool = False,
    ) -> Block:
        """Add a block of columns."""
        values = (lower, upper, cost, curvature, integer)
        self._columns.append(tuple(np.broadcast_to(np.float64(v), size) for v in values))
        self.width += size
        return Block(self.width - size, size)

    def rows(
        self,
        lower: Floats | float,
        upper: Floats | float,
        terms: Iterable[tuple[Block, Any]],
    ) -> Block:
        """Add rows: the sum of matrix (or row) times block lies between the limits."""
        size = 0
        for block, matrix in terms:
            part = coo_array(np.atleast_2d(matrix) if isinstance(matrix, np.ndarray) else matrix)
            size = part.shape[0]
            self._entries.append((part.data, part.row + self.height, part.col + block.start))
        limits = tuple(np.broadcast_to(np.float64(v), size) for v in (lower, upper))
        self._limits.append((limits[0], limits[1]))
        self.height += size
        return Block(self.height - size, size)

    def build(self) -> Linear:
        """Return the program."""
        lower, upper, cost, curvature, integer = (
            np.concatenate(parts) for parts in zip(*self._columns, strict=True)
        )
        data, row, column = (np.concatenate(parts) for parts in zip(*self._entries, strict=True))
        low, high = (np.concatenate(parts) for parts in zip(*self._limits, strict=True))
        matrix = csr_array((data, (row, column)), shape=(self.height, self.width))
        return Linear(cost, curvature, (lower, upper), matrix, (low, high), integer > 0)


def engine(program: Linear) -> highspy.Highs:
    """Return HiGHS with a program in it: one thread and no words, so that results repeat."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "primal_feasibility_tolerance": TIGHT,
        "dual_feasibility_tolerance": TIGHT,
    }.items():
        highs.setOptionValue(name, value)
    model = highspy.HighsModel()
    lp, matrix = model.lp_, program.matrix
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = program.cost
    lp.col_lower_, lp.col_upper_ = program.bounds
    lp.row_lower_, lp.row_upper_ = program.limits
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    if program.integer.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(whole)] for whole in program.integer]
    curved = np.flatnonzero(program.curvature)
    if len(curved):
        hessian = model.hessian_
        hessian.dim_ = lp.num_col_
        hessian.format_ = highspy.HessianFormat.kTriangular
        hessian.start_ = np.searchsorted(curved, np.arange(lp.num_col_ + 1))
        hessian.index_ = curved
        hessian.value_ = program.curvature[curved]
    highs.passModel(model)
    return highs


def answer_of(highs: highspy.Highs, *, whole: bool = False) -> Answer:
    """Run HiGHS and read what it found."""
    highs.run()
    status, info = highs.getModelStatus(), highs.getInfo()
    names = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kInfeasible: "infeasible",
        highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
        highspy.HighsModelStatus.kTimeLimit: "time limit",
    }
    name = names.get(status, highs.modelStatusToString(status))
    feasible = info.primal_solution_status == highspy.kSolutionStatusFeasible
    solution = highs.getSolution()
    empty = np.zeros(0)
    value = float(info.objective_function_value) if feasible else np.inf
    bound = float(info.mip_dual_bound) if whole else value
    x = np.array(solution.col_value) if feasible else empty
    duals = np.array(solution.row_dual) if feasible and not whole else empty
    return Answer(name, value, bound, x, duals)


def solve(program: Linear, seconds: float = np.inf) -> Answer:
    """Solve a linear or a convex quadratic program.

    HiGHS ends some quadratic programs with an error at the tight tolerances; then with the usual.
    """
    found = Answer("not run", np.inf, np.inf, np.zeros(0), np.zeros(0))
    for tolerance in (TIGHT, USUAL, 10 * USUAL):
        highs = engine(program)
        for name in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
            highs.setOptionValue(name, tolerance)
        highs.setOptionValue("time_limit", seconds)
        found = answer_of(highs)
        if found.status in KNOWN or not program.curvature.any():
            break
    return found


def diagonal(values: Floats) -> csr_array:
    """Return a diagonal matrix."""
    return csr_array(diags_array(values))
