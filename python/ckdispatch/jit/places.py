# SPDX-License-Identifier: MIT
"""Where the cache is and how large it may grow, from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ckdispatch.arguments import checked_path
from ckdispatch.errors import InvalidArgument, IoFailed
from ckdispatch.wording import quoted

DEFAULT_LIMIT = 10 << 30
"""Bytes that the cache may hold if CKDISPATCH_CACHE_SIZE says nothing."""

_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.ASCII | re.IGNORECASE)


_LONGEST = 32
"""Characters of a size; no disk takes more."""


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of the just-in-time cache, absolute: ``jit`` in the folder that bazelw uses."""
    known = os.environ if environment is None else environment
    return Path(os.path.abspath(checked_path("a cache folder", _base(known)))) / "jit"


def cache_limit(environment: Mapping[str, str] | None = None) -> int:
    """How many bytes the cache may hold: CKDISPATCH_CACHE_SIZE, or 10 GiB."""
    text = (os.environ if environment is None else environment).get("CKDISPATCH_CACHE_SIZE", "")
    if not text.strip():
        return DEFAULT_LIMIT
    return parse_size(text, "CKDISPATCH_CACHE_SIZE")


def parse_size(text: str, what: str = "the size") -> int:
    """Bytes from text such as ``500M``, ``2G`` or ``1048576``; the units are powers of 1024."""
    match = (
        _SIZE.fullmatch(text.strip()) if isinstance(text, str) and len(text) < _LONGEST else None
    )
    if match is None:
        raise InvalidArgument(
            f"{what} is {quoted(text)}, which is not a size; write bytes or a number with K, M, G "
            "or T, "
            "such as 500M."
        )
    whole = float(match[1]) * (1 << _UNITS[match[2].upper()])
    return int(whole)


def _base(environment: Mapping[str, str]) -> Path:
    own = environment.get("CKDISPATCH_CACHE")
    if own is not None and own != "":
        return checked_path("CKDISPATCH_CACHE", own)
    # A Bazel test may write only to a folder of its own.
    for variable in ("TEST_TMPDIR", "XDG_CACHE_HOME"):
        if folder := environment.get(variable):
            return Path(folder) / "ckdispatch"
    if home := environment.get("HOME"):
        return Path(home) / ".cache" / "ckdispatch"
    return _account_home() / ".cache" / "ckdispatch"


def _account_home() -> Path:
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise IoFailed(
            "no cache folder can be chosen because HOME is not set and this account has no home; "
            "set CKDISPATCH_CACHE to a folder."
        ) from None
