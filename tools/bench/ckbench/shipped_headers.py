# SPDX-License-Identifier: MIT
"""Composable Kernel's headers as they are shipped, without the edits of this repository."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ckfetch import wheelhouse

from ckbench.rival import Rival

_INCLUDE = "/include/ck_tile/"


def unpack_shipped_headers(lock: Path, wheels: Path, rival: Rival, folder: Path) -> Path | None:
    """The include folder, unpacked below ``folder`` from the wheel in the cache.

    None if the cache has no wheel of ``lock``, or if the program of ``rival`` shows that another
    Composable Kernel is in use.
    """
    wheel = wheelhouse.find(lock, wheels, "amd_aiter-")
    if wheel is None:
        return None
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        programs = [name for name in names if name.endswith(f"/{rival.path_in_ck}")]
        if [archive.read(name) for name in programs] != [rival.program.read_bytes()]:
            return None
        inside = programs[0].removesuffix(f"/{rival.path_in_ck}")
        for name in names:
            if name.startswith(inside + _INCLUDE) and not name.endswith("/"):
                target = folder / name.removeprefix(inside + "/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    return folder / "include"
