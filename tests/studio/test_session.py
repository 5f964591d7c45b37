# SPDX-License-Identifier: MIT
"""From the choice of a network to its release, as the page asks for it."""

import io
import json
import pickle
import stat
import struct
import zipfile
from fractions import Fraction
from html import unescape
from pathlib import Path
from time import sleep

import numpy as np
import pytest
from tests.studio.conftest import OWN, Open, marked, secrets_of, studio_at

import pocin
from pocin.privacy.ledger import Ledger
from pocin.report.html import number
from pocin.report.released import read_released
from pocin.studio import session
from pocin.studio.vault import Vault
from pocin.studio.worker import Worker


def test_a_release_from_choice_to_download(tmp_path: Path) -> None:
    with studio_at(tmp_path) as studio:
        assert "Epsilon" in studio.post("open", {"source": "ieee14"})["controls"]
        said = studio.post("plan", {"source": "ieee14", "fields": {"epsilon": "0.5"}})
        assert "no budget is set" in said["spend"]
        assert 'data-spend="1"' in said["spend"]
        assert "5 of 5 done" in studio.until("preview")["html"]
        assert not (tmp_path / "ledger.sqlite").exists()  # nothing was spent on it
        body = {"source": "ieee14", "fields": {"epsilon": "0.5"}, "spend": "1"}
        assert studio.post("release", body)["release"]["running"]
        assert "Spent on this network so far: 1 (" in studio.until("release")["html"]
        data = studio.get("download/release")
        assert data == (tmp_path / "released.m").read_bytes()
        assert json.loads(studio.get("download/statement"))["kind"] == "power"
        assert b"<!doctype html>" in studio.get("download/page")
        assert "NOT A PRIVATE" not in data.decode()
        assert read_released(tmp_path / "released.m").private
        record = tmp_path / "released.m.curator.json"
        assert stat.S_IMODE(record.stat().st_mode) == 0o600
        again = studio.post("plan", body)
        assert "in 1 spend" in again["spend"]
        assert not again["preview"]["running"]  # the trials were of the same parameters
        assert again["preview"]["done"] == 5


def test_roads_are_downloaded_whole(tmp_path: Path) -> None:
    with studio_at(tmp_path) as studio:
        assert "gamma" in studio.post("open", {"source": "siouxfalls"})["controls"]
        body = {"source": "siouxfalls", "fields": {}, "spend": "2"}
        studio.post("plan", body)
        assert "5 of 5" in studio.until("preview")["html"]
        studio.post("release", body)
        assert "faithful as promised" in studio.until("release")["html"]
        with zipfile.ZipFile(io.BytesIO(studio.get("download/release"))) as archive:
            names = {name.partition("/")[2] for name in archive.namelist()}
        assert names == {file.name for file in (tmp_path / "released").iterdir()}
        assert "release.json" in names


def test_a_budget_is_a_sentence_and_nothing_is_spent(tmp_path: Path) -> None:
    ledger = Ledger.at(tmp_path / "ledger.sqlite")
    network = pocin.read("ieee14")
    key = network.kind.ledger_key(network.content)
    ledger.open_budget(key, Fraction(1))
    with studio_at(tmp_path) as studio:
        body = {"source": "ieee14", "fields": {"epsilon": "1"}, "spend": "2"}
        said = studio.post("plan", body)
        assert "data-refused" in said["spend"]
        assert "this would spend 2, but 1 of the budget of 1 is left" in said["spend"]
        studio.post("release", body)  # the page would not ask
        assert "This would spend 2, but 1 of the budget" in studio.until("release")["html"]
        assert not list(tmp_path.glob("released*"))
    assert ledger.history(key).spends == ()


def test_what_was_agreed_on_is_what_is_spent(tmp_path: Path) -> None:
    with studio_at(tmp_path) as studio:
        studio.post("release", {"source": "ieee14", "fields": {"epsilon": "3"}, "spend": "2"})
        assert "the spend has changed since you saw it" in studio.until("release")["html"].lower()
        assert not list(tmp_path.glob("released*"))


def test_no_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "released.m.curator.json").write_text("mine")
    with studio_at(tmp_path) as studio:
        studio.post("release", {"source": "ieee14", "fields": {}, "spend": "2"})
        assert "released-2.m" in studio.until("release")["html"]
    assert (tmp_path / "released.m.curator.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("source", "fields", "sentence"),
    [
        ("", {}, "choose a built-in case"),
        ("nowhere.m", {}, "there is no such file"),
        ("ieee14", {"beta": "much"}, "beta: expected a number"),
        ("ieee14", {"epsilon": "-1"}, "epsilon"),
        ("ieee14", {"figure": "declared"}, "cost figure: give a number"),
        ("ieee14", {"gamma": "0.1"}, "--gamma: is for roads"),
        ("ieee14", {"policy": "none"}, "none"),
    ],
)
def test_what_is_wrong_is_a_sentence(
    running: Open, source: str, fields: dict[str, str], sentence: str
) -> None:
    assert sentence in running.post("plan", {"source": source, "fields": fields})["error"]


