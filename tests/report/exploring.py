# SPDX-License-Identifier: MIT
"""A small study to explore, and a large one that looks measured."""

import json
import re
import sqlite3
from itertools import product
from pathlib import Path

from pocin.study.engine import carry_out
from pocin.study.grid import Study, load
from pocin.study.store import JOURNAL, frame
from pocin.study.task import Measures, Settings, Task

SMALL = """
title = "Small"
[[grid]]
name = "power"
case = "ieee57"
epsilon = [0.5, 2]
beta = [0.02, 0.1]
policy = ["derived", "unit"]
alpha_location = "2hops"
budgets = ["10%", "60%"]
runs = 3
[[grid]]
name = "roads"
case = "siouxfalls"
epsilon_location = 1
epsilon_value = "1/3"
reading = ["total", "per-trip"]
trip_times = "computed"
budgets = ["10%"]
runs = 2
"""


class Here:
    """Carries a study out in this process."""

    @staticmethod
    def run(work, tasks):
        return map(work, tasks)


def small_study(folder: Path) -> Study:
    """Carry out a small study and return it; its results are in ``folder / "results"``."""
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    study = load(folder / "small.toml")
    ended = carry_out(study, folder / "results", Here())
    assert ended.failures == ()
    return study


def large_study(folder: Path) -> Path:
    """Write 10,000 releases of as many settings, each with two budgets, that look measured."""
    rows, attacks = [], []
    cases = ("ieee14", "ieee30", "ieee57", "ieee118", "ieee300")
    dials = product(cases, range(1, 21), range(1, 11), range(1, 6), ("derived", "unit"))
    for k, (case, e, a, b, policy) in enumerate(dials):
        made = Settings(
            case=case,
            policy=policy,
            epsilon_location=f"{e / 4:g}",
            epsilon_value=f"{e / 4:g}",
            alpha_location=f"{a}hops",
            beta=b / 50,
        )
        row = Task(made, 0, Measures(), case).columns
        off = ((k * 7919) % 1000) / 1000
        rows.append(
            row
            | {
                "outcome": "faithful",
                "kind": "power",
                "gap": off * made.beta,
                "distance": off * 100,
                "alpha_hops": float(a),
            }
        )
        harm = {"random": 30, "public": 45, "obfuscated": 30 + 3 * e * off, "informed": 100}
        attacks += [
            row | {"budget": budget, "ranking": role, "damage": float(damage), "unit": "$/h"}
            for budget in ("10%", "20%")
            for role, damage in harm.items()
        ]
    for table, content in (("releases", rows), ("attacks", attacks)):
        (folder / table).mkdir(parents=True)
        frame(table, content).write_parquet(folder / table / "part-00000.parquet")
    journal(folder, 0)
    return folder


def journal(folder: Path, held: int) -> None:
    """Write a journal that holds what a killed run left behind."""
    (folder / JOURNAL).unlink(missing_ok=True)
    with sqlite3.connect(folder / JOURNAL) as made:
        made.execute("CREATE TABLE done (task TEXT PRIMARY KEY, rows TEXT NOT NULL)")
        made.executemany("INSERT INTO done VALUES (?, '{}')", [(str(k),) for k in range(held)])
    made.close()


def embedded(page: str) -> dict:
    """Return the data in a page."""
    found = re.search(
        r'<script type="application/json" id="points">(.*?)</script>', page, re.DOTALL
    )
    assert found is not None
    return json.loads(found[1])
