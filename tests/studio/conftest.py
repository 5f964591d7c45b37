# SPDX-License-Identifier: MIT
"""A studio that runs, and a network whose secrets can be told from everything else."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

import pocin
from pocin.power.grid import Grid
from pocin.power.matpower import format_matpower
from pocin.studio.bench import Bench
from pocin.studio.guard import MARK, Guard
from pocin.studio.server import Studio
from pocin.studio.session import Session
from pocin.studio.vault import Vault
from pocin.studio.worker import Worker

OWN = {"figure": "declared", "cost_figure": "5976"}
JSON = {"Content-Type": "application/json", MARK: "1"}
NAME = "Ravensworth"


@dataclass
class Open:
    """A running studio, asked as its page asks; ``bodies`` keeps every answer."""

    server: Studio
    bodies: list[tuple[str, bytes]] = field(default_factory=list)

    def raw(
        self, method: str, path: str, headers: dict[str, str], body: bytes | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Ask anything; Host and so on only as given."""
        host, port = self.server.server_address[:2]
        line = HTTPConnection(str(host), int(port), timeout=60)
        try:
            line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                line.putheader(name, value)
            if body is not None:
                line.putheader("Content-Length", str(len(body)))
            line.endheaders(body)
            answer = line.getresponse()
            data = answer.read()
        finally:
            line.close()
        self.bodies.append((path, data))
        return answer.status, dict(answer.headers), data

    @property
    def host(self) -> str:
        """The Host header of a browser."""
        return f"127.0.0.1:{self.server.server_address[1]}"

    def get(self, path: str) -> bytes:
        """Ask for what is shown."""
        status, _, data = self.raw("GET", self.inside(path), {"Host": self.host})
        assert status == 200, data
        return data

    def post(self, path: str, body: Any) -> Any:
        """Ask for something to be done."""
        headers = {"Host": self.host, **JSON}
        _, _, data = self.raw("POST", self.inside(path), headers, json.dumps(body).encode())
        return json.loads(data)

    def inside(self, path: str) -> str:
        """Return a path behind the token."""
        return f"/{self.server.guard.token}/{path}"

    def state(self) -> Any:
        """Return what goes on."""
        return json.loads(self.get("state"))

    def until(self, what: str, seconds: float = 90) -> Any:
        """Wait for the end of the preview or of the release."""
        end = monotonic() + seconds
        while (state := self.state())[what]["running"]:
            assert monotonic() < end
            sleep(0.05)
        return state[what]


@contextmanager
def studio_at(folder: Path) -> Iterator[Open]:
    """Run a studio in a thread."""
    session = Session(Worker(Vault), Worker(Bench), folder / "ledger.sqlite", folder)
    with Studio(Guard.at("127.0.0.1", None), 0, session) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Open(server)
        finally:
            server.shutdown()
            thread.join()
            session.close()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """One studio for tests that do not care what others did with it."""
    with studio_at(tmp_path_factory.mktemp("studio")) as found:
        yield found


def marked(path: Path) -> Grid:
    """Write a grid of 14 buses whose secrets are numbers that nothing else is."""
    grid = pocin.read("ieee14").content
    units, costs = grid.units, grid.costs
    has = units.pmax > 0
    k = np.arange(len(units))
    coefficients = np.array(costs.coefficients)
    coefficients[:, 1] = np.where(has, 21.3571 + 3.1713 * k, 0.0)
    made = replace(
        grid,
        units=replace(
            units,
            pmax=np.where(has, 217.37 + 41.19 * k, 0.0),
            pmin=np.where(has, 1.2347 + k, 0.0),
            qmax=np.where(has, 83.6173 + k, units.qmax),
            pg=np.where(has, 63.4177 + k, 0.0),
            qg=11.7391 + k,
        ),
        buses=replace(grid.buses, vm=1.01731 + 0.001 * np.arange(len(grid.buses))),
        costs=replace(costs, coefficients=coefficients),
    )
    path.write_text(format_matpower(made, (f"of {NAME}",), NAME), "utf-8")
    return made


def secrets_of(grid: Grid) -> list[str]:
    """Return the secrets as they would be written; costs are not, for their list is public."""
    has = grid.units.pmax > 0
    columns = [getattr(grid.units, name)[has] for name in ("pmax", "pmin", "qmax", "pg", "qg")]
    numbers = [*np.concatenate(columns).tolist(), *grid.buses.vm.tolist()]
    return [NAME, *(f"{value:.10g}" for value in numbers)]


@pytest.fixture
def waiting() -> Callable[[Callable[[], bool]], None]:
    """Wait for something."""

    def wait(condition: Callable[[], bool]) -> None:
        end = monotonic() + 60
        while not condition():
            assert monotonic() < end
            sleep(0.02)

    return wait
