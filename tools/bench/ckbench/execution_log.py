# SPDX-License-Identifier: MIT
"""What a build ran, from the log that Bazel writes with ``--execution_log_json_file``.

The log holds every action that starts a process, and says which of them were answered by a cache
instead. Actions that Bazel does by itself, such as writing a small file, are not in it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ckbench.errors import BenchError

_SPACE = re.compile(r"\s*")


@dataclass(frozen=True)
class Spawn:
    """One action of a target; ``cached`` says that its outputs were found and nothing was run."""

    mnemonic: str
    target: str
    cached: bool


def log_flag(path: Path) -> str:
    """The flag that makes Bazel write the log to ``path``."""
    return f"--execution_log_json_file={path}"


def read_spawns(path: Path) -> list[Spawn]:
    """The actions in a log."""
    return list(_parse(path.read_text(encoding="utf-8"), path))


def by_mnemonic(spawns: Iterable[Spawn]) -> dict[str, int]:
    """How many actions of each kind there are, in the order of their names."""
    return dict(sorted(Counter(spawn.mnemonic for spawn in spawns).items()))


def _parse(text: str, path: Path) -> Iterator[Spawn]:
    # The log is one JSON object after another, without anything between them but white space.
    decoder = json.JSONDecoder()
    position = 0
    while (position := _SPACE.match(text, position).end()) < len(text):  # type: ignore[union-attr]  # it matches no space too
        try:
            entry, position = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise BenchError(f"Bazel's execution log {path} is damaged: {error}.") from error
        yield Spawn(
            mnemonic=entry["mnemonic"],
            target=str(entry.get("targetLabel", "")).removeprefix("@@"),
            cached=bool(entry.get("cacheHit", False)),
        )
