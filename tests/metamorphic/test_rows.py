# SPDX-License-Identifier: MIT
"""Rows of the source in another order: the same release, to the byte.

The public part and the secret are sorted by what stands in them, so that a release, given its
draws, and the draws, given their seed, are functions of the network and not of its file.
"""

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.blind import told
from tests.metamorphic.changes import reordered
from tests.metamorphic.networks import ALL, Asked, drawn, finished, network, planned


def numbers(part: Any) -> list[Any]:
    """Every array of an object, to the byte, and everything else as it is."""
    if is_dataclass(part) and not isinstance(part, type):
        return [numbers(getattr(part, column.name)) for column in fields(part)]
    return [part.dtype, part.shape, part.tobytes()] if isinstance(part, np.ndarray) else [part]


@pytest.mark.parametrize("asked", ALL, ids=str)
def test_the_order_of_rows_says_nothing(asked):
    made = planned(asked)
    for seed in (None, 0, 1):
        other = planned(asked, reordered(network(asked.name).content, seed))
        assert numbers(other.public) == numbers(made.public)
        assert numbers(other.secret) == numbers(made.secret)
        assert other.guarantee.statement == made.guarantee.statement
        assert other.network_id == made.network_id


@pytest.mark.parametrize("asked", ALL, ids=str)
def test_nor_does_it_change_a_seeded_release(asked):
    made, other = planned(asked), planned(asked, reordered(network(asked.name).content))
    assert told(finished(made, drawn(made, 5))) == told(finished(other, drawn(other, 5)))


def test_a_sum_over_the_buses_is_the_same_in_every_order():
    # Piecewise linear curves are drawn out to a power of ten beyond the load: 1000 or 10000 here.
    grid = network("rich").content
    loads = np.array([1e8 + 0.1, 2e8 + 0.7, *np.zeros(10), 999.2, -3e8, 0.0])
    content = replace(grid, buses=replace(grid.buses, pd=loads))
    tellings = [content, *(reordered(content, seed) for seed in (None, 0, 1, 2, 3))]
    sums = {float(np.sum(grid.buses.pd[grid.live_buses])) for grid in tellings}
    assert min(sums) < 1000 - 1e-9
    assert max(sums) >= 1000  # what a plain sum would make of them
    moved = {planned(Asked("rich"), grid).secret.moved.tobytes() for grid in tellings}
    assert len(moved) == 1


def shuffled(rows: list[str], seed: int) -> list[str]:
    """The rows in another order, which is the same for tables of one length."""
    return [rows[k] for k in np.random.default_rng(seed).permutation(len(rows))]


def shuffled_tables(text: str, seed: int) -> str:
    """Shuffle the rows of every table of a MATPOWER file; the cost curves follow the units."""
    parts = re.split(r"((?:^\t.*;\n)+)", text, flags=re.MULTILINE)
    parts[1::2] = ["".join(shuffled(part.splitlines(keepends=True), seed)) for part in parts[1::2]]
    return "".join(parts)


def test_a_file_of_a_grid_with_its_lines_shuffled(pocin, desk):
    text = (desk / "rich.m").read_text()
    text, _, names = text.partition("mpc.bus_name")  # whose rows go with the buses
    assert names
    made = []
    for name, given in (("first", text), ("second", shuffled_tables(text, 3))):
        (desk / f"{name}.m").write_text(given)
        words = ("--research", "--seed", "7", "--cost-figure", "2690.8", "--quiet")
        ended = pocin("release", f"{name}.m", "-o", f"{name}.out.m", *words)
        assert (ended.code, ended.err) == (0, "")
        made.append((desk / f"{name}.out.m").read_bytes())
    lines = [sorted((desk / f"{name}.m").read_text().splitlines()) for name in ("first", "second")]
    assert lines[0] == lines[1]
    assert (desk / "first.m").read_text() != (desk / "second.m").read_text()
    assert made[0] == made[1]


def test_files_of_roads_with_their_lines_shuffled(pocin, desk):
    made = []
    roads = network("siouxfalls")
    for place, seed in (("first", None), ("second", 3)):
        (desk / place).mkdir()
        for name, data in roads.kind.write(roads.content, ()).items():
            head, *rows = data.decode().splitlines()
            given = rows if seed is None else shuffled(rows, seed)
            (desk / place / name).write_text("\n".join([head, *given, ""]))
        words = ("--research", "--seed", "7", "--gamma", "0.0006", "--cost-figure", "18", "--quiet")
        ended = pocin("release", place, "-o", f"{place}.out", *words)
        assert (ended.code, ended.err) == (0, "")
        made.append({file.name: file.read_bytes() for file in (desk / f"{place}.out").iterdir()})
    assert (desk / "first/link.csv").read_bytes() != (desk / "second/link.csv").read_bytes()
    assert made[0] == made[1]


def test_names_and_comments_say_nothing(pocin, desk):
    text, made = (desk / "rich.m").read_text(), []
    other = text.replace("HIDEOUT", "ELSEWHERE").replace("ieee14", "winter_peak")
    bare = text.partition("mpc.bus_name")[0]
    assert "HIDEOUT" in text
    for name, given in (("first", text), ("second", other), ("third", bare)):
        (desk / f"{name}.m").write_text(given)
        words = ("--research", "--seed", "7", "--cost-figure", "2690.8", "--quiet")
        ended = pocin("release", f"{name}.m", "-o", f"{name}.out.m", *words)
        assert (ended.code, ended.err) == (0, "")
        made.append((desk / f"{name}.out.m").read_bytes())
    assert made[0] == made[1] == made[2]
