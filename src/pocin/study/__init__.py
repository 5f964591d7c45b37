# SPDX-License-Identifier: MIT
"""Studies: many seeded releases of many settings, measured. The curator's, never a release."""
