# SPDX-License-Identifier: MIT
"""Errors of the benchmark; each is one sentence for the person who ran it."""

from __future__ import annotations


class BenchError(Exception):
    """Something that the benchmark needs is missing, or a command that it ran failed."""
