# SPDX-License-Identifier: MIT
"""Composable Kernel's headers as they are shipped, without the edits of this repository."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ckfetch import wheelhouse

_INCLUDE = "/include/ck_tile/"
_BUILDER = "/tile_engine/ops/gemm/gemm_instance_builder.py"


def unpack_shipped_headers(lock: Path, wheels: Path, builder: Path, folder: Path) -> Path | None:
    """The include folder, unpacked below ``folder`` from the wheel in the cache.

    None if the cache has no wheel of ``lock``, or if tile_engine's ``builder`` shows that another
    Composable Kernel is in use.
    """
    wheel = wheelhouse.find(lock, wheels, "amd_aiter-")
    if wheel is None:
        return None
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        builders = [name for name in names if name.endswith(_BUILDER)]
        if [archive.read(name) for name in builders] != [builder.read_bytes()]:
            return None
        inside = builders[0].removesuffix(_BUILDER)
        for name in names:
            if name.startswith(inside + _INCLUDE) and not name.endswith("/"):
                target = folder / name.removeprefix(inside + "/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
    return folder / "include"
