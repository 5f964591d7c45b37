# SPDX-License-Identifier: MIT
"""What a command says and leaves behind when it cannot do as asked."""

import errno
import os
import shlex
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from pocin import api, errors
from pocin.cli import run
from pocin.privacy.ledger import Ledger

RICH = (Path(__file__).parents[1] / "data" / "rich.m").read_text("utf-8")
SECRETS = ("61.19", "240.17", "87.31", "52.73", "99.77", "73.41", "44.87", "HIDEOUT", "171.313")


def table(text: str, name: str) -> str:
    begin = text.index(f"mpc.{name} = [")
    return text[begin : text.index("];\n", begin) + 3]


HEAVY = RICH.replace("\t94.2\t19\t", "\t942\t190\t")
FREE = RICH.replace(
    table(RICH, "gencost"), "mpc.gencost = [" + 10 * "\t2\t0\t0\t2\t0\t0;\n" + "];\n"
)
FILES = {
    "cut.m": RICH[: RICH.index("\t2\t29.531")],
    "nan.m": RICH.replace("\t240.17\t", "\tNaN\t"),
    "word.m": RICH.replace("\t240.17\t", "\tmuch\t"),
    "sum.m": RICH.replace("\t240.17\t", "\t240.17*2\t"),
    "negative.m": RICH.replace("\t472\t472\t472\t", "\t-472\t472\t472\t"),
    "upside.m": RICH.replace("\t61.19\t3.07;", "\t61.19\t307;"),
    "noref.m": RICH.replace("\t1\t3\t0\t", "\t1\t2\t0\t"),
    "island.m": RICH.replace(
        "\t0.17615\t0\t167\t167\t167\t0\t0\t1\t", "\t0.17615\t0\t1\t1\t1\t0\t0\t0\t"
    ),
    "heavy.m": HEAVY,
    "free.m": FREE,
    "idle.m": RICH.replace(table(RICH, "gen"), table(RICH, "gen").replace("\t1\t", "\t0\t")),
    "uncosted.m": RICH.replace(table(RICH, "gencost"), ""),
    "empty.m": "",
    "binary.m": "\0\1",
    "notes.txt": "a note",
    "broken.json": "{",
    "short.raw": "0, 100.0 / HIDEOUT\n",
    "broken.toml": "base = ",
    "key.toml": "bases = 'unit'",
    "base.toml": "base = 'best'",
    "list.toml": "base = ['unit']",
    "column.toml": "[columns]\n'gen.pmax' = 'secret'",
    "open.toml": "[columns]\n'gen.Pmax' = 'public'",
    "dotted.toml": "[columns]\ngen.Pmax = 'secret'",
    "flat.toml": "columns = 3",
    "constant.toml": "[constants]\nrho = 0.1",
    "bound.toml": "[constants]\npmin_ratio = 1.5",
    "text.toml": "[constants]\npmin_ratio = 'much'",
    "bool.toml": "[constants]\nqmax_slope = true",
    "nan.toml": "[constants]\nqmax_slope = nan",
    "huge.toml": "[constants]\nsurcharge = 1" + "0" * 400,
    "endless.toml": "[constants]\nsurcharge = 1" + "0" * 5000,
    "word.only": "2\nbus four\n",
    "zero.only": "3\n",
    "blank.only": "# none\n",
    "head.csv": "node,c2,c1,c0\n1,0,1,0\n",
    "few.csv": "bus,c2,c1,c0\n1,0,1,0\n",
    "nan.csv": "bus,c2,c1,c0\n1,0,nan,0\n",
    "taken.m": "kept",
    "stated.m.release.json": "kept",
    "sqlite.txt": "this is no ledger, though long enough to be read as one" * 20,
}

