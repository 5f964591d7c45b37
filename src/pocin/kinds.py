# SPDX-License-Identifier: MIT
"""What a kind of network brings, so that one flow releases them all.

A kind is a folder with an object that answers ``Kind``; further packages may register theirs as
entry points of the group ``pocin.kinds``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pocin.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from pocin.arrays import Floats, Ints
    from pocin.policy import Policy, PolicyBook
    from pocin.privacy.draws import Draws
    from pocin.privacy.guarantee import Guarantee
    from pocin.privacy.metric import Hops
    from pocin.privacy.noise import NoiseSource
    from pocin.privacy.secret import Secret
    from pocin.privacy.value import ValueGrid
    from pocin.targets import Target

BUILT_IN = ("pocin.power.kind:POWER", "pocin.roads.kind:ROADS")

STATEMENT, RECORD = "release.json", "curator.json"
"""What the public statement and the curator's record are called, after the network's own name."""

Document = dict[str, bytes]
"""The files of a release by their names inside it; a lone file has the name ''."""

Choices = tuple[tuple[str, str], ...]
"""What is chosen for one kind of network only, by the flags' names: (("reading", "total"),)."""


@dataclass(frozen=True, eq=False)
class Network:
    """A network that was read: its kind, its content, and a published figure where it has one."""

    kind: Kind
    content: Any = field(repr=False)
    name: str
    published: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Goal:
    """What a release must reach: its own optimum within ``beta`` of ``figure``."""

    figure: float
    beta: float
    time_limit: float | None = None

    def gap(self, cost: float) -> float:
        """Return (cost - O*) / O*."""
        return (cost - self.figure) / self.figure

    def met_by(self, cost: float) -> bool:
        """Return whether a cost is faithful."""
        return abs(self.gap(cost)) <= self.beta

    def told(self, cost: float) -> str:
        """Say how far an own optimum is off the figure."""
        gap = 100 * self.gap(cost)
        side = "above" if gap > 0 else "below"
        return f"its own optimum is {abs(gap):.3g} % {side} the cost figure"


@dataclass(frozen=True)
class Solved:
    """The optimum that a reader finds: None, with the reason, where there is none.

    ``needs`` is the option that their solver needs beside its defaults, if it does.
    """

    cost: float | None
    reason: str
    seconds: float
    needs: str = ""


@dataclass(frozen=True)
class Certificate:
    """The reader's own optimum on the written bytes, and the kind's own account of the solve.

    ``needs`` is the option that their solver needs beside its defaults, if it does.
    """

    own_optimum: float | None
    within: bool
    reason: str
    seconds: float
    solve: Any = field(default=None, repr=False)
    needs: str = ""


@dataclass(frozen=True, eq=False)
class Finished:
    """What phase 3 and the certificate made of the draws.

    ``bilevel`` says how (``certified``, ``tightened``, ``reassigned`` or ``failed``); ``record``
    names the record at each site; ``noisy`` and ``released`` are the values at the sites before
    and after; ``reason`` says why it failed.
    """

    content: Any = field(repr=False)
    document: Document = field(repr=False)
    certificate: Certificate
    bilevel: str
    record: Ints = field(repr=False)
    noisy: Any = field(repr=False)
    released: Any = field(repr=False)
    distance: float
    bound: float | None
    reason: str
    seconds: Mapping[str, float]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Exposure:
    """What a released network shows beside the original, one row a site, for the audit.

    ``released`` are the values that stand at the sites, NaN where a site is missing; ``standing``
    the columns by which sites could be ranked without the noise: what the release left as it was
    and what the public part tells; ``site_marks`` what marks a site and ``element_marks`` what
    travels with an element unchanged.
    """

    released: Floats
    standing: Mapping[str, Floats]
    site_marks: Floats
    element_marks: Floats


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a map shows of a network: nodes, edges, and what stands at the sites.

    ``nodes`` and ``edges`` are public ids, ``ends`` positions of nodes; ``x`` and ``y`` are NaN
    where unknown. Site i is number ``at[i]`` of the nodes or the edges, as ``on`` says; words and
    the unit are for people.
    """

    nodes: Ints
    x: Floats
    y: Floats
    edges: Ints
    ends: Ints
    directed: bool
    on: Literal["node", "edge"]
    at: Ints
    values: Floats
    unit: str
    node_word: str
    edge_word: str
    element_word: str


class Public(Protocol):
    """The public part, as far as the shared flow asks."""

    @property
    def site_ids(self) -> Ints:
        """The public id of every site's node or edge, in the order of the sites."""

    @property
    def metric(self) -> Hops:
        """Hops between the sites."""

    @property
    def node_count(self) -> int:
        """Number of nodes that are connected."""

    @property
    def policy(self) -> Policy:
        """The policy that it was cut by."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What a release says of how its numbers are to be read."""


