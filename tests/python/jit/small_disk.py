# SPDX-License-Identifier: MIT
"""A disk that is really small: a file system in memory, in a name space of this process alone."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_NEW_USER = 0x10000000
_NEW_MOUNTS = 0x00020000

_libc = ctypes.CDLL(None, use_errno=True)


def enter() -> bool:
    """Give this process name spaces of its own; False where the system does not allow it."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEW_USER | _NEW_MOUNTS) != 0:
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    except OSError:
        return False
    return True


def mount(folder: Path, size: int) -> bool:
    """Put a file system of ``size`` bytes on ``folder``; False where that is not allowed."""
    options = f"size={size},mode=755".encode()
    return bool(_libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, options) == 0)


def unmount(folder: Path) -> None:
    """Take it away again, even if something is still in use there."""
    detach = 2
    assert _libc.umount2(str(folder).encode(), detach) == 0


def is_possible(folder: Path) -> bool:
    """Whether this machine lets us do that; tried in a child, for there is no way back."""
    child = os.fork()
    if child == 0:
        os._exit(0 if enter() and mount(folder, 1 << 16) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