RELEASE = "release rich.m -o out.m --ledger l.sqlite --cost-figure 2690.8 "
REFUSED = {
    # A flag, a value or a combination that cannot be.
    "release": (2, "SOURCE requires an argument"),
    "release rich.m": (2, "-o OUT"),
    "release rich.m -o out.m": (2, "--cost-epsilon E"),
    "release rich.m spare -o out.m": (2, "spare"),
    "nonsense": (2, 'pocin: Unknown command "nonsense"; see pocin --help'),
    "relase rich.m -o out.m": (2, 'Did you mean "release"?; see'),
    "report rich.m": (2, "pocin: -o requires an argument; see pocin report --help"),
    "release rich.m -o": (2, "pocin: -o requires an argument"),
    "release rich.m -o out.m --alpha-location 2 hops": (2, "or join it to the word before"),
    "report rich.m -o page.pdf": (2, "name it page.html"),
    "figures folder -o taken.m": (3, "folder"),
    "study paper -o out --data nowhere": (2, "--data nowhere: there is no such folder"),
    "studio --port x": (2, "--port: expected a whole number"),
    "ledger show rich.m --ledger nowhere": (3, "nowhere: there is no ledger here"),
    "ledger open rich.m": (2, "--budget"),
    "ledger open rich.m --budget x": (2, "--budget"),
    "ledger open rich.m --budget nan": (2, "--budget"),
    "ledger open rich.m --budget -1": (2, "--budget: expected a number from 0"),
    "ledger open rich.m --budget 3 --network-id '' --ledger l.sqlite": (2, "id cannot be empty"),
    RELEASE + "--bogus": (2, "--bogus"),
    RELEASE + "--epsilon 0": (2, "--epsilon:"),
    RELEASE + "--epsilon nan": (2, "--epsilon:"),
    RELEASE + "--epsilon inf": (2, "--epsilon:"),
    RELEASE + "--epsilon one": (2, "--epsilon:"),
    RELEASE + "--epsilon ''": (2, "--epsilon:"),
    RELEASE + "--epsilon 1001": (2, "--epsilon:"),
    RELEASE + "--epsilon 1/0": (2, "--epsilon:"),
    RELEASE + "--epsilon-location=-1": (2, "--epsilon-location:"),
    RELEASE + "--epsilon-location ''": (2, "--epsilon-location:"),
    RELEASE + "--epsilon-value 1e999999999": (2, "--epsilon-value:"),
    RELEASE + "--epsilon-value 1e-20": (2, "--epsilon-value:"),
    RELEASE + "--cost-epsilon 1": (2, "exclude each other"),
    "release rich.m -o out.m --cost-epsilon 1 --ledger l.sqlite": (2, "convex quadratic"),
    "release rich.m --dry-run --cost-epsilon 1": (2, "convex quadratic"),
    "release ieee14 -o out.m --cost-epsilon 0.1 --ledger l.sqlite": (2, "wider than beta"),
    RELEASE + "--mechanism best": (2, "--mechanism"),
    "release rich.m -o out.m --cost-epsilon 0": (2, "--cost-epsilon:"),
    RELEASE + "--alpha-location 2": (2, "5hops"),
    RELEASE + "--alpha-location 0hops": (2, "--alpha-location"),
    RELEASE + "--alpha-location=-1hops": (2, "--alpha-location"),
    RELEASE + "--alpha-location 2km": (2, "--alpha-location"),
    RELEASE + "--alpha-value 10": (2, "5MW"),
    RELEASE + "--alpha-value 10kW": (2, "--alpha-value"),
    RELEASE + "--alpha-value 0.001MW": (2, "multiple of 0.01 MW"),
    RELEASE + "--alpha-value 1e25MW": (2, "--alpha-value"),
    RELEASE + "--beta 0": (2, "--beta"),
    RELEASE + "--beta 1": (2, "--beta"),
    RELEASE + "--beta nan": (2, "--beta"),
    RELEASE + "--beta much": (2, "--beta: expected a number, such as 0.1; see"),
    RELEASE + "--beta 10%": (2, "--beta: expected a number, such as 0.1; see"),
    RELEASE + "--dry-run=perhaps": (2, "--dry-run: expected no value"),
    RELEASE + "--time-limit 5s": (2, "--time-limit: expected a number"),
    RELEASE + "--policy best": (2, "derived, unit, site"),
    RELEASE + "--pmin-ratio 1": (2, "--pmin-ratio"),
    RELEASE + "--pmin-ratio nan": (2, "--pmin-ratio"),
    RELEASE + "--time-limit 0": (2, "--time-limit"),
    RELEASE + "--time-limit nan": (2, "--time-limit"),
    RELEASE + "--seed 1": (2, "--research"),
    RELEASE + "--research --seed=-1": (2, "--seed"),
    RELEASE + "--research --seed x": (2, "--seed"),
    RELEASE + "--research --seed 1.5": (2, "--seed: expected a whole number"),
    RELEASE + "--network-id ''": (2, "id cannot be empty"),
    "release rich.m -o out.m --cost-figure much": (2, "--cost-figure"),
    "release rich.m -o out.m --cost-figure=-1": (2, "--cost-figure"),
    "release rich.m -o out.m --cost-figure 0": (2, "--cost-figure"),
    "release rich.m -o out.m --cost-figure nan": (2, "--cost-figure"),
    "release rich.m -o out.m --cost-figure inf": (2, "--cost-figure"),
    # An output that cannot be.
    "release rich.m -o taken.m --cost-figure 2690.8": (2, "--force"),
    "release rich.m -o stated.m --cost-figure 2690.8": (2, "stated.m.release.json: exists"),
    "release rich.m -o nowhere/out.m --cost-figure 2690.8": (2, "nowhere/out.m: its folder"),
    "release rich.m -o folder --cost-figure 2690.8": (2, "is a folder"),
    "release rich.m -o folder --cost-figure 2690.8 --force": (2, "is a folder"),
    "release siouxfalls -o cut.m --force --ledger l.sqlite": (2, "cut.m: is a file"),
    "release rich.m -o town --cost-figure 2690.8 --force": (2, "town: is a folder"),
    "release siouxfalls -o out --only cut.m": (2, "every link's traffic is secret; leave it out"),
    "release rich.m -o '' --cost-figure 2690.8": (2, "names no file"),
    "release rich.m -o . --cost-figure 2690.8": (2, "names no file"),
    "release rich.m -o rich.m --cost-figure 2690.8 --force": (2, "made from this file"),
    "release ieee14 -o cut.m --only cut.m --force": (2, "made from this file"),
    "release ieee14 -o out.json": (2, "name it out.m"),
    "release ieee14 -o out": (2, "name it out.m"),
    # A source that cannot be used.
    "solve nowhere.m": (3, "nowhere.m: there is no such file"),
    "solve stated.m.release.json": (3, "stands beside a released network; name that: stated.m"),
    "solve iee14": (3, "no built-in case of this name; did you mean ieee14 or "),
    "solve ieee15": (3, "did you mean ieee57 or ieee14?"),
    "solve nothing": (3, "check the path, or see pocin cases"),
    "solve folder": (3, "folder: "),
    "solve folder.m": (3, "folder.m: "),
    "solve ''": (3, "pocin: "),
    "solve notes.txt": (3, "MATPOWER .m, PSS/E .raw, PowerModels or pandapower .json"),
    "solve cut.m": (3, "cut short"),
    "solve empty.m": (3, "empty"),
    "solve binary.m": (3, "not a text file"),
    "solve nan.m": (3, "row 2, column Pmax"),
    "solve word.m": (3, "row 2, column Pmax"),
    "solve sum.m": (3, "it is computed"),
    "solve negative.m": (3, "rate_a is negative"),
    "solve upside.m": (3, "Pmin is above Pmax"),
    "solve noref.m": (3, "no reference bus"),
    "solve island.m": (3, "2 islands"),
    "solve heavy.m": (3, "cannot be solved"),
    "solve idle.m": (3, "no unit is in service"),
    "solve uncosted.m": (3, "--costs"),
    "solve broken.json": (3, "broken.json"),
    "solve short.raw": (3, "short.raw"),
    "solve rich.m --costs nowhere.csv": (3, "nowhere.csv"),
    "solve rich.m --costs head.csv": (3, "header"),
    "solve rich.m --costs few.csv": (3, "every unit in service"),
    "solve rich.m --costs nan.csv": (3, "nan.csv:2: column c1"),
    "release heavy.m -o out.m --cost-figure computed --ledger l.sqlite": (3, "--cost-figure"),
    "release heavy.m -o out.m --research": (3, "cannot be solved"),
    "release free.m -o out.m --research": (3, "the optimum of the AC optimal power flow is not"),
    "ledger show nowhere.m": (3, "nowhere.m"),
    # A file beside it that cannot be used.
    RELEASE + "--policy nowhere.toml": (3, "nowhere.toml"),
    RELEASE + "--policy folder.toml": (3, "folder.toml"),
    RELEASE + "--policy broken.toml": (3, "not TOML"),
    RELEASE + "--policy key.toml": (3, "unknown key 'bases'"),
    RELEASE + "--policy base.toml": (3, "base must be one of derived, unit, site"),
    RELEASE + "--policy list.toml": (3, "base must be one of"),
    RELEASE + "--policy column.toml": (3, "no column 'gen.pmax' (did you mean 'gen.Pmax'?)"),
    RELEASE + "--policy open.toml": (3, "can only be secret"),
    RELEASE + "--policy dotted.toml": (3, 'quote names with a dot: "gen.Pmax"'),
    RELEASE + "--policy flat.toml": (3, "must be tables"),
    RELEASE + "--policy constant.toml": (3, "no constant 'rho' (--dry-run lists what there is)"),
    RELEASE + "--policy bound.toml": (3, "from 0 to 0.9"),
    RELEASE + "--policy text.toml": (3, "from 0 to 0.9"),
    RELEASE + "--policy bool.toml": (3, "from 0 to 10"),
    RELEASE + "--policy nan.toml": (3, "from 0 to 10"),
    RELEASE + "--policy huge.toml": (3, "'surcharge' must be"),
    RELEASE + "--policy endless.toml": (3, "not TOML"),
    RELEASE + "--only nowhere.only": (3, "nowhere.only"),
    RELEASE + "--only folder": (3, "folder: "),
    RELEASE + "--only word.only": (3, "line 2: expected a bus number"),
    RELEASE + "--only zero.only": (3, "line 1: no unit with capacity"),
    RELEASE + "--only blank.only": (3, "names no bus"),
    "release rich.m -o out.m --cost-figure 2690.8 --ledger folder": (3, "is a folder"),
    "release rich.m -o out.m --cost-figure 2690.8 --ledger sqlite.txt": (3, "is not a ledger"),
    "release rich.m -o out.m --cost-figure 2690.8 --ledger rich.m/l": (3, "ledger"),
}