class Kind(Protocol):
    """A kind of network, under its choices: how it is read, cut, solved, restored and written.

    ``choices`` names the flags that are this kind's own; ``folder`` says whether a release of it
    is a folder, which then holds its public statement too; ``suffix`` is how a file's name ends;
    ``attacks`` names the flags of attacks that are this kind's own.
    ``compared`` is the number of nodes up to which a reader's view is made with every release,
    ``attacked`` that up to which an attack is.
    """

    name: str
    formats: str
    folder: bool
    compared: int
    attacked: int
    suffix: str
    choices: tuple[str, ...]
    attacks: tuple[str, ...]
    book: PolicyBook
    values: ValueGrid
    default_alpha_value: str

    @property
    def fixed(self) -> str:
        """What the guarantee holds fixed of the public part, in words."""

    @property
    def problem(self) -> str:
        """The problem that readers solve, in words."""

    @property
    def disclosed(self) -> tuple[str, ...]:
        """What its choices disclose exactly of the secret, in words."""

    @property
    def figure(self) -> float | None:
        """The cost figure that its choices bring, where they do; ``disclosed`` says of what."""

    def cases(self) -> Iterator[dict[str, Any]]:
        """Yield the built-in cases: name, title, published figure, and sizes as whole numbers."""

    def claims(self, source: str | Path) -> bool:
        """Return whether a source looks like this kind."""

    def read(self, source: str | Path, costs: Path | None) -> tuple[Any, float | None]:
        """Return the content of a source, and its published figure or None."""

    def chosen(self, choices: Mapping[str, str], content: Any) -> Kind:
        """Return this kind under some choices, made concrete on a network.

        What a choice computes from the network it computes once, and it stays: a kind that was
        chosen before is returned as it is, so that another truth meets the same disclosures.
        """

    def holds(self, content: Any) -> bool:
        """Return whether a network's published figure holds under these choices."""

    def solve(self, content: Any) -> Solved:
        """Solve the problem as a reader would."""

    def split(self, content: Any, policy: Policy, only: Path | None) -> tuple[Any, Secret]:
        """Return the public and the secret part."""

    def amount(self, text: str, content: Any) -> Fraction:
        """Read a value change such as ``10MW`` in the unit of the values."""

    def ledger_key(self, content: Any) -> str:
        """Return a digest of topology and sites only."""

    def check_figure(self, public: Any, figure: float, beta: float) -> None:
        """Refuse a figure that no draws could meet, by public numbers alone, before the spend."""

    def figure_reach(self, policy: Policy) -> Fraction | None:
        """Return the value change that costs a private figure's epsilon, as any swap then does.

        None where places play no part in it and alpha-value is that change.
        """

    def figure_width(self, public: Any, secret: Secret, guarantee: Guarantee, beta: float) -> float:
        """Return what the noise of a private figure stays within 19 times in 20, or refuse it."""

    def private_figure(
        self, public: Any, secret: Secret, guarantee: Guarantee, noise: NoiseSource
    ) -> float:
        """Return a cost figure that spends the guarantee's epsilon for it."""

    def finish(
        self,
        public: Any,
        draws: Draws,
        goal: Goal,
        document: Callable[[Any], Document],
        say: Callable[[str], None],
    ) -> Finished:
        """Restore and certify. Sees the public part, the draws and the goal only."""

    def unrestored(self, public: Any, draws: Draws) -> Any:
        """Return the network of the draws as they fell, without phase 3, for studies."""

    def write(self, content: Any, header: tuple[str, ...]) -> Document:
        """Return the bytes of a release's files."""

    def notes(self, content: Any) -> tuple[str, ...]:
        """Return what the reader met and left out, in sentences."""

    def twins(self, content: Any, policy: Policy, only: Path | None) -> Iterator[tuple[str, Any]]:
        """Yield networks with the same public part and another secret, and what was changed."""

    def exposure(self, public: Any, secret: Secret, original: Any, released: Any) -> Exposure:
        """Return what a released network, of pocin's or not, shows at the original's sites."""

    def leaks(
        self, source: str, original: Any, released: Any, document: Document, policy: Policy
    ) -> tuple[str, ...]:
        """Return what of the source is left in a released file and should not be, in sentences."""

    def given_away(self, content: Any, policy: Policy) -> Iterator[str]:
        """Yield what a policy gives away before any noise, for the curator, in sentences."""

    def target(self, content: Any, name: str, attack: Mapping[str, str]) -> Target:
        """Return a real network as attackers meet it, for the curator."""

    def reader_view(self, original: Any, released: Any, solve: Any) -> dict[str, Any]:
        """Return how readers' answers on both compare, for the curator.

        ``solve`` is the certificate's account of the released network.
        """

    def surrogate(self, public: Any, seed: int) -> Any:
        """Return a network with this public part and made-up values, by public rules and a seed.

        What parameters are tried on: a trial on the real network would make the choice leak.
        """

    def drawing(self, content: Any) -> Drawing:
        """Return what a map shows of a network."""

    def answers(self, public: Any, content: Any, solve: Any = None) -> Mapping[str, Floats]:
        """Return what the optimum on a network tells its readers, by name and in public order.

        The original and its releases share that order; nothing where there is no optimum.
        """


