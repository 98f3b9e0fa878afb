# SPDX-License-Identifier: MIT
"""Files that are either complete or not there, and untouched if their content would not change."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_if_changed(path: Path, content: str) -> bool:
    """Make ``path`` hold ``content``; returns whether the file had to be written.

    The content arrives under a temporary name in the same folder and is renamed into place, so
    that an interruption never leaves part of a file, nor a newer time stamp on an equal one.
    """
    data = content.encode("utf-8")
    try:
        if path.read_bytes() == data:
            return False
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current
