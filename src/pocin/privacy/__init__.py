# SPDX-License-Identifier: MIT
"""What spends privacy: the metric, the draws, their guarantee and the ledger."""