def statement_of(network: Path, kind: Kind) -> Path:
    """Return where the public statement stands: in a folder, or beside a file."""
    return network / STATEMENT if kind.folder else network.with_name(f"{network.name}.{STATEMENT}")


def record_of(network: Path) -> Path:
    """Return where the curator's record stands: beside the network, never in it."""
    return network.with_name(f"{network.name}.{RECORD}")


def chosen(network: Network, choices: Choices) -> Network:
    """Return a network under the choices of its kind; refuse those of another kind."""
    refuse_others(network, choices, lambda kind: kind.choices)
    return replace(network, kind=network.kind.chosen(dict(choices), network.content))


def refuse_others(network: Network, given: Choices, own: Callable[[Kind], Sequence[str]]) -> None:
    """Refuse a flag that is not among those that a network's kind has for its own."""
    for name, _ in given:
        if name not in own(network.kind):
            owners = " and ".join(kind.name for kind in kinds() if name in own(kind))
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag}: is for {owners or 'no kind of network'}, and {network.name} is "
                f"{network.kind.name}; leave it out"
            )


@cache
def kinds() -> tuple[Kind, ...]:
    """Return the kinds that are installed."""
    found = []
    for name in BUILT_IN:
        module, _, attribute = name.partition(":")
        found.append(getattr(import_module(module), attribute))
    found += [entry.load() for entry in entry_points(group="pocin.kinds")]
    return tuple(found)


def kind_of(source: str | Path) -> Kind:
    """Return the kind that claims a source."""
    for kind in kinds():
        if kind.claims(source):
            return kind
    if not Path(source).exists():
        names = [str(case["name"]) for kind in kinds() for case in kind.cases()]
        near = " or ".join(get_close_matches(str(source), names, n=2))
        remedy = f"did you mean {near}?" if near else "check the path, or see pocin cases"
        raise InputError(
            f"{source}: there is no such file and no built-in case of this name; {remedy}"
        )
    formats = "; ".join(f"{kind.name}: {kind.formats}" for kind in kinds())
    raise InputError(f"{source}: is none of the networks that pocin reads ({formats}); name one")
