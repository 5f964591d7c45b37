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

import atheris

from fuzz.mutate import Mutator
from fuzz.targets import corpus, target

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
    """Run a target this many times; ``folder`` takes counts, faults and what covers more."""
    warnings.simplefilter("error")
    with atheris.instrument_imports(include=list(MODULES)):
        under_test = target(name)
        from fuzz.judge import Target, judge
    assert isinstance(under_test, Target)
    seeds = corpus(name)
    mutator = Mutator(list(seeds.values()), under_test)
    tally = Tally(folder, runs)
    grown, first = folder / "grown", folder / "seeds"
    for place in (grown, first):
        place.mkdir(exist_ok=True)
    for stem, data in seeds.items():
        (first / stem).write_bytes(data)
    dictionary = folder / "words"
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in under_test.words)
    dictionary.write_text("".join(f'"{word}"\n' for word in quoted if word), "ascii")

    def once(data: bytes) -> None:
        try:
            outcome = judge(under_test, data)
        except Exception as error:  # noqa: BLE001  (a fault is whatever is raised)
            tally.fault(data, error)
        else:
            tally.count(reached=outcome.reached, code=outcome.code)

    def mutated(data: bytes, size: int, number: int) -> bytes:
        return mutator(data, size, number, atheris.Mutate)

    options = {
        "runs": runs, "seed": seed, "timeout": _TIMEOUT, "rss_limit_mb": _MEGABYTES, "dict": dictionary,
        "max_len": _LONGEST, "len_control": 0, "mutate_depth": _DEPTH, "print_final_stats": 1,
        "artifact_prefix": f"{folder}/stopped-", "reload": 0,
    }  # fmt: skip
    words = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], *words, str(grown), str(first)], once, custom_mutator=mutated)
    atheris.Fuzz()


class Tally:
    """Counts, written to ``counts.json`` now and then and at the end."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder, self.runs = folder, runs
        self.counts: Counter[str] = Counter()
        self.places: Counter[str] = Counter()
        self.began = process_time()

    def count(self, *, reached: bool, code: int) -> None:
        """Count an execution that kept every promise."""
        self.counts["reached"] += reached
        self.counts["built" if code == 0 else "refused"] += 1
        self._next()

    def fault(self, data: bytes, error: Exception) -> None:
        """Keep an input that is at fault, the first of its place."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "pocin" in frame.filename] or frames
        place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno} {type(error).__name__}"
        self.places[place] += 1
        if self.places[place] == 1:
            stem = f"fault-{len(self.places)}"
            (self.folder / f"{stem}.case").write_bytes(data)
            told = "".join(traceback.format_exception(error))
            (self.folder / f"{stem}.txt").write_text(told, "utf-8", errors="backslashreplace")
        self.counts["faulty"] += 1
        self._next()

    def _next(self) -> None:
        """Count, and write the counts now and then."""
        self.counts["executions"] += 1
        done = self.counts["executions"]
        if done % _EVERY == 0 or done == self.runs:
            seconds = process_time() - self.began
            kept = {**self.counts, "seconds": round(seconds, 1), "places": dict(self.places)}
            (self.folder / "counts.json").write_text(json.dumps(kept, indent=1), "utf-8")


if __name__ == "__main__":
    fuzz(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
