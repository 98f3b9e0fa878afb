# SPDX-License-Identifier: MIT
"""The version of this package. MODULE.bazel says it, and nothing else does."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ckfamilies import REPOSITORY

_WRITTEN = Path(__file__).with_name("version.txt")
"""What Bazel wrote from MODULE.bazel; a clone that it did not build has only that."""

_MODULE = REPOSITORY / "MODULE.bazel"


@cache
def version() -> str:
    """Such as 0.1.0."""
    if _WRITTEN.is_file():
        return _WRITTEN.read_text(encoding="ascii").strip()
    return said_by(_MODULE.read_text(encoding="utf-8"))


def said_by(module: str) -> str:
    """The version that the text of a MODULE.bazel gives its module."""
    found = re.search(r"^module\([^)]*\bversion = \"([^\"]+)\"", module, re.MULTILINE)
    return found[1] if found else "unknown"
