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
States = Mapping[str, Any]
"""What files of the machine looked like, by their paths."""

_SETTLED = 2.0
"""Seconds after which a second change of a file surely shows in its times."""


def remember(
    folder: Path, question: Mapping[str, Any], find: Callable[[], tuple[Facts, States]]
) -> tuple[Facts, States]:
    """The answer to ``question``, remembered or what ``find`` returns, and the files that it holds
    for.

    ``find`` returns the answer, in JSON values, and the states of every file that it depends on,
    seen before they were read. It is asked again once the size, a time or the identity of any of
    them changed, or one is gone.
    """
    memo = folder / f"{sha256_bytes(canonical(question))}.json"
    remembered = _read(memo, question)
    if remembered is not None:
        return remembered
    asked = time.time()
    answer, states = find()
    newest = max((max(state[1], state[2]) for state in states.values() if state), default=0)
    if newest < (asked - _SETTLED) * 1e9 and None not in states.values():
        _write(memo, {"answer": dict(answer), "files": states, "question": dict(question)})
    return answer, states


def states_of(paths: Iterable[Path]) -> States:
    """The states of files and folders as they are now."""
    return {str(path): _state(path) for path in paths}


def are_as_before(states: States) -> bool:
    """Whether no file has changed since its state was seen."""
    return all(_state(path) == state for path, state in states.items())


def _state(path: str | Path) -> list[int] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return [seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_dev]


def _read(memo: Path, question: Mapping[str, Any]) -> tuple[Facts, States] | None:
    try:
        record = json.loads(read_file(memo))
        claimed = record.pop("checksum")
        if sha256_bytes(canonical(record)) != claimed or record["question"] != question:
            return None
        states: States = record["files"]
        if not are_as_before(states):
            return None
        answer: Facts = record["answer"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return answer, states


def _write(memo: Path, body: Mapping[str, Any]) -> None:
    # A memo that is torn does not have its checksum, and one that cannot be kept costs only time.
    with suppress(OSError):
        make_folder(memo.parent)
        memo.unlink(missing_ok=True)
        write_file(
            memo, canonical({**body, "checksum": sha256_bytes(canonical(body))}), durable=False
        )
