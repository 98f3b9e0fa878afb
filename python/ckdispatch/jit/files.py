# SPDX-License-Identifier: MIT
"""Files of the cache: hashed, written through to the disk, and removed whatever their rights."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ckdispatch.errors import IoFailed

_CHUNK = 1 << 20


def sha256_bytes(data: bytes) -> str:
    """The SHA-256 of ``data``, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path, *, follow: bool = True) -> tuple[str, int]:
    """The SHA-256 and the size of a regular file; a link is one only with ``follow``."""
    with _open_regular(path, 0 if follow else os.O_NOFOLLOW) as stream:
        digest, size = hashlib.sha256(), 0
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size


def read_file(path: Path) -> bytes:
    """The content of a regular file, and of nothing else that could stand in its place."""
    with _open_regular(path, os.O_NOFOLLOW) as stream:
        return stream.readall()


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a new file; with ``durable`` its content is on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync(path: Path) -> None:
    """Have what was written to a file, or the names in a folder, on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def files_below(folder: Path) -> list[str]:
    """Every file below ``folder`` by its path inside it, sorted; a link to a folder is a file."""
    found: list[str] = []
    for base, folders, names in os.walk(folder, onerror=_raise):
        links = [name for name in folders if os.path.islink(os.path.join(base, name))]
        inside = os.path.relpath(base, folder)
        found += [os.path.normpath(os.path.join(inside, name)) for name in (*names, *links)]
    return sorted(found)


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` and all below, also what may not be read; what does not go stays."""
    if folder.is_symlink() or folder.is_file():
        with suppress(OSError):
            folder.unlink()
        return

    def allow_and_retry(function: Callable[..., Any], path: str, _: object) -> None:
        with suppress(OSError):
            if path != str(folder):
                os.chmod(os.path.dirname(path), 0o700)
            if not os.path.islink(path):
                os.chmod(path, 0o700)
        with suppress(OSError):
            if function in (os.unlink, os.rmdir):
                function(path)
            else:
                shutil.rmtree(path, ignore_errors=True)

    if sys.version_info >= (3, 12):
        shutil.rmtree(str(folder), onexc=allow_and_retry)
    else:
        shutil.rmtree(str(folder), onerror=allow_and_retry)


def move_away(path: Path, target: Path) -> bool:
    """Rename ``path`` to ``target``; returns whether there was something to rename."""
    try:
        os.rename(path, target)
    except FileNotFoundError:
        return False
    except PermissionError:
        # A folder must be writable to get another parent.
        os.chmod(path, 0o700)
        os.rename(path, target)
    return True


def explain(error: OSError, folder: Path, doing: str) -> IoFailed:
    """The sentence for a failed access to the cache in ``folder``."""
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return IoFailed(
            f"{doing} failed because the disk of the cache folder {folder} is full; free some "
            "space, or set CKDISPATCH_CACHE to a folder on another disk."
        )
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return IoFailed(
            f"{doing} failed because the cache folder {folder} cannot be written ({reason}); "
            "set CKDISPATCH_CACHE to a folder that can."
        )
    return IoFailed(
        f"{doing} failed in the cache folder {folder} ({reason}); remove what is in its way, or "
        "set CKDISPATCH_CACHE to another folder."
    )


def _open_regular(path: Path, flags: int) -> io.FileIO:
    # Without O_NONBLOCK, opening a pipe would wait for someone to write to it.
    stream = io.FileIO(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags))
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return stream


def _raise(error: OSError) -> None:
    raise error
