# SPDX-License-Identifier: MIT
"""A city's roads: links with traffic, trips that take the shortest path."""
