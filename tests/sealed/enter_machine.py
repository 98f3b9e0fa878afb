# SPDX-License-Identifier: MIT
"""Runs a command as a chosen user id and with folders of the caller's choice as /etc and /opt.

Usage: enter_machine.py UID ETC OPT COMMAND…

All of it holds in namespaces of the command's own, so that no rights are needed and nothing else
changes.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_MS_BIND = 0x1000
_MS_REC = 0x4000


def _check(result: int, what: str) -> None:
    if result != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def main(uid: str, etc: str, opt: str, *command: str) -> None:
    outer_uid, outer_gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNS), "unshare")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {outer_uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{uid} {outer_gid} 1", encoding="ascii")
    for folder, place in ((etc, b"/etc"), (opt, b"/opt")):
        _check(
            libc.mount(folder.encode(), place, None, _MS_BIND | _MS_REC, None), f"mount {folder}"
        )
    os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
