# SPDX-License-Identifier: MIT
"""Whether other users could have put something into a place that code is loaded or run from."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ckdispatch.errors import IoFailed

FOLDER = 0o700
FILE = 0o600
"""The rights of everything in the cache, whatever the umask."""

_OTHERS_MAY_WRITE = 0o022
_MOST_LINKS = 40


def check_place(folder: Path) -> None:
    """Refuses a cache folder that others can write to, or could put another one in the place of.

    One that is not there yet is judged by the folders above it. In a folder such as /tmp, where all
    may write but nobody may rename what belongs to others, a folder of one's own is safe.
    """
    for place, state, last in _way(folder):
        _check(folder, place, state, last)


def is_own(state: os.stat_result) -> bool:
    """Whether nobody but this user, and root, could have written what has that state."""
    return _trusted(state.st_uid) and not state.st_mode & _OTHERS_MAY_WRITE


def make_folder(folder: Path) -> None:
    """Makes a folder of the cache; what is there already must be one, and one's own."""
    try:
        os.mkdir(folder, FOLDER)
    except FileExistsError:
        check_folder(folder)
    else:
        restrict(folder, FOLDER)


def check_folder(folder: Path) -> None:
    """Refuses what is in the place of a folder of the cache and is none, or not one's own; it need
    not be there.
    """
    try:
        state = os.lstat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(state.st_mode):
        raise IoFailed(
            f"{folder} is in the way, which is no folder; remove it, "
            "or set CKDISPATCH_CACHE to another folder."
        )
    _check(folder, str(folder), state, last=True)


def make_folders(folder: Path) -> None:
    """Makes a folder and those above it that are missing."""
    missing = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(one, FOLDER)
            restrict(one, FOLDER)


def restrict(path: Path, rights: int) -> None:
    """Gives what was just made its rights where the umask took some of them,
    or gave others more.
    """
    mode = os.lstat(path).st_mode
    if stat.S_IMODE(mode) != rights and not stat.S_ISLNK(mode):
        os.chmod(path, rights)


def open_own(path: Path, flags: int) -> int:
    """The descriptor of a file in the cache, made with the rights of one if it is not there; a link
    is none.
    """
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, FILE)
    with suppress(OSError):  # one that is somebody else's stays as it is
        if stat.S_IMODE(os.fstat(descriptor).st_mode) != FILE:
            os.fchmod(descriptor, FILE)
    return descriptor


def _check(folder: Path, place: str, state: os.stat_result, last: bool) -> None:
    known = _trusted(state.st_uid) or (not last and state.st_uid == _nobody_here())
    if not known:
        raise IoFailed(
            f"the cache folder {folder} is not used because {place} belongs to "
            f"{_name(state.st_uid)}, who could have other "
            "code run in place of yours; set CKDISPATCH_CACHE to a folder of your own."
        )
    if stat.S_ISLNK(state.st_mode) or not state.st_mode & _OTHERS_MAY_WRITE:
        return
    if last or not state.st_mode & stat.S_ISVTX:
        raise IoFailed(
            f"the cache folder {folder} is not used because others may write to {place} (mode "
            f"{stat.S_IMODE(state.st_mode):04o}) and could have other code run in place of yours; "
            "set CKDISPATCH_CACHE to a folder of your own or, if you trust everything below it, "
            f"`chmod -R go-w {place}`."
        )


def _way(path: Path) -> Iterator[tuple[str, os.stat_result, bool]]:
    """Every folder and link on the way to ``path``, and whether it is the last; ends where there is
    no further way.
    """
    here, links = "/", 0
    rest = [part for part in reversed(os.path.abspath(path).split("/")) if part]
    yield here, os.lstat(here), not rest
    while rest:
        part = rest.pop()
        if part == "..":
            here = os.path.dirname(here)
            continue
        place = os.path.join(here, part)
        try:
            state = os.lstat(place)
        except OSError:  # nothing is there yet, or nothing that could be opened
            return
        is_link = stat.S_ISLNK(state.st_mode)
        yield place, state, not rest and not is_link
        if not is_link:
            here = place
            continue
        links += 1
        if links > _MOST_LINKS:
            return
        target = os.readlink(place)
        rest += [part for part in reversed(target.split("/")) if part not in ("", ".")]
        here = "/" if target.startswith("/") else here


def _trusted(user: int) -> bool:
    return user in (0, os.geteuid())


def _nobody_here() -> int | None:
    """How users are seen that a user name space has no number for, root of the machine among them;
    None outside of one.

    Of what belongs to them no more can be told; it may be on the way to a cache, not the cache
    itself.
    """
    with suppress(OSError, ValueError, IndexError):
        known = sum(
            int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines()
        )
        if known < 2**32 - 1:
            return int(Path("/proc/sys/kernel/overflowuid").read_text())
    return None


def _name(user: int) -> str:
    try:
        return f"the user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"the user number {user}"
