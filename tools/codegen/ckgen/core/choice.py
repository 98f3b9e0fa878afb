# SPDX-License-Identifier: MIT
"""Closed choices: enums whose members read and print as their plain value."""

from __future__ import annotations

from enum import Enum


class Choice(str, Enum):
    """An enum of strings that prints as its value on every supported Python.

    A member equals its value and hashes like it, so it can be looked up among plain strings.
    """

    __hash__ = str.__hash__

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)
