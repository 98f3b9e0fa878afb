# SPDX-License-Identifier: MIT
"""Programs and libraries that every user of the machine could replace, which are not run, whoever named them.

Whom an installation belongs to is its administrator's business; that just anybody may write it is nobody's wish.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def open_to_all(path: Path) -> str | None:
    """The file, or the folder that it lies in, that all may write to; None if there is none. Links are followed."""
    real = os.path.realpath(path)
    try:
        if os.stat(real).st_mode & stat.S_IWOTH:
            return real
        for place in {os.path.dirname(os.path.abspath(path)), os.path.dirname(real)}:
            mode = os.stat(place).st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                return place
    except OSError:  # whoever opens it says why that does not work
        return None
    return None
