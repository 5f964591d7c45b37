# SPDX-License-Identifier: MIT
"""The site: it builds without a warning, its commands exist, its Python runs as it says."""

import doctest
import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pocin.cli import COMMANDS
from pocin.power.columns import BOOK
from pocin.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "SECURITY.md", ROOT / "ARCHITECTURE.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUILDS = find_spec("sphinx") and find_spec("furo") and find_spec("myst_parser")


@pytest.mark.skipif(not BUILDS, reason="sphinx, furo and myst-parser are not installed")
def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    words = ["-m", "sphinx", "-W", "--keep-going", "-q", "-d", tmp_path / "trees", DOCS]
    made = subprocess.run(
        [sys.executable, *words, tmp_path / "site"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "What it does not hide" in front
    assert f"<title>pocin {VERSION}</title>" in front
    assert "class WaterKind" in re.sub(
        "<[^>]+>", "", (tmp_path / "site" / "tutorial" / "index.html").read_text("utf-8")
    )
    linked = re.findall(r'(?:src|<link[^>]*href)="(https?:[^"]+)"', front)
    assert linked == []  # the pages load nothing from elsewhere


def test_the_python_of_the_site_runs(desk: Path) -> None:
    page = DOCS / "python.md"
    code = "".join(text for kind, text in FENCE.findall(page.read_text("utf-8")) if kind == "pycon")
    parsed = doctest.DocTestParser().get_doctest(code, {"Path": Path}, page.name, str(page), 0)
    told: list[str] = []
    ran = doctest.DocTestRunner(verbose=False).run(parsed, out=told.append)
    assert ran.attempted > 15
    assert ran.failed == 0, "".join(told)
    assert desk.is_dir()


def commands() -> list[str]:
    lines = [
        line.partition("  #")[0].removeprefix(".venv/bin/").strip()
        for page in PAGES
        for kind, block in FENCE.findall(page.read_text("utf-8"))
        if kind in {"", "sh"}
        for line in block.splitlines()
    ]
    return sorted({line for line in lines if line.startswith("pocin ")})


def test_its_commands_and_their_flags_exist(pocin) -> None:
    lines = commands()
    assert len(lines) > 20
    told: dict[tuple[str, ...], str] = {}
    for line in lines:
        words = shlex.split(line)[1:]
        assert words[0] in COMMANDS, line
        second = words[1:2] if words[0] in {"ledger", "cases", "figures"} else []
        command = (words[0], *(word for word in second if word in {"open", "show", "make-city"}))
        if command not in told:
            told[command] = pocin(*command, "--help").out
        flags = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
        assert [flag for flag in flags if flag not in told[command]] == [], line


def test_page_one_says_what_is_not_protected() -> None:
    first = (DOCS / "index.md").read_text("utf-8").split("```")[0]
    for what in ("occupied", "infer", "cost figure", "partner", "again and again"):
        assert what in first


def test_the_readme_says_what_is_not_protected_before_the_first_command() -> None:
    first = (ROOT / "README.md").read_text("utf-8").split("```")[0]
    for what in ("occupied", "inferred", "cost\nfigure", "partner", "elsewhere", "SECURITY.md"):
        assert what in first


def test_the_table_of_columns_is_that_of_the_code() -> None:
    page = (DOCS / "formats.md").read_text("utf-8")
    found = page.partition("<!-- columns:begin -->")[2].partition("<!-- columns:end -->")[0]
    names = list(BOOK.policies)
    head = (
        f"| column | what it holds | {' | '.join(f'`{name}`' for name in names)} | also allowed |"
    )
    rows = [head, "|---|---|" + "---|" * (len(names) + 1)]
    for column in BOOK.columns:
        given = [BOOK.policies[name][column.name] for name in names]
        other = " or ".join(other for other in column.allowed if other not in given)
        rows.append(f"| `{column.name}` | {column.meaning} | {' | '.join(given)} | {other} |")
    assert found.strip().splitlines() == rows


def test_the_policy_file_of_formats_is_one(desk: Path) -> None:
    fences = FENCE.findall((DOCS / "formats.md").read_text("utf-8"))
    (own,) = (text for kind, text in fences if kind == "toml")
    (desk / "own.toml").write_text(own, "utf-8")
    assert BOOK.find("own.toml")["bus.zone"] == "dropped"


def test_the_site_lists_every_module() -> None:
    conf = runpy.run_path(str(DOCS / "conf.py"))
    listed = conf["_modules"]()
    modules = [path.stem for path in (ROOT / "src" / "pocin").rglob("*.py")]
    assert [name for name in modules if f"| `{name}` | " not in listed] == []
    assert listed.count("\n| `") == len(modules)


def test_architecture_names_every_folder_and_what_stands_beside_them() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    package = ROOT / "src" / "pocin"
    folders = [f"`{path.name}/`" for path in package.iterdir() if (path / "__init__.py").exists()]
    files = [f"`{path.name}`" for path in package.glob("*.py") if not path.stem.startswith("__")]
    assert [name for name in folders + files if name not in text] == []


def test_every_link_leads_to_a_file() -> None:
    broken = [
        f"{page.name}: {link}"
        for page in PAGES
        for link in re.findall(r"\]\(([^)#\s]+)", FENCE.sub("", page.read_text("utf-8")))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []
