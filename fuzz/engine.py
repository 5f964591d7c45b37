# SPDX-License-Identifier: MIT
"""One process of atheris: runs one target, counts, and keeps what is at fault.

A fault does not end the run: its input is kept, once for each place of the code that raised it, and
the search goes on. A hang does: libFuzzer ends the process and keeps the input.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import atheris  # type: ignore[import-untyped, unused-ignore]

from fuzz.mutate import Mutator
from fuzz.targets import corpus, target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EVERY = 10_000
_TIMEOUT, _MEGABYTES, _LONGEST, _DEPTH = 20, 4096, 12_000, 2
MODULES = (
    "pocin.cli", "pocin.kinds", "pocin.policy", "pocin.power.checks", "pocin.power.costs",
    "pocin.power.formats", "pocin.power.matpower", "pocin.power.mfile", "pocin.power.pandapower",
    "pocin.power.raw", "pocin.privacy.settings", "pocin.roads.about", "pocin.roads.checks",
    "pocin.roads.files", "pocin.roads.gmns", "pocin.roads.graphml", "pocin.roads.tables",
    "pocin.roads.tntp", "pocin.simple.tables", "pocin.sources",
)  # fmt: skip
"""Where coverage is counted: what reads, and no library, for counting takes time."""


def fuzz(name: str, runs: int, folder: Path, seed: int) -> None:
    """Run a target until it has run so often; ``folder`` takes counts, faults and the corpus."""
    warnings.simplefilter("error")
    with atheris.instrument_imports(include=list(MODULES)):
        under_test = target(name)
        from fuzz.judge import judge
    seeds = corpus(name)
    mutator, tally = Mutator(list(seeds.values()), under_test), Tally(folder, runs)
    if tally.left <= 0:
        return

    def once(data: bytes) -> None:
        try:
            outcome = judge(under_test, data)
        except Exception as error:  # noqa: BLE001  (a fault is whatever is raised)
            tally.fault(data, error)
        else:
            tally.count(reached=outcome.reached, built=outcome.built)

    def mutated(data: bytes, size: int, number: int) -> bytes:
        return mutator(data, size, number, atheris.Mutate)

    options = {
        "runs": tally.left, "seed": seed + tally.counts["executions"], "timeout": _TIMEOUT,
        "rss_limit_mb": _MEGABYTES, "dict": _dictionary(folder, under_test.words),
        "max_len": _LONGEST, "len_control": 0, "mutate_depth": _DEPTH, "print_final_stats": 1,
        "artifact_prefix": f"{folder}/stopped-", "reload": 0,
    }  # fmt: skip
    words = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], *words, *_places(folder, seeds)], once, custom_mutator=mutated)
    atheris.Fuzz()


def _dictionary(folder: Path, words: Sequence[str]) -> Path:
    """Write a format's words as libFuzzer reads them."""
    path = folder / "words"
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words if word)
    path.write_text("".join(f'"{word}"\n' for word in quoted), "ascii")
    return path


def _places(folder: Path, seeds: Mapping[str, bytes]) -> list[str]:
    """Return the folder that the corpus grows in, and that of the valid inputs."""
    grown, first = folder / "grown", folder / "seeds"
    for place in (grown, first):
        place.mkdir(exist_ok=True)
    for stem, data in seeds.items():
        (first / stem).write_bytes(data)
    return [str(grown), str(first)]


class Tally:
    """Counts, written to ``counts.json`` now and then and at the end; a later run goes on there."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.file, self.runs = folder / "counts.json", runs
        self.counts: Counter[str] = Counter()
        self.places: Counter[str] = Counter()
        self.before = 0.0
        if self.file.exists():
            held = json.loads(self.file.read_text("utf-8"))
            self.places.update(held.pop("places"))
            self.before = held.pop("seconds")
            self.counts.update(held)
        self.began = process_time()

    @property
    def left(self) -> int:
        """How many executions are left."""
        return self.runs - self.counts["executions"]

    def count(self, *, reached: bool, built: bool) -> None:
        """Count an execution that kept every promise."""
        self.counts["reached"] += reached
        self.counts["built" if built else "refused"] += 1
        self._next()

    def fault(self, data: bytes, error: Exception) -> None:
        """Keep an input that is at fault, the first of its place."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "pocin" in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {type(error).__name__}"
        self.places[place] += 1
        if self.places[place] == 1:
            path = self.file.with_name(f"fault-{len(self.places)}.case")
            path.write_bytes(data)
            told = "".join(traceback.format_exception(error))
            path.with_suffix(".txt").write_text(told, "utf-8", errors="backslashreplace")
        self.counts["faulty"] += 1
        self._next()

    def _next(self) -> None:
        """Count, and write the counts now and then."""
        self.counts["executions"] += 1
        if self.counts["executions"] % _EVERY == 0 or not self.left:
            seconds = round(self.before + process_time() - self.began, 1)
            kept = {**self.counts, "seconds": seconds, "places": dict(self.places)}
            self.file.write_text(json.dumps(kept, indent=1), "utf-8")


if __name__ == "__main__":
    fuzz(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
