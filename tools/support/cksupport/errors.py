# SPDX-License-Identifier: MIT
"""Errors that are shown to a user as they are: one sentence each."""

from __future__ import annotations


class SupportError(Exception):
    """The request cannot be done; the message says why, and what would work."""
