# SPDX-License-Identifier: MIT
"""Release power grids and road networks privately and faithfully."""
