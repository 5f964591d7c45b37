# SPDX-License-Identifier: MIT
"""A process that has imported pocin and, for every line on stdin, forks a child for a command.

A line is an object: the words of the command, the folder to stand in, a fault to prepare with its
arguments, and limits of memory and time. The answer is a line that says how the child ended.
"""

import json
import os
import resource
import signal
import sys
import time
import traceback
from pathlib import Path

ALSO = (
    "casadi", "highspy", "opendp.prelude", "scipy.optimize", "scipy.sparse.csgraph", "powerio",
    "pocin.cli.release", "pocin.cli.ledger", "pocin.cli.solve", "pocin.cli.study",
    "pocin.power.finish", "pocin.power.certificate", "pocin.record", "pocin.power.kind",
    "pocin.roads.kind", "pocin.roads.finish", "pocin.simple.kind", "cyclopts", "rich.console",
    "polars", "matplotlib.pyplot", "pocin.study.sweep", "pocin.study.paper", "pocin.study.engine",
    "pocin.study.executors",
)  # fmt: skip


def main() -> None:
    """Serve until stdin ends."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    for name in ALSO:
        __import__(name)
    from pocin.cli import parser
    from pocin.kinds import kinds

    parser(), kinds()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(served(json.loads(line))) + "\n")
        sys.stdout.flush()


def served(asked: dict) -> dict:
    """Fork a child, wait for it, and say how it ended."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = worked(asked)
        except BaseException:  # noqa: BLE001  (whatever it is, the tests shall see it)
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    hung = False
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if not hung and time.monotonic() - began > asked["seconds"]:
            hung = True
            os.kill(child, signal.SIGKILL)
        time.sleep(0.002)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "hung": hung,
        "seconds": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "mapped": int(Path("/proc/self/statm").read_text("ascii").split()[0])
        * resource.getpagesize(),
    }


def worked(asked: dict) -> int:
    """Run the command in this process, under its fault."""
    os.chdir(asked["folder"])
    for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(name, flags, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.update(asked["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked["memory"]:
        resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
    from pocin.cli import run

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if asked["fault"]:
        from tests.faults import hooks

        getattr(hooks, asked["fault"])(*asked["arguments"])
    return run(asked["words"])


if __name__ == "__main__":
    main()
