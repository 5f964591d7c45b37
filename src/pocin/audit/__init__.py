# SPDX-License-Identifier: MIT
"""What a reviewer runs. Works on any kind of network through ``pocin.kinds.Kind``."""
