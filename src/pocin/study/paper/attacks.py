# SPDX-License-Identifier: MIT
"""Attacks."""

from __future__ import annotations


def power(results):
    return None


def roads(results):
    return None
