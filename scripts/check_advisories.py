# SPDX-License-Identifier: MIT
"""Ask the advisory services whether a pinned package has a known fault.

    python scripts/check_advisories.py [requirements/run.txt ...]

Exit code 1 where one has. Where no service can be reached, or knows none of the packages (behind a
mirror, without a network), it says so and ends with 0: nothing was found is not nothing is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SERVICES = ("pypi", "osv")
SECONDS = 300


def main(locks: list[str]) -> int:
    """Check every lock; all of them by default."""
    paths = [Path(lock) for lock in locks] or sorted((ROOT / "requirements").glob("*.txt"))
    return max(_check(path) for path in paths)


def _check(lock: Path) -> int:
    """Print what is known of a lock's packages."""
    for service in SERVICES:
        packages = _audited(lock, service)
        known = [package for package in packages if "vulns" in package]
        if known:
            break
    else:
        print(f"{lock.name}: not checked: no advisory service answers from here")
        return 0
    faulty = [package for package in known if package["vulns"]]
    left = len(packages) - len(known)
    beside = f", {left} not known to {service}" if left else ""
    print(f"{lock.name}: {len(known)} packages checked by {service}{beside}, {len(faulty)} faulty")
    for package in faulty:
        for fault in package["vulns"]:
            mended = ", ".join(fault["fix_versions"]) or "no release yet"
            print(f"  {package['name']} {package['version']}: {fault['id']}; mended in {mended}")
    return int(bool(faulty))


def _audited(lock: Path, service: str) -> list[dict[str, Any]]:
    """Return what pip-audit says of each package; nothing where it cannot ask."""
    words = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    words += ["--vulnerability-service", service, "--requirement", str(lock)]
    try:
        ended = subprocess.run(  # noqa: S603  (our own words)
            [sys.executable, "-m", "pip_audit", *words],
            check=False,
            capture_output=True,
            timeout=SECONDS,
        )
        return list(json.loads(ended.stdout)["dependencies"])
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
