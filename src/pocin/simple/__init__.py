# SPDX-License-Identifier: MIT
"""A start for new kinds of network: all that can be done alike once a few methods are given."""
