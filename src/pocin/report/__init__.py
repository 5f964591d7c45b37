# SPDX-License-Identifier: MIT
"""Pages and figures: what a release is, for people who would rather look than read."""
