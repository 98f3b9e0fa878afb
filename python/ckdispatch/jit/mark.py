# SPDX-License-Identifier: MIT
"""The mark of a cache: only a folder that has it is written to, and only what a cache made there is ever removed.

Everything that a cache makes has a name with a hash or a random number of at least 64 bits in it; whatever is called
otherwise is somebody else's, wherever it lies.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from ckdispatch.errors import InvalidArgument
from ckdispatch.jit.files import inside, read_file, write_file

MARK = "CACHEDIR.TAG"
"""As backup programs know it, which leave such a folder out."""

_OURS = "Signature: 8a477f597d28d172789f06886806bc55\n# A cache of kernels that ckdispatch compiled just in time. Format "
_FORMAT = 1
_TEXT = (
    f"{_OURS}{_FORMAT}.\n# It may be removed as a whole at any time; `ckdispatch cache --help` tells what else can be done.\n"
).encode()

_KEY, _TOKEN = "[0-9a-f]{64}", "[0-9a-f]{16}"
_GONE = r"\.[0-9a-f]{8}\.gone"

KEY = re.compile(_KEY)
EVICTED = re.compile(_KEY + _GONE)
FIRST_TWO = re.compile("[0-9a-f]{2}")
LOG = re.compile(r"\w{1,180}-[0-9a-f]{32}\.log", re.ASCII)
EVICTED_LOG = re.compile(LOG.pattern + _GONE, re.ASCII)
LOCK = re.compile(rf"{_KEY}\.lock")
LEASE = re.compile(rf"{_TOKEN}\.lease")
MEMO = re.compile(rf"{_KEY}\.json")
WORK = re.compile(_TOKEN)
WORK_LOCK = re.compile(rf"{_TOKEN}\.lock")
_NEW_MARK = re.compile(rf"{re.escape(MARK)}\.{_TOKEN}\.new")
_OLD_LOG = re.compile(r"\w+-[0-9a-f]{12}\.log", re.ASCII)
"""Of caches of before there were marks, which are still read but whose logs stay."""

GATE = "eviction.gate"
MEMBERS: dict[str, tuple[re.Pattern[str], ...]] = {
    "locks": (LOCK,),
    "leases": (LEASE,),
    "work": (WORK, WORK_LOCK),
    "logs": (LOG, EVICTED_LOG, _OLD_LOG),
    "memos": (MEMO,),
}
"""The names in the folders of a cache that are not of entries."""


def check_mark(root: Path, kinds: tuple[str, ...]) -> bool:
    """Whether a folder is marked as a cache; refuses one that is none and holds something.

    A cache of before there were marks is known by its gate, if every name in it is one that a cache gives.
    """
    stranger: str | None = MARK
    try:
        text = read_file(root / MARK, own=True, most=len(_TEXT) + 64)
        if text == _TEXT:
            return True
        if text.startswith(_OURS.encode()):
            raise InvalidArgument(
                f"the folder {root} is a cache of another version of ckdispatch; remove it, or set CKDISPATCH_CACHE to another folder."
            )
    except FileNotFoundError:
        stranger = _stranger(root, kinds)
    except OSError:
        pass
    if stranger is not None:
        raise InvalidArgument(
            f"the folder {root} was to be a cache, and it is neither empty nor one: it holds {stranger}. Name a new or an empty "
            "folder, such as by CKDISPATCH_CACHE, since a cache removes what it no longer needs."
        )
    return False


def write_mark(root: Path) -> None:
    """Marks a folder, in one moment."""
    new = root / f"{MARK}.{secrets.token_hex(8)}.new"
    write_file(new, _TEXT)
    try:
        os.rename(new, root / MARK)
    except FileNotFoundError:
        # Another process found it left over, after it had made the mark itself.
        if not (root / MARK).exists():
            raise


def unfinished_marks(root: Path) -> list[Path]:
    """What a process left that died while it marked the folder."""
    return inside(root, _NEW_MARK)


def _stranger(root: Path, kinds: tuple[str, ...]) -> str | None:
    """The first thing in an unmarked folder that no cache made, if there is any."""
    names = sorted(name for name in os.listdir(root) if not _NEW_MARK.fullmatch(name))
    if not names:
        return None
    if GATE not in names:
        return names[0]
    for name in names:
        if name in kinds:
            found = _stranger_among_entries(root / name)
        elif name in MEMBERS:
            found = _first_other(root / name, MEMBERS[name])
        else:
            found = None if name == GATE else ""
        if found is not None:
            return os.path.join(name, found) if found else name
    return None


def _stranger_among_entries(folder: Path) -> str | None:
    found = _first_other(folder, (FIRST_TWO,))
    if found is not None:
        return found
    for below in inside(folder, FIRST_TWO):
        found = _first_other(below, (KEY, EVICTED))
        if found is not None:
            return os.path.join(below.name, found)
    return None


def _first_other(folder: Path, known: tuple[re.Pattern[str], ...]) -> str | None:
    if folder.is_symlink() or not folder.is_dir():
        return ""
    for name in sorted(os.listdir(folder)):
        if not any(pattern.fullmatch(name) for pattern in known):
            return name
    return None
