# SPDX-License-Identifier: MIT
"""The families of the table: what each exports as ``FAMILY``, and the names and methods that they
give to the public face.

Type checkers see the same by a stub that is generated from the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckfamilies import exported

FAMILIES: Mapping[str, Any] = exported("ckdispatch.{}.family")
"""By name; each is a ``ckdispatch.family.Family``."""

EXAMPLE: Any = next(iter(FAMILIES.values()))
"""Whose kernels and problems sentences have as examples."""


def __getattr__(name: str) -> Any:
    """A public name of a family, or ``FamilyMethods``: a dispatcher with the methods of all of
    them.
    """
    if name == "FamilyMethods":
        return type(
            name, tuple(family.load("methods", "Methods") for family in FAMILIES.values()), {}
        )
    for family in FAMILIES.values():
        if name in family.public:
            return family.load(family.public[name], name)
    raise AttributeError(f"no family has the public name {name!r}")
