# SPDX-License-Identifier: MIT
"""AMD's hand-written code objects, out of the wheel that carries Composable Kernel's headers: what the simulator is tried on."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/hsa")


def unpack(lock: Path, output: Path) -> None:
    """Write them below `output`, in a folder for each GPU."""
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    found = 0
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            inside = PurePosixPath(member)
            if inside.suffix != ".co" or not inside.is_relative_to(_INSIDE) or ".." in inside.parts:
                continue
            target = output / inside.relative_to(_INSIDE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
            found += 1
    if not found:
        raise FetchError(f"{wheel.name} has no code objects below {_INSIDE}; the lock names another wheel.")
