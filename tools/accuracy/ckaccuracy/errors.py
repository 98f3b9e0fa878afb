# SPDX-License-Identifier: MIT
"""What goes wrong."""

from __future__ import annotations


class AccuracyError(Exception):
    """The message is a sentence."""
