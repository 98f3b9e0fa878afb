# SPDX-License-Identifier: MIT
"""What the problems of all families have in common."""
