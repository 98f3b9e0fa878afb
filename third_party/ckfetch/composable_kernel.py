# SPDX-License-Identifier: MIT
"""Composable Kernel's headers, out of the wheel that carries them, with a few scripted edits."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.edits import EDITS
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/3rdparty/composable_kernel")
# tile_engine is what the build benchmark compares itself with.
_WANTED = ("include/ck_tile/", "tile_engine/ops/gemm/", "tile_engine/ops/commons/", "LICENSE")
# Where edited headers are kept as they were, for the test that compares the code of kernels.
_SHIPPED = "shipped"


def unpack(lock: Path, output: Path) -> None:
    """Write the headers below `output`, from the cached wheel or from the network."""
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    unseen = {edit.path for edit in EDITS}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            inside = PurePosixPath(member)
            if member.endswith("/") or not inside.is_relative_to(_INSIDE) or ".." in inside.parts:
                continue
            relative = str(inside.relative_to(_INSIDE))
            if relative.startswith(_WANTED):
                unseen.discard(relative)
                _write(output, relative, archive.read(member))
    if unseen:
        raise FetchError(f"{wheel.name} has no {min(unseen)}, which is to be edited; the lock names other headers.")


def _write(output: Path, relative: str, shipped: bytes) -> None:
    content = shipped
    for edit in EDITS:
        if edit.path == relative:
            content = edit.apply(content.decode()).encode()
    if content != shipped:
        _write_file(output / _SHIPPED / relative, shipped)
    _write_file(output / relative, content)


def _write_file(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
