# SPDX-License-Identifier: MIT
"""Remembering what was found out about files of the machine for as long as they do not change."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ckdispatch.jit.entry import canonical
from ckdispatch.jit.files import read_file, sha256_bytes, write_file
from ckdispatch.jit.trust import make_folder

Facts = Mapping[str, Any]

_SETTLED = 2.0
"""Seconds after which a second change of a file surely shows in its times."""


def remember(
    folder: Path, question: Mapping[str, Any], find: Callable[[], tuple[Facts, Iterable[Path]]]
) -> Facts:
    """The answer to ``question``: the remembered one, or what ``find`` returns.

    ``find`` returns the answer, in JSON values, and every file that it depends on. It is asked
    again once the size, a time or the identity of any of them changed, or one is gone.
    """
    memo = folder / f"{sha256_bytes(canonical(question))}.json"
    remembered = _read(memo, question)
    if remembered is not None:
        return remembered
    asked = time.time()
    answer, files = find()
    states = {str(path): _state(path) for path in files}
    newest = max((max(state[1], state[2]) for state in states.values() if state), default=0)
    if newest < (asked - _SETTLED) * 1e9 and None not in states.values():
        _write(memo, {"answer": dict(answer), "files": states, "question": dict(question)})
    return answer


def _state(path: str | Path) -> list[int] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_dev]


def _read(memo: Path, question: Mapping[str, Any]) -> Facts | None:
    try:
        record = json.loads(read_file(memo))
        claimed = record.pop("checksum")
        if sha256_bytes(canonical(record)) != claimed or record["question"] != question:
            return None
        if any(_state(path) != state for path, state in record["files"].items()):
            return None
        answer: Facts = record["answer"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return answer


def _write(memo: Path, body: Mapping[str, Any]) -> None:
    # A memo that is torn does not have its checksum, and one that cannot be kept costs only time.
    with suppress(OSError):
        make_folder(memo.parent)
        memo.unlink(missing_ok=True)
        write_file(memo, canonical({**body, "checksum": sha256_bytes(canonical(body))}), durable=False)