@pytest.fixture
def shelf(desk: Path) -> Path:
    """Return the desk with every bad file on it."""
    for name, text in FILES.items():
        (desk / name).write_text(text, "utf-8")
    for name in ("folder", "folder.m", "folder.toml"):
        (desk / name).mkdir()
    (desk / "town").mkdir()  # a release of roads, which --force may replace by another of roads
    (desk / "town" / "release.json").write_text('{"files": ["release.json"]}', "utf-8")
    return desk


def listing(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def one_sentence(ended) -> None:
    """Assert that a failure is one line on stderr which echoes no secret."""
    assert ended.out == ""
    assert ended.err.startswith("pocin: ")
    assert ended.err.endswith("\n")
    assert ended.err.count("\n") == 1, ended.err
    assert "Traceback" not in ended.err
    assert not [secret for secret in SECRETS if secret in ended.err]


@pytest.mark.parametrize("line", REFUSED)
def test_refusal(shelf: Path, pocin, line: str) -> None:
    code, words = REFUSED[line]
    before = listing(shelf)
    ended = pocin(*shlex.split(line), *(["--quiet"] if line.startswith(("rel", "sol")) else []))
    one_sentence(ended)
    assert words in ended.err
    assert ended.code == code
    assert listing(shelf) == before


def test_the_good_grid_is_good(pocin) -> None:
    # Else the table above proves nothing.
    ended = pocin(*shlex.split(RELEASE), "--quiet")
    assert (ended.code, ended.err) == (0, "")


def test_a_missing_figure_is_explained(pocin) -> None:
    said = pocin("release", "rich.m", "-o", "out.m", "--quiet").err
    for way in ("--cost-figure VALUE", "--cost-epsilon E", "--cost-figure computed"):
        assert way in said


@pytest.mark.parametrize("line", ["release {} -o out.m", "solve {}", "release ieee14 -o {}/out.m"])
def test_a_newline_in_a_path(pocin, line: str) -> None:
    ended = pocin(*(word.format("a\nb") for word in line.split()))
    one_sentence(ended)
    assert ended.code in (2, 3)


@pytest.mark.parametrize("flags", [[], ["--network-id", "north"]])
def test_budget_refused(desk: Path, pocin, flags: list[str]) -> None:
    book = ["--ledger", "l.sqlite", *flags]
    assert pocin("ledger", "open", "rich.m", "--budget", "3", *book).code == 0
    release = ["release", "rich.m", "--cost-figure", "2690.8", "--quiet", *book]
    assert pocin(*release, "-o", "first.m").code == 0
    ended = pocin(*release, "-o", "second.m")
    one_sentence(ended)
    assert ended.code == 5
    assert not list(desk.glob("*second*"))
    assert pocin("ledger", "show", "rich.m", *book).out.count("in 1 spend") == 1


def test_no_faithful_release(desk: Path, pocin) -> None:
    words = "release rich.m -o out.m --cost-figure 100 --ledger l.sqlite --time-limit 20 --quiet"
    ended = pocin(*words.split())
    one_sentence(ended)
    assert ended.code == 4
    assert "stays spent" in ended.err
    assert {path.name for path in desk.iterdir()} == {"rich.m", "l.sqlite", "l.sqlite.head"}
    (network,) = Ledger.at(desk / "l.sqlite").networks()
    assert Ledger.at(desk / "l.sqlite").history(network).spent.total == Fraction(2)


def test_nothing_is_spent_on_a_folder_that_takes_no_files(desk: Path, pocin) -> None:
    folder = desk / "sealed"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):
        folder = Path("/proc/self")
    if not folder.is_dir():
        pytest.skip("this user may write everywhere")
    words = f"release rich.m -o {folder}/out.m --cost-figure 2690.8 --ledger l.sqlite --quiet"
    ended = pocin(*words.split())
    one_sentence(ended)
    assert ended.code == 2
    assert not (desk / "l.sqlite").exists()


