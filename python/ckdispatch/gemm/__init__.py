# SPDX-License-Identifier: MIT
"""Matrix products."""
