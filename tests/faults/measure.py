# SPDX-License-Identifier: MIT
"""``python -m tests.faults.measure``: what the catalogue of hostile files costs, as a table."""

import shutil
import sys
import tempfile
from pathlib import Path

from tests.faults.forge import MB, Forge
from tests.faults.hostile import CATALOGUE


def main() -> None:
    """Print the dearest files, and the most that any took."""
    folder = Path(tempfile.mkdtemp())
    forge = Forge(folder)
    base = forge.run("--version", at=folder).peak
    rows = []
    for number, (name, hostile) in enumerate(CATALOGUE.items()):
        desk = folder / str(number)
        hostile.put(desk)
        fault = "water" if name.startswith("water") else "offline"
        ended = forge.run(*hostile.words, at=desk, fault=fault, memory=4096 * MB)
        rows.append((max(0, ended.peak - base) / MB, ended.seconds, ended.code, name))
        shutil.rmtree(desk)
    forge.close()
    shutil.rmtree(folder)
    codes = [code for *_, code, _ in rows]
    told = {code: codes.count(code) for code in sorted(set(codes))}
    sys.stdout.write(f"{len(rows)} files; exit codes {told}; before any file {base / MB:.0f} MB\n")
    for peak, seconds, code, name in sorted(rows, reverse=True)[:8]:
        sys.stdout.write(f"{name}: {peak:.0f} MB more, {seconds:.1f} s, exit {code}\n")
    slowest = max(rows, key=lambda row: row[1])
    sys.stdout.write(f"slowest: {slowest[3]}, {slowest[1]:.1f} s\n")


if __name__ == "__main__":
    main()
