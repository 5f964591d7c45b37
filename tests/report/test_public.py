# SPDX-License-Identifier: MIT
"""The public page holds nothing but the release: searched for secrets, and blind to the record."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import Ended

import pocin
from pocin.cli import run
from pocin.report.html import number
from pocin.report.page import public_page
from pocin.report.released import Released, read_released

# Words of the curator's record and of his page; none may stand on a public page.
PRIVATE_WORDS = (
    "damage",
    "original",
    "truth",
    "really",
    "seed:",
    "ledger_entry",
    "came from",
    "What moved",
    "error_to_noise",
    "own_optimum",
    "Before and after",
    "Cost and distance",
    "Audit",
)
HIDDEN = ("true", "noisy")


def exact(values: list[float], shown: set[float]) -> set[str]:
    """Write values in full, as data might, as far as they are not there by right."""
    told = {
        form(v) for v in values if v not in shown for form in ("{:g}".format, "{:.2f}".format, repr)
    }
    return {text for text in told if len(re.sub(r"\D", "", text)) >= 4 and "." in text}


def rounded(values: list[float], shown: set[float]) -> set[str]:
    """Write values as the page's own text does."""
    return {number(v) for v in values} - {number(v) for v in shown}


def visible(page: str) -> str:
    """Return what people read of a page."""
    text = re.sub(r"<(style|script)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text)


def numbers(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])", text))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Release a grid whose capacities cannot be mistaken, from a source with a telling name."""
    folder = tmp_path_factory.mktemp("odd")
    source = folder / "secretville_winter.m"
    network = pocin.read("ieee118")
    units = network.content.units
    pmax = np.where(units.pmax > 0, units.pmax + 13.37 + 0.11 * np.arange(len(units)), 0.0)
    grid = replace(network.content, units=replace(units, pmax=pmax))
    source.write_bytes(network.kind.write(grid, ())[""])
    made = pocin.release(pocin.read(source), beta=0.005, seed=5, cost_figure="computed")
    pocin.write(made, folder / "public.m")
    return folder / "public.m", json.loads((folder / "public.m.curator.json").read_text())


def test_no_secret_value_or_name_stands_on_it(odd: tuple[Path, dict[str, Any]]) -> None:
    released, record = odd
    page = public_page([read_released(released)])
    text = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    shown = set(record["values"]["released"])
    values = [v for name in HIDDEN for v in record["values"][name]]
    figures = [
        record["cost"]["own_optimum"],
        100 * record["fidelity"]["gap"],
        record["fidelity"]["distance"],
        *(record["values"][name] for name in ("noise", "error", "error_to_noise")),
        record["moves"]["mean_hops"],
    ]
    assert len(exact(values, shown)) > 20
    assert exact([*values, *figures], shown) & numbers(text) == set()
    assert rounded([*values, *figures], shown) & numbers(visible(page)) == set()
    names = ("secretville", "winter", str(released.parent), record["network_id"])
    assert [name for name in names if name in page] == []
    assert [word for word in PRIVATE_WORDS if word.lower() in text.lower()] == []


def test_the_search_finds_them_on_the_curators_page(odd: tuple[Path, dict[str, Any]]) -> None:
    from pocin.report.private import curator_page

    released, record = odd
    text = curator_page([read_released(released)])
    shown = set(record["values"]["released"])
    assert len(exact(record["values"]["true"], shown) & numbers(text)) > 10
    assert rounded([record["values"]["noise"]], shown) & numbers(visible(text))
    assert "secretville" in text
    assert [word for word in PRIVATE_WORDS if word.lower() in text.lower()]


def test_any_other_record_gives_the_same_bytes(releases: dict[str, Path]) -> None:
    page = public_page([read_released(path) for path in releases.values()])
    for name, path in releases.items():
        record = path.with_name(path.name + ".curator.json")
        kept = record.read_bytes()
        try:
            record.write_text("no JSON at all")
            assert public_page([read_released(path) for path in releases.values()]) == page, name
            record.unlink()
            assert public_page([read_released(path) for path in releases.values()]) == page, name
        finally:
            record.write_bytes(kept)


