# SPDX-License-Identifier: MIT
"""The kernel families there are: those of the table, each from the folder of its name."""

from __future__ import annotations

from collections.abc import Mapping

from ckfamilies import exported

from ckgen.core.family import Family

FAMILIES: Mapping[str, Family] = exported("ckgen.{}.family")
