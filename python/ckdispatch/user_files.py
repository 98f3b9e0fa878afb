# SPDX-License-Identifier: MIT
"""Files that a user names: regular ones, of a size that such a file can have; and those that
anybody could replace.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from ckdispatch.arguments import checked_path
from ckdispatch.errors import InvalidArgument, IoFailed
from ckdispatch.wording import quoted

_SUFFIX = 16
"""Bytes that the name of a file is longer by until it is whole."""

MOST = 256 << 20
"""Bytes. The manifest of every kernel of every set has a tenth of that."""

_CHUNK = 1 << 20
_DEEPEST = 64
_MOST_BITS = 63


def read_bytes(path: Path, what: str, most: int = MOST) -> bytes:
    """The content of a file; ``what`` says what it should be. Waits for no pipe, and reads no
    device.
    """
    try:
        # Without O_NONBLOCK, opening a pipe would wait for someone to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            content = _content(descriptor, most)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise IoFailed(f"{what} {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # such as a null character in its name
        raise InvalidArgument(f"{what} {path} cannot be read: {error}") from error
    if isinstance(content, str):
        raise InvalidArgument(f"{what} {path} cannot be read: it {content}")
    return content


def _content(descriptor: int, most: int) -> bytes | str:
    """What an open file holds, or what is wrong with it."""
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        return "is a folder" if stat.S_ISDIR(state.st_mode) else "is no regular file"
    content = bytearray()
    # What its size says may be out of date, or, of files that the kernel makes up, nothing at all.
    while state.st_size <= most and len(content) <= most:
        chunk = os.read(descriptor, _CHUNK)
        if not chunk:
            return bytes(content)
        content += chunk
    return f"has more than {most >> 20} MiB"


def read_text(path: Path, what: str, most: int = MOST) -> str:
    """The content of a text file."""
    try:
        return read_bytes(path, what, most).decode()
    except UnicodeDecodeError as error:
        raise InvalidArgument(
            f"{what} {path} cannot be read: it is no text, because of its byte {error.start}"
        ) from None


def check_document(document: Any, what: str) -> None:
    """Refuses a JSON document that nobody wrote on purpose: nested too deeply, or with numbers that
    nothing can hold.
    """
    waiting = [(document, 0)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise InvalidArgument(f"{what} cannot be read: it is nested more than {_DEEPEST} deep")
        if isinstance(one, int) and one.bit_length() > _MOST_BITS:
            raise InvalidArgument(
                f"{what} cannot be read: it has a number of {one.bit_length()} bits; "
                f"no number has more than {_MOST_BITS}"
            )
        if isinstance(one, (dict, list)):
            waiting += (
                (inner, depth + 1) for inner in (one.values() if isinstance(one, dict) else one)
            )


def check_writable(path: Path, what: str) -> None:
    """Refuses a file that could not be written in the end, before anything is done for it."""
    checked_path(what, path)
    folder = path.parent
    if path.is_dir():
        raise InvalidArgument(f"{what} {path} cannot be written: it is a folder")
    if not folder.is_dir():
        raise InvalidArgument(f"{what} {path} cannot be written: there is no folder {folder}")
    most = os.pathconf(folder, "PC_NAME_MAX") - _SUFFIX
    if len(os.fsencode(path.name)) > most:
        raise InvalidArgument(
            f"{what} {quoted(path.name)} cannot be written: a name has at most {most} bytes there"
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise IoFailed(f"{what} {path} cannot be written: this user may not write there")
    if path.exists() and not stat.S_ISREG(os.stat(path).st_mode):
        raise InvalidArgument(f"{what} {path} cannot be written: it is no regular file")


def open_to_all(path: Path) -> str | None:
    """The file, or the folder that it lies in, that all may write to; None if there is none. Links
    are followed.

    Programs and libraries that every user of the machine could replace are not run, whoever named
    them.
    """
    real = os.path.realpath(path)
    try:
        if os.stat(real).st_mode & stat.S_IWOTH:
            return real
        for place in {os.path.dirname(os.path.abspath(path)), os.path.dirname(real)}:
            mode = os.stat(place).st_mode
            if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                return place
    except OSError:  # whoever opens it says why that does not work
        return None
    return None