def test_a_full_disk_leaves_nothing(desk: Path, pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []

    def fsync(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 3:  # the curator's record, after the network and its statement
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("pocin.output.os.fsync", fsync)
    ended = pocin(*["release", "rich.m", "-o", "out.m", "--research", "--quiet"])
    one_sentence(ended)
    assert ended.code == 3
    assert len(synced) == 3
    assert [path.name for path in desk.iterdir()] == ["rich.m"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read every file")
def test_a_source_that_may_not_be_read(desk: Path, pocin) -> None:
    (desk / "rich.m").chmod(0)
    ended = pocin("solve", "rich.m")
    one_sentence(ended)
    assert ended.code == 3


CODES = {
    "PocinError": 1,
    "UsageError": 2,
    "InputError": 3,
    "NotFaithfulError": 4,
    "BudgetError": 5,
    "AuditError": 6,
}


@pytest.mark.parametrize("name", CODES)
def test_exit_codes(pocin, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def fail(_: object, **__: object) -> None:
        raise getattr(errors, name)("it went wrong; mend it")

    monkeypatch.setattr(api, "solve", fail)
    ended = pocin("solve", "rich.m", "--quiet")
    assert (ended.code, ended.out) == (CODES[name], "")
    assert ended.err == "pocin: it went wrong; mend it\n"


def test_every_error_has_a_code() -> None:
    tree = {
        name: value.exit_code
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.PocinError)
    }
    assert tree == CODES


def test_an_internal_error_shows_no_traceback(pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object, **__: object) -> None:
        raise ValueError(f"{SECRETS[0]} is odd")

    monkeypatch.setattr(api, "solve", fail)
    ended = pocin("solve", "rich.m", "--quiet")
    one_sentence(ended)
    assert ended.code == 1
    monkeypatch.setenv("POCIN_DEBUG", "1")
    with pytest.raises(ValueError, match="is odd"):
        run(["solve", "rich.m"])


def test_interrupt(pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "solve", interrupt)
    ended = pocin("solve", "rich.m", "--quiet")
    one_sentence(ended)
    assert ended.code == 130


def test_a_closed_pipe(pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: str) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(sys.stdout, "write", write)
    monkeypatch.setattr("pocin.cli.os.dup2", lambda *_: None)
    ended = pocin("cases")
    assert (ended.code, ended.err) == (1, "")


def test_an_output_that_cannot_be_printed(pocin, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sys.stdout, "write", write)
    monkeypatch.setattr("pocin.cli.console.os.dup2", lambda *_: None)
    ended = pocin("cases")
    one_sentence(ended)
    assert ended.code == 1
    assert "No space left on device" in ended.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("release rich.m out.m", "'out.m' is one argument too many; name its flag, or join"),
        ("ledger open rich.m", "see pocin ledger open --help"),
        ("nonsense", "see pocin --help"),
    ],
)
def test_usage_points_at_the_help_of_its_command(pocin, line: str, words: str) -> None:
    assert words in pocin(*line.split()).err


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--reading", "per-trip"), "--reading: is for"),
        (("--trip-times", "computed"), "--trip-times: is for"),
        (("--gamma", "0.1"), "--gamma: is for"),
        (("--model", "third"), "--model: expected"),
    ],
)
def test_choices_of_another_kind(pocin, tmp_path: Path, flags: tuple[str, ...], words: str) -> None:
    ended = pocin("release", "ieee14", "-o", str(tmp_path / "out.m"), *flags)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"pocin: {words}")