def test_no_secret_leaves(tmp_path: Path) -> None:
    source = tmp_path / "mine.m"
    grid = marked(source)
    hidden = secrets_of(grid)
    with studio_at(tmp_path) as studio:
        for path in ("", "studio.css", "studio.js", "state"):
            studio.get(path)
        studio.post("open", {"source": str(source)})
        wrong = [{}, OWN | {"beta": "x"}, OWN | {"alpha_value": "7.7777MW"}, {"figure": "private"}]
        for fields in wrong:
            assert "error" in studio.post("plan", {"source": str(source), "fields": fields})
        asked = [OWN | {"policy": policy} for policy in ("unit", "site", "derived")]
        asked += [{"figure": "computed"}, {"figure": "private", "cost_epsilon": "100"}, OWN]
        for fields in asked:
            body = {"source": str(source), "fields": fields, "spend": "2"}
            assert "plan" in studio.post("plan", body)
            studio.until("preview")
        studio.post("release", body)
        assert "faithful as promised" in studio.until("release")["html"]
        for path in ("download/statement", "download/page", "download/release"):
            studio.get(path)
        bodies = [(path, unescape(data.decode())) for path, data in studio.bodies]
    assert len(bodies) > 20
    drawn = [f"{value:.10g}" for value in grid.units.pmax[grid.units.pmax > 0]]
    drawn += [number(float(value)) for value in grid.units.pmax[grid.units.pmax > 0]]
    for path, text in bodies:
        released = path.endswith(("download/release", "download/page"))
        for secret in hidden if released else [*hidden, *drawn]:
            if released and secret in drawn:
                continue  # a draw may fall on it
            assert secret not in text, (path, secret)
    record = (tmp_path / "released.m.curator.json").read_text()
    assert drawn[0] in record  # the search would find it


def test_previews_of_networks_that_differ_in_the_secret_are_equal(tmp_path: Path) -> None:
    grid = marked(tmp_path / "first.m")
    units = grid.units
    other = tmp_path / "other.m"
    text = (tmp_path / "first.m").read_text()
    for value in units.pmax[units.pmax > 0]:
        assert f"{value:g}" in text
        text = text.replace(f"{value:g}", f"{1000 - value:g}")
    other.write_text(text)
    there = pocin.read(other).content
    assert not np.array_equal(there.units.pmax, units.pmax)
    shown = []
    with studio_at(tmp_path) as studio:
        for name in ("first.m", "other.m"):
            studio.post("plan", {"source": str(tmp_path / name), "fields": OWN})
            shown.append(studio.until("preview")["html"])
        studio.post("plan", {"source": "ieee14", "fields": {"epsilon": "0.1"}})
        shown.append(studio.until("preview")["html"])
    assert shown[0] == shown[1]
    assert "5 of 5 done" in shown[0]
    assert shown[2] != shown[0]  # other parameters are another preview


class Slow:
    """A bench that takes its time."""

    def trial(self, *_: object) -> None:
        sleep(60)


def test_larger_networks_are_previewed_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "FEW_NODES", 10)
    with studio_at(tmp_path) as studio:
        said = studio.post("plan", {"source": "ieee14", "fields": {}})
        assert not said["preview"]["running"]
        assert "14 nodes: 2 trials" in said["preview"]["html"]
        assert "Press Preview to begin" in said["preview"]["html"]
        assert studio.post("preview", {})["preview"]["running"]
        assert "2 of 2 done" in studio.until("preview")["html"]


def test_a_preview_that_takes_too_long_says_so_and_the_page_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PATIENCE", 0.2)
    with studio_at(tmp_path) as studio:
        studio.server.session.bench = Worker(Slow)
        assert studio.post("plan", {"source": "ieee14", "fields": {}})["preview"]["running"]
        assert b"pocin studio" in studio.get("")  # meanwhile
        assert "Not all could be tried: it took over 1 s" in studio.until("preview")["html"]


def test_new_parameters_overtake_those_before(tmp_path: Path) -> None:
    with studio_at(tmp_path) as studio:
        for epsilon in ("0.1", "0.2", "0.5"):
            fields = {"epsilon": epsilon}
            last = studio.post("plan", {"source": "ieee14", "fields": fields})
        assert last["preview"]["running"]
        ended = studio.until("preview")
        assert (ended["done"], ended["round"]) == (5, last["preview"]["round"])
        shown = ended["html"]
        studio.post("open", {"source": "ieee14"})
        studio.post("plan", {"source": "ieee14", "fields": {"epsilon": "0.5"}})
        assert studio.until("preview")["html"] == shown


def test_what_leaves_the_vault_holds_no_secret(tmp_path: Path) -> None:
    grid = marked(tmp_path / "mine.m")
    units = grid.units.take(grid.units.pmax > 0)
    vault, source = Vault(), str(tmp_path / "mine.m")
    known = vault.read(source, lambda _: None)
    opened = vault.plan(source, OWN, tmp_path / "ledger.sqlite", lambda _: None)
    sent = pickle.dumps((known, opened))
    assert b"PublicGrid" in sent
    assert vault._network is not None
    kept = pickle.dumps(vault._network.content)
    for column in (units.pmax, units.pmin, units.qmax, units.pg, units.qg):
        for value in column:
            assert struct.pack("<d", value) in kept  # the search would find it
            assert struct.pack("<d", value) not in sent
