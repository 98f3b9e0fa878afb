# SPDX-License-Identifier: MIT
"""Simulated times of a set's kernels in two builds: which a new compiler or header made slower."""
