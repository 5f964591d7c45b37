# SPDX-License-Identifier: MIT
"""Power grids: columns, files, the optimal power flow and its fidelity."""
