# SPDX-License-Identifier: MIT
"""``python -m pocin``."""

from pocin.cli import main

if __name__ == "__main__":
    main()
