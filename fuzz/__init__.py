# SPDX-License-Identifier: MIT
"""Coverage-guided fuzzing of all that pocin reads: ``python -m fuzz TARGET --runs N``.

    corpus ──► mutate ──► judge ──► outcome: built, refused in a sentence, or a fault
    valid files  structure   the reader and its promises

``documents`` packs several files into one input; ``mutate`` alters cells, rows and sections;
``judge`` runs a target on an input and holds what every execution must keep; ``power``, ``roads``,
``policies``, ``water`` and ``commands`` are the targets; ``engine`` is atheris, and ``__main__``
counts. All but ``engine`` works without atheris, and the quick tests use it so.
"""
