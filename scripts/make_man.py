# SPDX-License-Identifier: MIT
"""Write the manual page and its twin for the site, from the help of the command line.

.venv/bin/python scripts/make_man.py build/man/pocin.1      (make docs does so)
"""

import re
import sys
from pathlib import Path

from docutils.core import publish_string

from pocin.cli import parser
from pocin.version import VERSION

PAGE = """
=====
pocin
=====

--------------------------------------------------------------
release power grids and road networks privately and faithfully
--------------------------------------------------------------

:Manual section: 1
:Version: pocin {version}

SYNOPSIS
========

``pocin`` COMMAND [OPTIONS] [ARGUMENTS]

DESCRIPTION
===========

Release a network that looks and behaves like the real one, yet does not tell an attacker which
element to hit: ``pocin release SOURCE -o OUT``. SOURCE is a file, a folder, or the name of a
built-in case (``pocin cases``). Data go to standard output, progress and errors to standard error.

COMMANDS
========

{commands}

EXIT STATUS
===========

0 done, 2 usage, 3 bad input, 4 no faithful release, 5 budget refused, 6 audit failed.

ENVIRONMENT
===========

``XDG_STATE_HOME``
    The folder of the ledger, where no ``--ledger`` is given.

``POCIN_DEBUG``
    Show the traceback of an internal error.
"""


def commands() -> str:
    """Return every command's help, as reStructuredText."""
    said = parser().generate_docs(output_format="rst", recursive=True)
    return re.sub(
        r"^\.\. _.*:\n\n", "", said[said.index(".. _cyclopts-pocin-") :], flags=re.MULTILINE
    )


def manual() -> str:
    """Return the page in troff's man macros."""
    page = PAGE.format(version=VERSION, commands=commands())
    strict = {"halt_level": 2, "datestamp": None}  # a warning ends it; the day is no part of it
    made: bytes = publish_string(page, writer="manpage", settings_overrides=strict)
    return made.decode()


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(manual(), "utf-8")
    print(target)
