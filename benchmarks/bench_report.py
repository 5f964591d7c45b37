# SPDX-License-Identifier: MIT
"""Pages of large networks: how big they are, how long they take to make, and to answer.

    OMP_NUM_THREADS=1 python benchmarks/bench_report.py

A grid of 10,200 buses (34 copies of ieee300, its units shuffled) and a made city of 17,000 links,
seen by headless Chromium as the curator's page. Seconds to make are of this process; "ready" is
from the start of the navigation until the map was painted, "zoom" the longest of 20 repaints.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import process_time

from tables import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.browser import chromium, missing
from tests.report.large import large_release

import pocin
from pocin.report.private import curator_page
from pocin.report.released import read_released
from pocin.roads.city import make_city

ZOOM = """
const done = arguments[0], view = document.querySelector(".view"), spent = [];
view.focus();
const step = (left) => {
  if (!left) { done(Math.max(...spent)); return; }
  const began = performance.now();
  view.dispatchEvent(new KeyboardEvent("keydown", { key: left % 2 ? "-" : "+", bubbles: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => {
    spent.push(performance.now() - began);
    step(left - 1);
  }));
};
step(20);
"""


def city(folder: Path) -> Path:
    """Release a made city for research."""
    network = pocin.read("siouxfalls")
    roads = make_city(17_000, 8_000, 1)
    made = pocin.Network(network.kind, roads, "made city")
    pocin.write(pocin.release(made, seed=1), folder / "city")
    return folder / "city"


def main() -> None:
    """Print the table."""
    rows = []
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        for title, release in (("grid", large_release(folder)), ("city", city(folder))):
            began = process_time()
            page = folder / f"{title}.html"
            page.write_text(curator_page([read_released(release)]), "utf-8")
            spent = process_time() - began
            browser.open(page)
            ready = browser.run("Number(document.documentElement.dataset.ready)") / 1000
            zoom = browser.driver.execute_async_script(ZOOM) / 1000
            size = page.stat().st_size / 1e6
            rows.append([title, f"{size:.2f}", f"{spent:.1f}", f"{ready:.2f}", f"{zoom:.3f}"])
    print(table(["page", "MB", "made (s)", "ready (s)", "zoom (s)"], rows))


if __name__ == "__main__":
    reason = missing()
    if reason:
        sys.exit(f"skipped: {reason}")
    main()
