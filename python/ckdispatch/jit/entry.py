# SPDX-License-Identifier: MIT
"""Entries of the cache: a folder of files, and ``entry.json`` that can prove them whole."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckdispatch.errors import Damaged
from ckdispatch.jit.files import (
    files_below,
    read_file,
    restrict_tree,
    sha256_bytes,
    sha256_file,
    sync,
    write_file,
)
from ckdispatch.jit.trust import is_own

RECORD = "entry.json"
FORMAT = 1


@dataclass(frozen=True)
class FileRecord:
    """What a file of an entry must be."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Entry:
    """A whole entry. ``inputs`` is what its key was made of, ``facts`` what is good to know."""

    kind: str
    key: str
    folder: Path
    inputs: Mapping[str, Any]
    facts: Mapping[str, Any]
    files: Mapping[str, FileRecord]
    created: float

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.size for file in self.files.values())

    def path(self, name: str) -> Path:
        """Where one of its files is."""
        return self.folder / name


def canonical(value: object) -> bytes:
    """Compact JSON with sorted keys: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def key_of(inputs: Mapping[str, Any]) -> str:
    """The key of an entry that is made from ``inputs``."""
    return sha256_bytes(canonical(inputs))


def seal(
    folder: Path, kind: str, inputs: Mapping[str, Any], facts: Mapping[str, Any], *, durable: bool
) -> None:
    """Write the record of everything in ``folder``; with ``durable`` all is on the disk then."""
    restrict_tree(folder)
    files = {}
    for name in files_below(folder):
        digest, size = sha256_file(folder / name, own=True)
        files[name] = {"sha256": digest, "size": size}
        if durable:
            sync(folder / name)
    body = {
        "created": time.time(),
        "facts": dict(facts),
        "files": files,
        "format": FORMAT,
        "inputs": dict(inputs),
        "key": key_of(inputs),
        "kind": kind,
    }
    record = {**body, "checksum": sha256_bytes(canonical(body))}
    write_file(folder / RECORD, canonical(record) + b"\n", durable=durable)
    if durable:
        sync(folder)


def read_entry(folder: Path, kind: str, key: str) -> Entry:
    """The record of an entry, checked against itself and its place, but not yet its files.

    Raises ``FileNotFoundError`` if there is no such folder, and ``Damaged`` with the reason.
    """
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode) or not is_own(state):
        raise Damaged(f"{folder} is no folder of this user's alone")
    try:
        text = read_file(folder / RECORD)
    except FileNotFoundError:
        raise Damaged(f"{folder} has no {RECORD}") from None
    except OSError as error:
        raise Damaged(f"{folder / RECORD} cannot be read ({error.strerror})") from error
    try:
        record = json.loads(text)
        claimed = record.pop("checksum")
        if sha256_bytes(canonical(record)) != claimed:
            raise Damaged(f"{folder / RECORD} does not have the checksum that it names")
        files = {name: FileRecord(**file) for name, file in record["files"].items()}
        own = {name: record[name] for name in ("kind", "key", "inputs", "facts", "created")}
        entry = Entry(folder=folder, files=files, **own)
        stray = record["format"] != FORMAT or (entry.kind, entry.key) != (kind, key)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Damaged(f"{folder / RECORD} is not the record of an entry") from error
    if stray or key_of(entry.inputs) != key:
        raise Damaged(f"{folder} holds the record of another entry")
    return entry


def check_files(entry: Entry) -> None:
    """Raise ``Damaged`` unless the entry has exactly the files of its record, byte for byte."""
    try:
        there = [name for name in files_below(entry.folder) if name != RECORD]
        if there != sorted(entry.files):
            odd = sorted(set(there) ^ set(entry.files))[0]
            state = "should not be there" if odd in there else "is missing"
            raise Damaged(f"{entry.folder / odd} {state}")
        for name, file in entry.files.items():
            digest, size = sha256_file(entry.folder / name, own=True)
            if (digest, size) != (file.sha256, file.size):
                raise Damaged(f"{entry.folder / name} is not what was stored")
    except OSError as error:
        where = error.filename or entry.folder
        raise Damaged(f"{where} cannot be read ({error.strerror})") from error
