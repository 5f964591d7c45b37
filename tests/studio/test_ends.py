# SPDX-License-Identifier: MIT
"""What the studio says in between: nothing open yet, a release under way, an unknown question."""

import errno
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.studio.conftest import Open, studio_at

from pocin.errors import UsageError
from pocin.kinds import Solved
from pocin.power.kind import POWER
from pocin.studio import pages
from pocin.studio.bench import Bench
from pocin.studio.opened import Trial
from pocin.studio.server import _unbound
from pocin.studio.session import Session
from pocin.studio.vault import Vault
from pocin.studio.worker import GivenUpError, Worker, _answer


class Local:
    """A worker in this process, whose answers can be held back."""

    def __init__(self, made: object) -> None:
        self.made, self.asked, self.held = made, [], {}

    def ask(self, method, *given, say=lambda _: None, limit=None):
        del limit
        self.asked.append(method)
        answer = getattr(self.made, method)(*given, say)
        if method in self.held:
            began, on = self.held.pop(method)
            began.set()
            assert on.wait(60)
        return answer

    def hold(self, method):
        self.held[method] = began, on = Event(), Event()
        return began, on

    def close(self):
        self.asked.append("close")


def local(folder: Path) -> Session:
    return Session(Local(Vault()), Local(Bench()), folder / "ledger.sqlite", folder)


def test_nothing_is_tried_before_anything_is_open(tmp_path):
    session = local(tmp_path)
    with pytest.raises(UsageError, match="preview: open a network first"):
        session.preview()
    assert session.state()["preview"]["html"] == ""
    assert session.ended == ""


def test_while_a_release_is_drawn_nothing_else_is_asked(tmp_path):
    session = local(tmp_path)
    session.open("ieee14")
    began, on = session.vault.hold("release")
    session.release("ieee14", {}, "2")
    assert began.wait(60)
    for ask in (
        lambda: session.open("ieee30"),
        lambda: session.plan("ieee14", {}),
        lambda: session.release("ieee14", {}, "2"),
    ):
        with pytest.raises(UsageError, match="a release is being drawn: wait for its end"):
            ask()
    on.set()
    session.close()
    # what was spent is spent, and the word of it is the last
    assert session.ended.startswith(("the release is in ", "no faithful release"))
    assert session.vault.asked == ["read", "release", "close"]


def test_a_plan_that_was_overtaken_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("pocin.studio.session.FEW_NODES", 10)  # nothing is tried unasked
    session = local(tmp_path)
    session.open("ieee14")
    began, on = session.vault.hold("plan")
    slow = Thread(target=session.plan, args=("ieee14", {"epsilon": "0.1"}))
    slow.start()
    assert began.wait(60)
    session.plan("ieee14", {"epsilon": "0.5"})
    on.set()
    slow.join()
    assert float(session.opened.promise.location.epsilon) == 0.5


def test_trials_that_were_overtaken_are_not_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("pocin.studio.session.FEW_NODES", 10)
    session = local(tmp_path)
    session.open("ieee14")
    session.plan("ieee14", {})
    began, on = session.bench.hold("trial")
    session.preview()
    assert began.wait(60)
    session.plan("ieee14", {"epsilon": "0.5"})
    before = session.state()["preview"]
    on.set()
    session.close()
    after = session.state()["preview"]
    assert (after["done"], after["running"], after["round"]) == (0, False, before["round"])


def test_trials_of_which_none_held():
    (card,) = pages._foretold([Trial(None, reason="too dear")], [])
    assert "0 of 1" in str(card)


def test_a_surrogate_that_cannot_be_solved_is_a_sentence(monkeypatch):
    vault = Vault()
    vault.read("ieee14", lambda _: None)
    opened = vault.plan("ieee14", {}, None, lambda _: None)
    monkeypatch.setattr(type(POWER), "solve", lambda *_: Solved(None, "no", 0.0))
    side = opened.kind, opened.public
    with pytest.raises(UsageError, match="none of the made-up networks could be solved"):
        Bench().trial("key", side, opened.request, 1, lambda _: None)


def test_an_unknown_question(tmp_path):
    with studio_at(tmp_path) as studio:
        assert isinstance(studio, Open)
        assert studio.post("delete", {}) == {"error": "this question cannot be understood"}


def test_a_worker_that_was_closed_begins_no_more():
    worker = Worker(Bench)
    worker.close()
    with pytest.raises(GivenUpError, match="it was ended before it was through"):
        worker.ask("trial")


def test_an_internal_error_is_one_word_unless_it_is_looked_for(monkeypatch):
    def broken(_):
        raise ZeroDivisionError("a secret")

    monkeypatch.delenv("POCIN_DEBUG", raising=False)
    said = _answer(broken, (), lambda _: None)
    assert said == ("failed", "internal error (ZeroDivisionError); please report it")
    monkeypatch.setenv("POCIN_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        _answer(broken, (), lambda _: None)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EADDRINUSE, "--port 80: is taken"),
        (errno.EACCES, "--port 80: is not for everybody; give one above 1023"),
        (errno.EADDRNOTAVAIL, "--host 10.9.9.9: is no address of this machine"),
    ],
)
def test_an_address_that_cannot_be_had(number, said):
    assert _unbound("10.9.9.9", 80, OSError(number, "why")).startswith(said)