def test_the_command_does_not_open_the_record(releases: dict[str, Path], tmp_path: Path) -> None:
    # In a process of its own: an audit hook can never be taken away again.
    script = (
        "import sys\n"
        "sys.addaudithook(lambda event, args: print('OPENED', args[0]) if event == 'open' "
        "and 'curator' in str(args[0]) and str(args[0]).endswith('.json') else None)\n"
        "from pocin.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "wrong = {'pocin.report.curator', 'pocin.report.private', 'pocin.report.before'}\n"
        "print(code, sorted(wrong & set(sys.modules)))\n"
    )
    outputs = []
    for more in (["--public"], []):
        words = [
            "report",
            str(releases["ieee14"]),
            "-o",
            str(tmp_path / f"{len(more)}.html"),
            *more,
        ]
        found = subprocess.run(
            [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True
        )
        outputs.append(found.stdout)
    assert "OPENED" not in outputs[0]
    assert outputs[0].endswith("0 []\n")
    assert "OPENED" in outputs[1]


def test_the_type_has_no_place_for_the_record() -> None:
    names = {"source", "name", "statement", "drawing", "book", "problem"}
    assert set(Released.__dataclass_fields__) == names


def test_the_pages_are_marked(releases: dict[str, Path]) -> None:
    from pocin.report.private import curator_page

    found = [read_released(releases["ieee14"])]
    for page, mark, other in (
        (public_page(found), "Public", "Not for publication"),
        (curator_page(found), "Curator&#x27;s copy", "Public:"),
    ):
        said = page.replace("'", "&#x27;")
        assert said.count(mark) >= 4  # title, band, edge of every sheet, foot
        assert other not in page
        assert "Not a private release" in page


def test_the_curators_file_is_the_curators_alone(
    releases: dict[str, Path], pocin: Callable[..., Ended], desk: Path
) -> None:
    assert pocin("report", str(releases["ieee14"]), "-o", "a.html").code == 0
    assert pocin("report", str(releases["ieee14"]), "-o", "b.html", "--public").code == 0
    assert (desk / "a.html").stat().st_mode & 0o777 == 0o600
    assert (desk / "b.html").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    "case",
    [
        ((), 2, "name a released file"),
        (("{ieee14}", "--public", "--audit", "x.json"), 2, "--audit: compares with the real"),
        (("ieee14",), 3, "is a built-in case, not a release"),
        (("rich.m",), 3, "the public statement of a release"),
        (("{ieee14}", "--attack", "rich.m"), 3, "is not JSON"),
        (("cut.m",), 3, "it has no cost.figure"),
        (("odd.m",), 3, "it has no parameters.beta"),
        (("bare.m",), 3, "is not the public statement"),
        (("{ieee14}", "--attack", "empty.json"), 3, "has no budgets"),
        (("{ieee14}", "--audit", "empty.json"), 3, "has no findings"),
    ],
)
def test_errors_are_a_sentence(
    releases: dict[str, Path],
    pocin: Callable[..., Ended],
    desk: Path,
    case: tuple[tuple[str, ...], int, str],
) -> None:
    words, code, said = case
    (desk / "empty.json").write_text("{}")
    stated = json.loads(releases["ieee14"].with_name("ieee14.m.release.json").read_text())
    bare = {name: value for name, value in stated["parameters"].items() if name != "columns"}
    for name, broken in {
        "cut": stated | {"cost": None},
        "odd": stated | {"parameters": stated["parameters"] | {"beta": "much"}},
        "bare": stated | {"parameters": bare},
    }.items():
        (desk / f"{name}.m").write_bytes(releases["ieee14"].read_bytes())
        (desk / f"{name}.m.release.json").write_text(json.dumps(broken))
    given = [word.format(**releases) for word in words]
    found = pocin("report", *given, "-o", "a.html")
    assert found.code == code
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not (desk / "a.html").exists()


def test_one_file_of_a_folder_stands_for_it(releases: dict[str, Path]) -> None:
    folder = releases["siouxfalls"]
    pages = [public_page([read_released(path)]) for path in (folder, folder / "link.csv")]
    assert pages[0] == pages[1]


def test_a_release_is_found_where_one_stands(
    releases: dict[str, Path], pocin: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(releases["siouxfalls"])
    assert pocin("report", ".", "-o", "../here.html").code == 0
    assert "really here" in (releases["siouxfalls"].parent / "here.html").read_text("utf-8")


def test_a_record_of_another_release_is_refused(tmp_path: Path, releases: dict[str, Path]) -> None:
    for suffix in ("", ".release.json", ".curator.json"):
        whole = releases["ieee14"].with_name(releases["ieee14"].name + suffix).read_bytes()
        (tmp_path / f"other.m{suffix}").write_bytes(whole)
    stated = json.loads((tmp_path / "other.m.curator.json").read_text())
    stated["guarantee"]["epsilon_value"] = 2.0
    (tmp_path / "other.m.curator.json").write_text(json.dumps(stated))
    assert run(["report", str(tmp_path / "other.m"), "-o", str(tmp_path / "a.html")]) == 3


def test_a_record_of_other_draws_is_refused(tmp_path: Path, releases: dict[str, Path]) -> None:
    made = pocin.release(pocin.read("ieee14"), beta=0.1, seed=2)
    pocin.write(made, tmp_path / "ieee14.m")
    record = releases["ieee14"].with_name("ieee14.m.curator.json").read_bytes()
    (tmp_path / "ieee14.m.curator.json").write_bytes(record)
    assert run(["report", str(tmp_path / "ieee14.m"), "-o", str(tmp_path / "a.html")]) == 3


def test_what_a_file_says_cannot_leave_its_place(tmp_path: Path, releases: dict[str, Path]) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    for suffix in ("", ".release.json"):
        whole = releases["ieee14"].with_name(releases["ieee14"].name + suffix).read_bytes()
        (tmp_path / f"x.m{suffix}").write_bytes(whole)
    path = tmp_path / "x.m.release.json"
    stated = json.loads(path.read_text())
    stated["guarantee"]["statement"] = evil
    stated["parameters"]["policy"] = evil
    path.write_text(json.dumps(stated))
    page = public_page([read_released(tmp_path / "x.m")], credit=evil)
    assert "<img" not in page
    assert page.count("<script>") == 1
