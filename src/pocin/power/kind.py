# SPDX-License-Identifier: MIT
"""Power grids as a kind of network."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from pocin.errors import UsageError
from pocin.power.columns import BOOK
from pocin.power.public import MEGAWATT
from pocin.privacy.ledger import network_key
from pocin.privacy.settings import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pocin.arrays import Floats
    from pocin.kinds import Document, Drawing, Exposure, Finished, Goal, Solved
    from pocin.policy import Policy
    from pocin.power.grid import Grid
    from pocin.power.public import PublicGrid
    from pocin.privacy.draws import Draws
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret
    from pocin.targets import Target


class Power:
    """Answers ``pocin.kinds.Kind``; the heavy modules are imported by the methods that use them."""

    name = "power"
    formats = "MATPOWER .m, PSS/E .raw, PowerModels or pandapower .json"
    folder = False
    fixed = "topology, lines, loads"
    compared = 3000  # one more AC-OPF, some seconds
    attacked = 500  # three to four more
    suffix = ".m"
    choices = ("model",)
    attacks: tuple[str, ...] = ()
    book = BOOK
    values = MEGAWATT
    default_alpha_value = "10MW"
    problem = "AC optimal power flow"
    disclosed: tuple[str, ...] = ()
    figure: float | None = None

    def cases(self) -> Iterator[dict[str, Any]]:
        """Yield the built-in grids."""
        from pocin.power.cases import builtin

        for case in builtin().values():
            yield {name: value for name, value in vars(case).items() if name != "path"}

    def claims(self, source: str | Path) -> bool:
        """Return whether a source is a built-in grid or has a grid file's ending."""
        from pocin.power.files import is_grid_source

        return is_grid_source(source)

    def read(self, source: str | Path, costs: Path | None) -> tuple[Grid, float | None]:
        """Read and check a grid."""
        from pocin.power.files import read_grid

        return read_grid(source, costs)

    def chosen(self, choices: Mapping[str, str], content: Grid) -> Power:
        """Return the kind with the model of its readers."""
        del content
        model = choices.get("model")
        if model is None:
            return self
        if model not in MODELS:
            raise UsageError("--model: expected ac or dc")
        return MODELS[model]

    def holds(self, content: Grid) -> bool:
        """An archive's optimum is of the AC model."""
        del content
        return True

    def solve(self, content: Grid) -> Solved:
        """Solve the AC-OPF as a reader would."""
        from pocin.power.certificate import solve

        return solve(content)

    def split(self, content: Grid, policy: Policy, only: Path | None) -> tuple[PublicGrid, Secret]:
        """Cut a grid in two; ``only`` names a file of buses whose units are secret."""
        from pocin.power.only import read_only
        from pocin.power.split import split

        return split(content, policy, None if only is None else read_only(only, content))

    def amount(self, text: str, content: Grid) -> Fraction:
        """Read ``10MW`` or ``0.1pu`` in MW."""
        value, unit = quantity(text, "--alpha-value", ("MW", "pu"))
        return value * Fraction(str(content.base_mva)) if unit == "pu" else value

    def ledger_key(self, content: Grid) -> str:
        """A digest of all branches and units, whether in service or not."""
        ends = np.column_stack([content.branches.from_bus, content.branches.to_bus])
        return network_key(ends, content.units.bus)

    def check_figure(self, public: PublicGrid, figure: float, beta: float) -> None:
        """Capacities are secret, and with them what an optimum may be."""

    def figure_reach(self, policy: Policy) -> Fraction | None:
        """Places play no part in the merit-order figure."""
        del policy
        return None

    def figure_width(
        self, public: PublicGrid, secret: Secret, guarantee: Guarantee, beta: float
    ) -> float:
        """Return the half-width of the merit-order figure's noise in $/h."""
        from pocin.power.figure import width

        return width(public, secret.moved, guarantee, beta)

    def private_figure(
        self, public: PublicGrid, secret: Secret, guarantee: Guarantee, noise: NoiseSource
    ) -> float:
        """Draw the merit-order figure."""
        from pocin.power.figure import private_figure

        return private_figure(public, secret, guarantee, noise)

    def finish(
        self,
        public: PublicGrid,
        draws: Draws,
        goal: Goal,
        document: Callable[[Grid], Document],
        say: Callable[[str], None],
    ) -> Finished:
        """Restore and certify."""
        from pocin.power.finish import finish

        return finish(public, draws, goal, document, say)

    def unrestored(self, public: PublicGrid, draws: Draws) -> Grid:
        """Return the grid of the draws at the sites of phase 1's assignment."""
        from pocin.power.placed import place
        from pocin.privacy.location import assign

        noisy, record = MEGAWATT.real(draws.values), assign(draws, public.metric)
        placed = place(public, noisy, draws.moved, record)
        return placed.grid(placed.noisy)

    def write(self, content: Grid, header: tuple[str, ...]) -> Document:
        """Return a MATPOWER file."""
        from pocin.power.matpower import format_matpower

        return {"": format_matpower(content, header, "released").encode()}

    def notes(self, content: Grid) -> tuple[str, ...]:
        """Return what the reader left out."""
        return content.notes

    def twins(self, content: Grid, policy: Policy, only: Path | None) -> Iterator[tuple[str, Grid]]:
        """Yield grids with the same public part and another secret."""
        from pocin.power.only import read_only
        from pocin.power.twins import twins

        return twins(content, policy, None if only is None else read_only(only, content))

    def exposure(
        self, public: PublicGrid, secret: Secret, original: Grid, released: Grid
    ) -> Exposure:
        """Return what a released grid shows at the original's sites."""
        from pocin.power.exposure import exposure

        return exposure(public, secret, original, released)

    def leaks(
        self, source: str, original: Grid, released: Grid, document: Document, policy: Policy
    ) -> tuple[str, ...]:
        """Return what of the source is left in a released file."""
        from pocin.power.leaks import leaks

        return leaks(source, original, released, document, policy)

    def given_away(self, content: Grid, policy: Policy) -> Iterator[str]:
        """Nothing is said beyond the policy's table; the audit ranks what is left."""
        del content, policy
        yield from ()

    def target(self, content: Grid, name: str, attack: Mapping[str, str]) -> Target:
        """Return the grid as attackers meet it."""
        from pocin.power.damage.target import GridTarget

        del attack
        return GridTarget.of(content, name)

    def reader_view(self, original: Grid, released: Grid, solve: object) -> dict[str, Any]:
        """Compare dispatch, line loading, prices and losses of both AC optima."""
        from pocin.power.reader import reader_view

        return reader_view(original, released, solve)

    def surrogate(self, public: PublicGrid, seed: int) -> Grid:
        """Return a grid with made-up capacities and costs that can be solved."""
        from pocin.power.surrogate import surrogate

        return surrogate(public, seed, self.solve)

    def drawing(self, content: Grid) -> Drawing:
        """Return buses, branches in service, and the units with their capacities."""
        from pocin.power.drawing import drawing

        return drawing(content)

    def answers(
        self, public: PublicGrid, content: Grid, solve: object = None
    ) -> Mapping[str, Floats]:
        """Return the output at every site and at every bus."""
        from pocin.power.answers import answers

        return answers(public, content, solve)


class PowerDC(Power):
    """Power grids whose readers solve the DC model: for it phase 3 is exact."""

    problem = "DC optimal power flow"

    def holds(self, content: Grid) -> bool:
        """An archive's optimum is of the AC model."""
        del content
        return False

    def solve(self, content: Grid) -> Solved:
        """Solve the DC-OPF as a reader would."""
        from pocin.power.dc.certificate import solve

        return solve(content)

    def answers(
        self, public: PublicGrid, content: Grid, solve: object = None
    ) -> Mapping[str, Floats]:
        """Nothing: they are of the AC model."""
        del public, content, solve
        return {}

    def finish(
        self,
        public: PublicGrid,
        draws: Draws,
        goal: Goal,
        document: Callable[[Grid], Document],
        say: Callable[[str], None],
    ) -> Finished:
        """Solve the bi-level problem and certify."""
        from pocin.power.dc.finish import finish

        return finish(public, draws, goal, document, say)


POWER = Power()
MODELS = {"ac": POWER, "dc": PowerDC()}
