# SPDX-License-Identifier: MIT
"""Work for executors that kills its worker; in a file of its own so that workers can import it."""

import os
import signal
from pathlib import Path

from pocin.study.work import Done


class Poison:
    """Kills the worker at one task, as often as it is tried or only the first time."""

    def __init__(self, name, folder=None):
        self.name, self.folder = name, folder

    def __call__(self, task):
        if task.number == self.name and not self._tried():
            os.kill(os.getpid(), signal.SIGKILL)
        return Done(task.name, {"timings": [{"worker": os.getpid()}]})

    def _tried(self):
        if self.folder is None:
            return False
        mark = Path(self.folder) / "tried"
        tried = mark.exists()
        mark.touch()
        return tried
