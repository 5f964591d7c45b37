# SPDX-License-Identifier: MIT
"""The DC model of a grid, for which the paper's bi-level problem is solved exactly."""
