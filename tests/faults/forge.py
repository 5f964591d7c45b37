# SPDX-License-Identifier: MIT
"""Commands in processes of their own, a thousand of them in the time of a few starts.

A child is a fork of one process that has imported everything, so that it can be killed, starved or
held back at any step, and its memory and time be measured.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ANVIL = Path(__file__).with_name("anvil.py")
MB = 2**20


@dataclass(frozen=True)
class Ended:
    """How a child ended: a negative code is a signal.

    ``peak`` is the most memory that it held, ``mapped`` the addresses it began with, in bytes.
    """

    code: int
    out: str
    err: str
    seconds: float
    peak: int
    hung: bool
    mapped: int


class Forge:
    """The process that forks, as long as a test module lasts."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        quiet = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "NUMBA")}
        self.anvil = subprocess.Popen(
            [sys.executable, str(ANVIL)],
            env=os.environ | quiet | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        *words: str | Path,
        at: Path,
        fault: str = "",
        arguments: Sequence[object] = (),
        memory: int = 0,
        seconds: float = 60.0,
    ) -> Ended:
        """Run a command line in a folder; ``fault`` names a function of ``hooks``."""
        out, err = self.folder / "out", self.folder / "err"
        asked = {
            "words": [str(word) for word in words],
            "folder": str(at),
            "out": str(out),
            "err": str(err),
            "fault": fault,
            "arguments": list(arguments),
            "environment": {name: str(self.folder) for name in ("HOME", "XDG_STATE_HOME")},
            "memory": memory,
            "seconds": seconds,
        }
        assert self.anvil.stdin
        assert self.anvil.stdout
        self.anvil.stdin.write(json.dumps(asked) + "\n")
        self.anvil.stdin.flush()
        told = json.loads(self.anvil.stdout.readline())
        return Ended(out=out.read_text("utf-8"), err=err.read_text("utf-8"), **told)

    def close(self) -> None:
        """End it."""
        assert self.anvil.stdin
        self.anvil.stdin.close()
        self.anvil.wait(20)
        assert self.anvil.stdout
        self.anvil.stdout.close()
