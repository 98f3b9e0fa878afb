# SPDX-License-Identifier: MIT
"""How much a declaration may ask for; far more than a project builds, and little enough to be
answered in seconds.
"""

MOST_BYTES = 64 * 1024 * 1024
"""Of a JSON file."""
MOST_ENTRIES = 100_000
MOST_SETS = 10_000
MOST_CHOICES = 10_000_000
"""Combinations of the choices of all entries, on all GPUs, before any rule; the largest catalogue
has 6 million.
"""
FEW_CHOICES = 200_000
"""Of so many each is judged, so that the counts of what rules refuse are of kernels; of more,
branches are cut.
"""
MOST_KERNELS = 100_000
"""Legal ones that a wildcard or a list stands for."""
MOST_NUMBER = 2**31 - 1
"""What numbers of kernels are held in."""
LISTED_ERRORS = 20
"""Sentences about what is wrong; more are counted."""
