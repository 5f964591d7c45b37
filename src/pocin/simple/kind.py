# SPDX-License-Identifier: MIT
"""A kind of network with one secret column, whose elements stand at nodes.

Give what the class declares and its abstract methods, and it answers ``pocin.kinds.Kind``: release,
certificate, audit, attack, report and study then work. What is optional is left out with a
sentence; what is generic here may be overridden. ``docs/tutorial`` builds one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from pocin.errors import UsageError
from pocin.kinds import Drawing, Exposure, Solved
from pocin.privacy.ledger import network_key
from pocin.privacy.location import assign
from pocin.privacy.secret import Secret
from pocin.privacy.settings import quantity
from pocin.simple.tables import PublicPart, Tables
from pocin.sources import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from pocin.arrays import Floats, Ints
    from pocin.kinds import Document, Finished, Goal
    from pocin.policy import Policy, PolicyBook
    from pocin.privacy.draws import Draws
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.value import ValueGrid
    from pocin.simple.target import SimpleTarget
    from pocin.targets import Harm


class SimpleKind(ABC):
    """Answers ``pocin.kinds.Kind`` by six methods and some words.

    ``fixed`` is what the guarantee holds fixed of the public part; ``element`` stands at a site,
    ``worth`` says what its value is; nodes and edges have words for people, and so has damage.
    """

    name: str
    suffix: str
    fixed: str
    problem: str
    book: PolicyBook
    values: ValueGrid
    default_alpha_value: str
    element: str
    worth: str
    damage: str
    damage_unit: str
    node_word: str = "node"
    edge_word: str = "edge"

    folder = False
    compared: int = 1_000
    attacked: int = 1_000
    choices: tuple[str, ...] = ()
    attacks: tuple[str, ...] = ()
    disclosed: ClassVar[tuple[str, ...]] = ()
    figure: ClassVar[float | None] = None

    # -- what a kind gives ---------------------------------------------------------------------

    @abstractmethod
    def parse(self, document: Document, name: str) -> Tables:
        """Return the network of a file, ``document['']``, or raise InputError with the name."""

    @abstractmethod
    def write(self, content: Tables, header: tuple[str, ...]) -> Document:
        """Return the bytes of a release's file, ``{'': bytes}``: the tables, and nothing else."""

    @abstractmethod
    def cost(self, public: PublicPart, values: Floats, moved: Floats) -> float:
        """Return the optimum that a reader finds; infinity where there is none."""

    @abstractmethod
    def restore(self, public: PublicPart, noisy: Floats, moved: Floats, goal: Goal) -> Floats:
        """Return values near the noisy ones under which the optimum is within beta of the figure.

        A function of its arguments: it must not look at anything else. Where there are no such
        values, any will do: the certificate refuses them.
        """

    @abstractmethod
    def harm(self, public: PublicPart, values: Floats, moved: Floats, hit: Ints) -> Harm:
        """Attack a real network at these sites."""

    @abstractmethod
    def leaks(
        self, source: str, original: Tables, released: Tables, document: Document, policy: Policy
    ) -> tuple[str, ...]:
        """Return what of the source is left in a released file and should not be, in sentences."""

    # -- what follows from it ------------------------------------------------------------------

    @property
    def formats(self) -> str:
        """The files that are read."""
        return f"{self.suffix} files"

    def claims(self, source: str | Path) -> bool:
        """Return whether a source has the kind's ending."""
        return str(source).lower().endswith(self.suffix)

    def read(self, source: str | Path, costs: Path | None) -> tuple[Tables, float | None]:
        """Read and check a network."""
        if costs is not None:
            raise UsageError("--costs: is for power grids; leave it out")
        content = self.parse({"": read_bytes(Path(source))}, str(source))
        content.check(str(source))
        return content, None

    def split(
        self, content: Tables, policy: Policy, only: Path | None
    ) -> tuple[PublicPart, Secret]:
        """Cut a network in two: of one node's sites, which are alike, any element takes any."""
        if only is not None:
            raise UsageError(f"--only: every {self.element} is secret; leave it out")
        rows = content.elements[np.lexsort(content.elements.T[::-1])]
        return PublicPart.of(content, policy), Secret(
            np.arange(len(rows)), self.values.whole(rows[:, 1]), rows[:, 2:]
        )

    def standing(self, content: Tables) -> tuple[PublicPart, Floats, Floats]:
        """Return the public part, and what stands at the sites: values and moved columns."""
        rows = content.elements[np.argsort(content.elements[:, 0], kind="stable")]
        return PublicPart.of(content, self.book.find(None)), rows[:, 1], rows[:, 2:]

    def optimum(self, content: Tables) -> float:
        """Return the optimum that a reader finds; infinity where there is none."""
        return self.cost(*self.standing(content))

    def solve(self, content: Tables) -> Solved:
        """Solve the problem as a reader would."""
        began = perf_counter()
        cost = self.optimum(content)
        found = math.isfinite(cost)
        said = "optimal" if found else "there is no solution"
        return Solved(cost if found else None, said, perf_counter() - began)

    def amount(self, text: str, content: Tables) -> Fraction:
        """Read a value change in the unit of the values."""
        del content
        return quantity(text, "--alpha-value", (self.values.unit,))[0]

    def ledger_key(self, content: Tables) -> str:
        """Return a digest of topology and sites."""
        edges, sites = content.edges[:, :2], content.elements[:, 0]
        return network_key(edges.astype(np.int64), sites.astype(np.int64))

    def finish(
        self,
        public: PublicPart,
        draws: Draws,
        goal: Goal,
        document: Callable[[Any], Document],
        say: Callable[[str], None],
    ) -> Finished:
        """Restore and certify."""
        from pocin.simple.finish import finish

        return finish(self, public, draws, goal, document, say)

    def unrestored(self, public: PublicPart, draws: Draws) -> Tables:
        """Return the network of the draws as they fell."""
        record = assign(draws, public.metric)
        noisy = self.values.real(draws.values)[record]
        return public.with_elements(noisy, draws.moved[record])

    def twins(
        self, content: Tables, policy: Policy, only: Path | None
    ) -> Iterator[tuple[str, Tables]]:
        """Yield networks of the same public part and another secret, and what was changed."""
        del policy, only
        rows = content.elements
        moved, changed = rows.copy(), rows.copy()
        moved[:, 1:] = np.roll(rows[:, 1:], 1, axis=0)
        changed[:, 1] += float(self.values.step) * (1 + np.arange(len(rows)))
        yield "elements permuted", replace(content, elements=moved)
        yield "values changed", replace(content, elements=changed)
        turned = Tables(content.nodes[::-1], content.edges[::-1], rows[::-1])
        yield "source rows permuted", turned

    def exposure(
        self, public: PublicPart, secret: Secret, original: Tables, released: Tables
    ) -> Exposure:
        """Return what stands at the sites; without the noise they differ by their place alone."""
        del original
        theirs, found, _ = self.standing(released)
        same = np.array_equal(theirs.site_ids, public.site_ids)
        near = public.metric.partners(2).astype(np.float64)
        return Exposure(
            released=found if same else _matched(theirs.site_ids, found, public.site_ids),
            standing={"sites within 2 hops": near} if np.ptp(near) else {},
            site_marks=np.column_stack([near, public.nodes[public.at]]),
            element_marks=secret.moved,
        )

    def target(self, content: Tables, name: str, attack: Mapping[str, str]) -> SimpleTarget:
        """Return a real network as attackers meet it."""
        from pocin.simple.target import SimpleTarget

        del attack
        return SimpleTarget(self, content, name)

    def reader_view(self, original: Tables, released: Tables, solve: object) -> dict[str, Any]:
        """Compare the optima."""
        del solve
        return {"optimum": {"original": self.optimum(original), "released": self.optimum(released)}}

    def drawing(self, content: Tables) -> Drawing:
        """Return the graph and the values; the viewer finds places for the nodes."""
        public, values, _ = self.standing(content)
        unknown = np.full(len(public.node_ids), np.nan)
        return Drawing(
            nodes=public.node_ids,
            x=unknown,
            y=unknown,
            edges=np.arange(1, len(public.ends) + 1),
            ends=public.ends,
            directed=False,
            on="node",
            at=public.at,
            values=values,
            unit=self.values.unit,
            node_word=self.node_word,
            edge_word=self.edge_word,
            element_word=self.element,
        )

    # -- what a kind may leave out -------------------------------------------------------------

    def cases(self) -> Iterator[dict[str, Any]]:
        """There are no built-in cases."""
        return iter(())

    def chosen(self, choices: Mapping[str, str], content: Tables) -> SimpleKind:
        """There is nothing to choose."""
        del choices, content
        return self

    def holds(self, content: Tables) -> bool:
        """There are no choices that could change the problem."""
        del content
        return True

    def check_figure(self, public: PublicPart, figure: float, beta: float) -> None:
        """Let the certificate judge."""
        del public, figure, beta

    def figure_reach(self, policy: Policy) -> Fraction | None:
        """There is no private figure."""
        del policy
        return None

    def figure_width(
        self, public: PublicPart, secret: Secret, guarantee: Guarantee, beta: float
    ) -> float:
        """Refuse a private figure, before anything is spent."""
        del public, secret, guarantee, beta
        self._lacks("--cost-epsilon", "declare the figure by --cost-figure")

    def private_figure(
        self, public: PublicPart, secret: Secret, guarantee: Guarantee, noise: NoiseSource
    ) -> float:
        """Refuse a private figure."""
        del public, secret, guarantee, noise
        self._lacks("--cost-epsilon", "declare the figure by --cost-figure")

    def surrogate(self, public: PublicPart, seed: int) -> NoReturn:
        """Refuse to try parameters."""
        del public, seed
        self._lacks("a made-up network", "choose the parameters yourself")

    def _lacks(self, what: str, remedy: str) -> NoReturn:
        """Say what this kind leaves out."""
        raise UsageError(f"{what}: {self.name} networks bring none; {remedy}")

    def notes(self, content: Tables) -> tuple[str, ...]:
        """Nothing was left out."""
        del content
        return ()

    def given_away(self, content: Tables, policy: Policy) -> Iterator[str]:
        """Nothing is known to be given away."""
        del content, policy
        return iter(())

    def answers(
        self, public: PublicPart, content: Tables, solve: object = None
    ) -> Mapping[str, Floats]:
        """Readers are told the optimum alone."""
        del public, content, solve
        return {}


def _matched(theirs: Ints, found: Floats, ours: Ints) -> Floats:
    """Return what a network with other sites has at ours, the first of a node; NaN at none."""
    at = np.minimum(np.searchsorted(theirs, ours), len(theirs) - 1)
    return np.where(theirs[at] == ours, found[at], np.nan)
