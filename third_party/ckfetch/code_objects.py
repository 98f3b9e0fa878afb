# SPDX-License-Identifier: MIT
"""AMD's hand-written code objects, out of the wheel that carries Composable Kernel's headers: what
the simulator is tried on.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ckfetch import wheelhouse
from ckfetch.wheelhouse import FetchError

_INSIDE = PurePosixPath("aiter_meta/hsa")


def unpack(lock: Path, output: Path) -> None:
    """Write them below `output`, in a folder for each GPU."""
    wheel = wheelhouse.obtain(lock, "amd_aiter-")
    found = False
    for path, content in wheelhouse.files_below(wheel, _INSIDE, lambda path: path.endswith(".co")):
        wheelhouse.write(output / path, content)
        found = True
    if not found:
        raise FetchError(
            f"{wheel.name} has no code objects below {_INSIDE}; the lock names another wheel."
        )
