# SPDX-License-Identifier: MIT
"""The import contracts bite: what they forbid is planted in a copy of the code, and found."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINTER = Path(sys.executable).with_name("lint-imports")

PLANTED = {
    # module that is on the way from the draws to the file, or what must not know it: its violation
    "power/projection.py": "from pocin.privacy.secret import Secret",
    "power/tighten.py": "from pocin.plan import Plan",
    "power/written.py": "from pocin.power.split import split",
    "power/certificate.py": "from pocin.power.files import read_grid",
    "power/dc/exact.py": "from pocin.power.reader import reader_view",
    "roads/bound.py": "from pocin.privacy.secret import Secret",
    "roads/written.py": "from pocin.roads.gamma import computed",
    "roads/hildreth.py": "from pocin.roads.split import split",
    "roads/forms.py": "from pocin.roads.files import read_roads",
    "privacy/value.py": "from pocin.power.grid import Grid",
    "audit/fit.py": "from pocin.roads.network import Roads",
    "roads/choice.py": "import random",
    "power/opf.py": "from opendp.mod import enable_features",
    "privacy/noise.py": "from pocin.power.opf import optimum",
    "policy.py": "from pocin.flow import release",
    "roads/network.py": "from pocin.power.grid import Grid",
    "power/cuts.py": "from pocin.power.damage.shed import least_shed",
    "roads/improve.py": "from pocin.roads.damage import RoadsTarget",
    "roads/finish.py": "from pocin.attack import measure",
    "attack/ranking.py": "from pocin.power.opf import optimum",
    "simple/finish.py": "from pocin.simple.kind import SimpleKind",
    "report/maps.py": "from pocin.report.curator import read_record",
    "power/surrogate.py": "from pocin.power.split import split",
    "roads/surrogate.py": "from pocin.roads.gamma import fitted",
    "studio/pages.py": "from pocin.studio.vault import Vault",
    "studio/guard.py": "from pocin.flow import release",
    "studio/bench.py": "from pocin.api import read",
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what the linter says of a copy with every violation in it."""
    pytest.importorskip("importlinter")
    copy = tmp_path_factory.mktemp("copy")
    unread = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "pocin", copy / "pocin", ignore=unread)
    shutil.copy(ROOT / "pyproject.toml", copy)
    for name, line in PLANTED.items():
        with (copy / "pocin" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    ended = subprocess.run(
        [LINTER, "--no-cache"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy), "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout


def test_every_contract_can_break(broken: str) -> None:
    assert "Contracts: 0 kept, " in broken


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_violation_is_found(broken: str, name: str) -> None:
    importer = "pocin." + name.removesuffix(".py").replace("/", ".")
    imported = PLANTED[name].split()[1]
    if imported == "opendp.mod":
        imported = "opendp"
    assert f"{importer} -> {imported} (l." in broken


def test_the_seam_names_the_secret_in_annotations_only() -> None:
    # The contract lets kinds.py import Secret; what runs after the draws must not get at it so.
    ways = ["power.finish", "power.dc.finish", "power.written", "roads.finish", "roads.written"]
    ways += ["simple.finish", "simple.tables"]
    code = "".join(f"import pocin.{way}\n" for way in ways)
    code += "import sys; print('pocin.privacy.secret' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
