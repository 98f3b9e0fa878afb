# SPDX-License-Identifier: MIT
"""Reading what a compiler printed before it failed."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

_ERROR = re.compile(r"^.*\b(?:fatal )?error: (.+)$", re.MULTILINE)
_LONGEST = 200


def first_error(log: bytes) -> str:
    """The first error in a log, as the end of a clause, or nothing if the compiler named none."""
    found = _ERROR.search(log.decode("utf-8", "replace"))
    if found is None:
        return ""
    text = found[1].strip().rstrip(".")
    return f" ({text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'})"


def ran_out_of_space(log: bytes, folder: Path) -> bool:
    """Whether a compiler that wrote to ``folder`` failed because its disk is full."""
    if os.strerror(errno.ENOSPC).encode() in log:
        return True
    try:
        state = os.statvfs(folder)
    except OSError:
        return False
    # Some file systems do not count files; then there is nothing to run out of.
    return state.f_bavail == 0 or (state.f_files > 0 and state.f_favail == 0)
