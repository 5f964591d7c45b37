# SPDX-License-Identifier: MIT
"""Folders with a network in them, what may stand there after a fault, and what must not."""

import json
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import RICH
from tests.roads.catalogue import block

from pocin.power.matpower import read_matpower
from pocin.privacy.ledger import Ledger
from pocin.roads.files import read_roads

SECRETS = ("61.19", "240.17", "87.31", "52.73", "73.41", "44.87", "HIDEOUT")


@dataclass(frozen=True)
class Desk:
    """A folder with a source, the words of a release of it, and the release's own files."""

    folder: Path
    words: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def spends(self) -> int:
        """Return how many spends the ledger has, once it was verified."""
        ledger = Ledger.at(self.folder / "l.sqlite")
        return sum(len(ledger.history(name).spends) for name in ledger.networks())

    @property
    def there(self) -> list[str]:
        """Return which of the outputs stand at their places."""
        return [name for name in self.outputs if (self.folder / name).exists()]

    @property
    def strangers(self) -> list[str]:
        """Return what stands in the folder and is neither source, ledger nor output."""
        known = {"rich.m", "city", "l.sqlite", "l.sqlite.head", *self.outputs}
        return sorted(path.name for path in self.folder.iterdir() if path.name not in known)

    def check_whole(self) -> None:
        """Assert that the outputs are one release, whole, its record for one pair of eyes."""
        assert self.there == list(self.outputs)
        record = self.folder / self.outputs[-1]
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        secret = json.loads(record.read_text("utf-8"))
        said = json.loads(self.statement.read_text("utf-8"))
        assert secret["guarantee"] == said["guarantee"]
        assert secret["parameters"] == said["parameters"]
        released = self.folder / self.outputs[0]
        if released.is_dir():
            read_roads(released)
            assert {path.name for path in released.iterdir()} == set(said["files"])
        else:
            read_matpower(released)
            text = released.read_text("utf-8")
            assert all(f"% {line}\n" in text for line in said["guarantee"]["statement"].split("\n"))
        ledger = Ledger.at(self.folder / "l.sqlite")
        digests = [e.digest for n in ledger.networks() for e in ledger.history(n).entries]
        assert secret["ledger_entry"] in digests

    def check_pieces(self) -> None:
        """Assert that each output which stands is a whole file of some release."""
        for name in self.there:
            path = self.folder / name
            if name.endswith(".json"):
                json.loads(path.read_text("utf-8"))
            elif path.is_dir():
                read_roads(path)
            else:
                read_matpower(path)
            if name.endswith("curator.json"):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600

    @property
    def statement(self) -> Path:
        """The public statement."""
        place = self.folder / self.outputs[0]
        return place / "release.json" if place.is_dir() else self.folder / self.outputs[1]

    def copy(self, folder: Path) -> "Desk":
        """Return a desk like this one."""
        shutil.copytree(self.folder, folder)
        return Desk(folder, self.words, self.outputs)


def grid_desk(folder: Path) -> Desk:
    """Return a desk with a small grid on it."""
    folder.mkdir()
    (folder / "rich.m").write_bytes(RICH.read_bytes())
    words = "release rich.m -o out.m --cost-figure 2690.8 --ledger l.sqlite --quiet"
    return Desk(folder, tuple(words.split()), ("out.m", "out.m.release.json", "out.m.curator.json"))


def city_desk(folder: Path) -> Desk:
    """Return a desk with a small city on it."""
    (folder / "city").mkdir(parents=True)
    for name, data in block(3, 3).items():
        (folder / "city" / name).write_bytes(data)
    words = "release city -o out --cost-figure 20 --gamma 0.01 --beta 0.5 --ledger l.sqlite --quiet"
    return Desk(folder, tuple(words.split()), ("out", "out.curator.json"))
