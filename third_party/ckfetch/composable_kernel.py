# SPDX-License-Identifier: MIT
"""Composable Kernel's headers, out of the wheel that carries them, with a few scripted edits."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.edits import EDITS
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/3rdparty/composable_kernel")
# tile_engine is what the build benchmark compares itself with, the example of attention, which writes JSON, what a test does.
_WANTED = (
    "include/ck_tile/", "include/rapidjson/", "tile_engine/ops/gemm/", "tile_engine/ops/commons/", "example/ck_tile/01_fmha/", "LICENSE"
)  # fmt: skip
# Where edited headers are kept as they were, for the test that compares the code of kernels.
_SHIPPED = "shipped"


def unpack(lock: Path, output: Path) -> None:
    """Write the headers below `output`, from the cached wheel or from the network."""
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    unseen = {edit.path for edit in EDITS}
    for path, content in wheelhouse.files_below(wheel, _INSIDE, lambda path: path.startswith(_WANTED)):
        unseen.discard(path)
        _write(output, path, content)
    if unseen:
        raise FetchError(f"{wheel.name} has no {min(unseen)}, which is to be edited; the lock names other headers.")


def _write(output: Path, relative: str, shipped: bytes) -> None:
    content = shipped
    for edit in EDITS:
        if edit.path == relative:
            content = edit.apply(content.decode()).encode()
    if content != shipped:
        wheelhouse.write(output / _SHIPPED / relative, shipped)
    wheelhouse.write(output / relative, content)
