# SPDX-License-Identifier: MIT
"""The support matrices: which cells there are, what became of each, and the pages of them."""
