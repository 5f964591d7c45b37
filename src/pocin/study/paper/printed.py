# SPDX-License-Identifier: MIT
"""What the paper prints, to stand beside ours. Its figures are drawn, without numbers."""

FEASIBLE = {  # Table 1: percent of 50 runs by alpha in percent of the diameter
    "nesta14": {"1%": 6, "3%": 6, "5%": 6, "7%": 6, "10%": 6},
    "nesta30": {"1%": 0, "3%": 0, "5%": 0, "7%": 0, "10%": 0},
    "nesta57": {"1%": 12, "3%": 10, "5%": 6, "7%": 12, "10%": 12},
    "nesta118": {"1%": 0, "3%": 0, "5%": 0, "7%": 0, "10%": 0},
}

RUNS = 50
"""Runs behind each of the paper's averages."""

MINUTE = 60.0
"""Seconds within which the paper obfuscates its power networks."""

TWENTY_MINUTES = 1200.0
"""Seconds within which the paper obfuscates Ann Arbor."""

SMALL_INCREASE = 20.0
"""Percent of travel time that the paper's obfuscated attacks on roads stay under."""
