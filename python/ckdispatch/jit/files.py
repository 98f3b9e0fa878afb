# SPDX-License-Identifier: MIT
"""Files of the cache: hashed, written through to the disk, for nobody else, and removed whatever
their rights.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ckdispatch.errors import IoFailed
from ckdispatch.jit import trust

_CHUNK = 1 << 20
_MOST = 64 << 20
"""Bytes; no record of a cache is nearly as long."""


def sha256_bytes(data: bytes) -> str:
    """The SHA-256 of ``data``, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path, *, own: bool = False) -> tuple[str, int]:
    """The SHA-256 and the size of a regular file; one's ``own`` is no link, and nobody else may
    write it.
    """
    with _open_regular(path, own) as stream:
        digest, size = hashlib.sha256(), 0
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return digest.hexdigest(), size


def read_file(path: Path, *, own: bool = True, most: int = _MOST) -> bytes:
    """The content of a regular file, and of nothing else that could stand in its place; ``most``
    bytes of it.
    """
    with _open_regular(path, own) as stream:
        content = bytearray()
        while len(content) < most and (chunk := stream.read(min(_CHUNK, most - len(content)))):
            content += chunk
        return bytes(content)


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a new file; with ``durable`` its content is on the disk when this returns."""
    descriptor = trust.open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
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


def restrict_tree(folder: Path) -> None:
    """Take away the rights of others to everything in a folder that a compiler filled."""
    trust.restrict(folder, trust.FOLDER)
    for base, folders, names in os.walk(folder, onerror=_raise):
        for name in folders:
            trust.restrict(Path(base, name), trust.FOLDER)
        for name in names:
            trust.restrict(Path(base, name), trust.FILE)


def inside(folder: Path, wanted: re.Pattern[str]) -> list[Path]:
    """What is in a folder by such names, sorted; a link to a folder, which may lead anywhere, has
    nothing in it.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        return [folder / name for name in sorted(os.listdir(descriptor)) if wanted.fullmatch(name)]
    finally:
        os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` and all below, also what may not be read; what does not go stays."""
    if folder.is_symlink() or folder.is_file():
        with suppress(OSError):
            folder.unlink()
        return

    def allow_and_retry(function: Callable[..., Any], path: str, _: object) -> None:
        with suppress(OSError):
            if path != str(folder):
                os.chmod(os.path.dirname(path), trust.FOLDER)
            # Of a file the rights of its folder are what counts, and it may have a second name
            # elsewhere.
            if stat.S_ISDIR(os.lstat(path).st_mode):
                os.chmod(path, trust.FOLDER)
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
        os.chmod(path, trust.FOLDER)
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


def _open_regular(path: Path, own: bool) -> io.FileIO:
    # Without O_NONBLOCK, opening a pipe would wait for someone to write to it.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (os.O_NOFOLLOW if own else 0)
    stream = io.FileIO(os.open(path, flags))
    state = os.fstat(stream.fileno())
    if not stat.S_ISREG(state.st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if own and not trust.is_own(state):
        stream.close()
        raise OSError(errno.EPERM, "others could have written it", str(path))
    return stream


def _raise(error: OSError) -> None:
    raise error
