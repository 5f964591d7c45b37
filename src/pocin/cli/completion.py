# SPDX-License-Identifier: MIT
"""``pocin completion``."""

from __future__ import annotations

from typing import Literal

from pocin.cli.console import print_text


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print a script that makes a shell complete commands and flags; writes no file itself.

    bash: pocin completion bash > ~/.local/share/bash-completion/completions/pocin
    zsh: pocin completion zsh > _pocin, in a folder of $fpath
    fish: pocin completion fish > ~/.config/fish/completions/pocin.fish

    Parameters
    ----------
    shell
        Which shell: bash, zsh or fish.
    """
    from pocin.cli import parser

    print_text(parser().generate_completion(shell=shell).rstrip())
