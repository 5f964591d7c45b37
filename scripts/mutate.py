# SPDX-License-Identifier: MIT
"""Mutation testing of `pocin.privacy`: change the code in every way mutmut knows, run its tests.

mutmut makes the mutants. This only runs them: mutmut itself leaves out all that is decorated or
stands outside a function, which here is every compiled loop, every property and all constants. A
mutant costs one fork of a process that has read the libraries, and the tests of its own module.

    python scripts/mutate.py [MODULE ...] [--jobs 2] [--log build/mutation.txt]

Exit code 1 where fewer than 95 % were killed. The tests are run as they stand but for three things:
hypothesis tries fewer examples, and always the same; numba compiles nothing; and the tests named in
`SLOW`, which need it to be quick, are left out.
"""

from __future__ import annotations

import argparse
import difflib
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/pocin/privacy")
ENOUGH = 0.95
EXAMPLES = 25
GRACE, SLOWER = 1.0, 4.0  # a test may take 1 s more than 4 times what it takes, of the processor
BROKEN = 3  # and above: exit codes of pytest that say nothing of the tests
WAIT = 60.0  # and all of them so many seconds by the clock: a mutant may sleep for ever

MORE = {
    "draws": ["location"],
    "location": ["transport"],
    "metric": ["transport"],
    "mincost": ["transport"],
    "rounds": ["proposals"],
    "search": ["metric"],
    "secret": ["location"],
}
"""Whose tests a module's mutants meet, beside its own."""

SLOW = "not test_draws_fit_the_law and not processes_at_once and not killed_at"
WORDS = [
    *("-x", "-q", "--tb=short", "--noconftest", "-k", SLOW),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # hypothesis is there already
    *("-p", "no:cacheprovider", "-p", "no:unraisableexception", "-p", "no:threadexception"),
]
LIBRARIES = ("networkx", "numba", "opendp.prelude", "scipy.optimize", "scipy.stats", "sqlite3")


class Mutant(NamedTuple):
    """A changed module, and where it differs; the module as it stands has no difference."""

    module: str
    code: str
    change: str = ""


class Everywhere(MutationVisitor):
    """mutmut's visitor, which goes into decorated functions too: nothing here is registered."""

    def _skip_node_and_children(self, node: cst.CSTNode) -> bool:
        return not isinstance(node, cst.FunctionDef) and super()._skip_node_and_children(node)


def mutants(module: str, code: str) -> Iterator[Mutant]:
    """Make every mutant of a module once."""
    visitor = Everywhere(mutation_operators, IgnoredCode(set(), set(), set()))
    tree = MetadataWrapper(cst.parse_module(code)).visit(visitor)
    seen = {code}
    for mutation in visitor.mutations:
        replaced = tree.deep_replace(mutation.original_node, mutation.mutated_node)
        changed = cst.ensure_type(replaced, cst.Module).code
        if changed not in seen:
            seen.add(changed)
            yield Mutant(module, changed, f"{module}:{difference(code, changed)}")


def difference(before: str, after: str) -> str:
    """Return the first line that differs, and what became of it."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm=""))
    number = lines[2].split()[1].lstrip("-").partition(",")[0]
    shown = (f"[{line[0]}] {line[1:].strip()}" for line in lines[3:] if line[0] in "-+")
    return f"{number}: {' '.join(shown)}"


class Brief:
    """A pytest plugin: few examples, always the same, and an end to tests that loop."""

    def __init__(self, times: Path) -> None:
        """Read what each test takes, or, where that is not known yet, take it down."""
        self.times = times
        self.known: dict[str, float] = (
            json.loads(times.read_text("utf-8")) if times.exists() else {}
        )
        self.found: dict[str, float] = {}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Put the quickest tests first, and override the settings of those by hypothesis."""
        from hypothesis import HealthCheck, Phase, settings

        if self.known:
            items.sort(key=lambda item: self.known.get(item.nodeid, 0.0))
        for test in (item.obj for item in items):
            own = getattr(test, "_hypothesis_internal_use_settings", None)
            if own is not None:
                test._hypothesis_internal_use_settings = settings(  # noqa: SLF001
                    own,
                    max_examples=min(own.max_examples, EXAMPLES),
                    derandomize=True,
                    database=None,
                    deadline=None,
                    phases=(Phase.explicit, Phase.generate),
                    suppress_health_check=list(HealthCheck),
                )

    def pytest_runtest_setup(self, item: Any) -> None:
        """Start the processor's clock, whose alarm ends the process."""
        self.found[item.nodeid] = time.process_time()
        if self.known:
            signal.setitimer(signal.ITIMER_PROF, GRACE + SLOWER * self.known[item.nodeid])

    def pytest_runtest_teardown(self, item: Any) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        self.found[item.nodeid] = time.process_time() - self.found[item.nodeid]

    def pytest_sessionfinish(self) -> None:
        """Keep the times of the first run."""
        if not self.known:
            self.times.write_text(json.dumps(self.found), "utf-8")


