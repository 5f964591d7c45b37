# SPDX-License-Identifier: MIT
"""Habits of the repository: what a tracked file may hold, and what the locks and the wheel must."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKS = [ROOT / "requirements" / name for name in ("run.txt", "dev.txt", "harden.txt")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

# Not `/home/` after a word or a dot: that is part of a web address or of a relative path.
PRIVATE_PATH = re.compile(rb"(?<![\w.])/(?:home|root|Users|work|workspace)/\w|\b[A-Z]:\\+Users\\")
PACKAGE_INDEX = re.compile(
    rb"(?:index-url|find-links)\s*[ =]\s*(?:https?|file)://|pythonhosted\.org"
)
SPDX = "# SPDX-License-Identifier: MIT"


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: the list of tracked files is not known")
    listing = subprocess.run(
        [git, "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    paths = [ROOT / name for name in listing.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def offenders(paths: list[Path], pattern: re.Pattern[bytes]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in paths
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_folder_of_one_machine(tracked: list[Path]) -> None:
    assert offenders(tracked, PRIVATE_PATH) == []


def test_no_file_names_a_package_index(tracked: list[Path]) -> None:
    assert offenders(tracked, PACKAGE_INDEX) == []


@pytest.mark.parametrize(
    ("line", "private"),
    [
        (b'"/home/' + b'ada/grid.m"', True),
        (b"see /work/" + b"x", True),
        (b"C:" + b"\\Users\\ada", True),
        (b"https://example.org/home/ada", False),
        (b"src/work/x", False),
        (b"/usr/bin/env", False),
    ],
)
def test_the_pattern_knows_a_private_path(line: bytes, private: bool) -> None:  # noqa: FBT001
    assert bool(PRIVATE_PATH.search(line)) is private


def test_no_resolver_state_is_tracked(tracked: list[Path]) -> None:
    # These record the address of the index they were made from.
    assert {path.name for path in tracked} & {"uv.lock", "poetry.lock", "pip.conf"} == set()


def test_every_python_file_says_its_licence(tracked: list[Path]) -> None:
    files = [path for path in tracked if path.suffix == ".py"]
    assert files
    silent = [path for path in files if path.read_text("utf-8").split("\n", 1)[0] != SPDX]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
class TestLock:
    def test_every_requirement_is_pinned_and_hashed(self, lock: Path) -> None:
        entries = requirements(lock)
        assert entries
        loose = [
            entry
            for entry in entries
            if not re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}\b", entry)
        ]
        assert loose == []

    def test_it_holds_no_address(self, lock: Path) -> None:
        text = lock.read_text("utf-8")
        assert "://" not in text
        assert re.search(r"^\s*-(?!-hash)", text, flags=re.MULTILINE) is None

    def test_it_holds_every_dependency(self, lock: Path) -> None:
        names = {entry.partition("==")[0] for entry in requirements(lock)}
        wanted = list(PROJECT["project"]["dependencies"])
        if lock.name == "harden.txt":
            wanted = PROJECT["dependency-groups"]["harden"]
        if lock.name == "dev.txt":
            extras = PROJECT["project"]["optional-dependencies"]
            wanted += [
                item for extra, items in extras.items() if extra != "pglib" for item in items
            ]
            wanted += PROJECT["dependency-groups"]["test"]
        assert {normal(item) for item in wanted} - {"pocin"} <= names


def requirements(lock: Path) -> list[str]:
    lines = [line for line in lock.read_text("utf-8").splitlines() if not re.match(r"\s*#", line)]
    return [entry.strip() for entry in "\n".join(lines).replace("\\\n", " ").splitlines() if entry]


def normal(requirement: str) -> str:
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def test_the_locks_agree() -> None:
    run, dev, harden = ({entry.partition(" ")[0] for entry in requirements(lock)} for lock in LOCKS)
    assert run <= dev
    shared = {pin.partition("==")[0] for pin in dev} & {pin.partition("==")[0] for pin in harden}
    assert {pin for pin in dev | harden if pin.partition("==")[0] in shared} == dev & harden


class TestArchitecture:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")

    def test_every_part_of_the_package_is_named(self, tracked: list[Path]) -> None:
        package = ROOT / "src" / "pocin"
        inside = {path.relative_to(package) for path in tracked if package in path.parents}
        parts = {path.parts[0] + "/" * (len(path.parts) > 1) for path in inside}
        private = {"__init__.py", "__main__.py", "py.typed"}
        assert sorted(part for part in parts - private if f"`{part}`" not in self.page) == []

    def test_every_module_that_it_names_exists(self, tracked: list[Path]) -> None:
        rows = re.findall(r"^\| `(\w+)/`[^|]*\| (.*) \|$", self.page, flags=re.MULTILINE)
        named = {
            (folder, name) for folder, row in rows for name in re.findall(r"`([a-z]+)/?`", row)
        }
        assert ("roads", "city") in named
        held = {path.relative_to(ROOT / "src/pocin") for path in tracked if "pocin" in path.parts}
        there = {(path.parts[0], path.with_suffix("").name) for path in held}
        there |= {(path.parts[0], path.parts[1]) for path in held if len(path.parts) > 2}
        assert sorted(named - there) == []


def test_one_version_is_told_everywhere() -> None:
    told = PROJECT["tool"]["hatch"]["version"]
    version = re.search(told["pattern"], (ROOT / told["path"]).read_text("utf-8"))
    assert version is not None
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    headings = re.findall(r"^## \[(\d[^\]]*)\]", changelog, flags=re.MULTILINE)
    assert headings[:1] == [version["version"]]
    assert re.findall(r"^version: (.+)$", citation, flags=re.MULTILINE) == [version["version"]]


def test_the_wheel_holds_all_that_is_not_code(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    package = [path for path in (source / "pocin").rglob("*") if path.is_file()]
    wanted = {
        path.relative_to(source).as_posix()
        for path in package
        if path.suffix != ".py" and path.parent.name != "__pycache__"
    }
    assert "pocin/py.typed" in wanted
    assert "pocin/power/cases/LICENSE" in wanted
    assert "pocin/roads/cases/siouxfalls/link.csv" in wanted
    assert wanted <= held
