# SPDX-License-Identifier: MIT
"""Writes the hash by which a wheel knows packed headers that it does not have."""

from __future__ import annotations

import sys
from pathlib import Path

from ckdispatch.jit.headers import digest_of_archive

if __name__ == "__main__":
    archive, output = map(Path, sys.argv[1:])
    output.write_text(f"{digest_of_archive(archive)}\n", encoding="ascii")
