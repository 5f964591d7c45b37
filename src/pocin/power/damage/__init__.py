# SPDX-License-Identifier: MIT
"""Attacks on power grids: what ranks units, and what the grid does without some of them."""
