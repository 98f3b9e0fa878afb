# SPDX-License-Identifier: MIT
"""Composable Kernel's headers, out of the wheel that carries them, with a few scripted edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.edits import EDITS
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/3rdparty/composable_kernel")
# tile_engine is what the build benchmark compares itself with, the example of attention, which
# writes JSON, what a test does.
_WANTED = (
    "include/ck_tile/",
    "include/rapidjson/",
    "tile_engine/ops/gemm/",
    "tile_engine/ops/commons/",
    "example/ck_tile/01_fmha/",
    "LICENSE",
)
# Where edited headers are kept as they were, for the test that compares the code of kernels.
_SHIPPED = "shipped"


def unpack(lock: Path, output: Path) -> None:
    """Write the headers below `output`, from the cached wheel or from the network."""
    for path, shipped, edited in obtain(lock, lambda path: path.startswith(_WANTED)):
        if edited != shipped:
            wheelhouse.write(output / _SHIPPED / path, shipped)
        wheelhouse.write(output / path, edited)


def obtain(lock: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, bytes, bytes]]:
    """The wanted files of a checkout by path, each as it was shipped and as it is after the edits.

    All that have edits must be among them.
    """
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    unseen = {edit.path for edit in EDITS}
    for path, shipped in wheelhouse.files_below(wheel, _INSIDE, wanted):
        unseen.discard(path)
        edited = shipped
        for edit in EDITS:
            if edit.path == path:
                edited = edit.apply(edited.decode()).encode()
        yield path, shipped, edited
    if unseen:
        missing = f"{wheel.name} has no {min(unseen)}, which is to be edited"
        raise FetchError(f"{missing}; the lock names other headers.")