def start(mutant: Mutant, slot: Path) -> int:
    """Write a mutant into a copy of the tree, and fork a process that runs its tests there."""
    path = slot / PACKAGE / f"{mutant.module}.py"
    path.write_text(mutant.code, "utf-8")
    for stale in path.parent.glob(f"__pycache__/{mutant.module}.*.pyc"):
        stale.unlink()
    if pid := os.fork():
        return pid
    os.setsid()
    os.chdir(slot)
    out = os.open(f"{mutant.module}.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    for number in (1, 2):
        os.dup2(out, number)
    sys.path.insert(0, str(slot / "src"))
    os.environ["PYTHONPATH"] = str(slot / "src")
    names = (mutant.module, *MORE.get(mutant.module, ()))
    code = BROKEN
    try:
        plugin = Brief(slot / f"{mutant.module}.json")
        tests = [str(p) for name in names for p in Path("tests/privacy").glob(f"test_{name}.py")]
        code = int(import_module("pytest").main([*WORDS, *tests], plugins=[plugin]))
    except BaseException as error:  # noqa: BLE001  (this process must not come back)
        print(repr(error))
    sys.stdout.flush()
    os._exit(code)


def run(module: str, code: str, slots: list[Path]) -> Iterator[tuple[str, Mutant]]:
    """Yield every mutant of a module with what became of it: killed, survived or timeout."""
    waiting, free = mutants(module, code), list(slots)
    running: dict[int, tuple[Mutant, Path, float]] = {}
    while True:
        while free and (mutant := next(waiting, None)):
            slot = free.pop()
            running[start(mutant, slot)] = mutant, slot, time.monotonic() + WAIT
        if not running:
            break
        time.sleep(0.005)
        for pid, (mutant, slot, until) in list(running.items()):
            if time.monotonic() > until:
                os.killpg(pid, signal.SIGKILL)
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                del running[pid]
                free.append(slot)
                yield verdict(status), mutant
    for slot in slots:
        (slot / PACKAGE / f"{module}.py").write_text(code, "utf-8")


def verdict(status: int) -> str:
    """Say what a process's end means: where pytest itself failed, nothing was tried."""
    if os.WIFSIGNALED(status):
        looped = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGKILL)
        return "timeout" if looped else "killed"
    if os.WEXITSTATUS(status) >= BROKEN:
        sys.exit(f"pytest ended with exit code {os.WEXITSTATUS(status)}: that is no verdict")
    return "killed" if status else "survived"


def warm(folder: Path) -> None:
    """Read the libraries once for all, pytest's plugins too."""
    for name in LIBRARIES:
        import_module(name)
    test = folder / "test_nothing.py"
    given = "from hypothesis import given, strategies\n@given(strategies.none())\n"
    test.write_text(f"{given}def test_nothing(_): pass\n", "utf-8")
    with redirect_stdout(StringIO()):
        import_module("pytest").main([*WORDS, f"--rootdir={folder}", "-c", os.devnull, str(test)])
    gc.freeze()


def copies(folder: Path, count: int, modules: list[str]) -> list[Path]:
    """Copy the tree, run the tests there without a mutant, and return copies of it."""
    first, *others = slots = [folder / str(number) for number in range(count)]
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, first / part)
    shutil.copy(ROOT / "pyproject.toml", first)
    running: dict[int, str] = {}
    for module in [*modules, *[""] * count]:
        if len(running) == count or (running and not module):
            pid, status = os.wait()
            if status:
                said = (first / f"{running[pid]}.txt").read_text("utf-8")
                sys.exit(f"{running[pid]} fails as it stands:\n{said}")
            del running[pid]
        if module:
            code = (first / PACKAGE / f"{module}.py").read_text("utf-8")
            running[start(Mutant(module, code), first)] = module
    for slot in others:
        shutil.copytree(first, slot)
    return slots


def main() -> None:
    """Run the mutants; print how many were killed, and write down the others."""
    every = sorted(path.stem for path in (ROOT / PACKAGE).glob("[!_]*.py"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=" ".join(every))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--log", type=Path, default=ROOT / "build" / "mutation.txt")
    asked = parser.parse_args()
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    total = {"killed": 0, "timeout": 0, "survived": 0}
    asked.log.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, asked.log.open("w", encoding="utf-8") as log:
        warm(Path(folder))
        slots = copies(Path(folder), asked.jobs, asked.modules or every)
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        for module in asked.modules or every:
            begin, count = time.monotonic(), dict.fromkeys(total, 0)
            code = (slots[0] / PACKAGE / f"{module}.py").read_text("utf-8")
            for word, mutant in run(module, code, slots):
                count[word] += 1
                total[word] += 1
                if word != "killed":
                    print(word, mutant.change, file=log, flush=True)
            print(f"{module:12}", count, f"{time.monotonic() - begin:.0f} s", flush=True)
    share = 1 - total["survived"] / max(1, sum(total.values()))
    print(f"{'all':12}", total, f"{share:.1%} killed or looping")
    sys.exit(share < ENOUGH)


if __name__ == "__main__":
    main()
