# SPDX-License-Identifier: MIT
"""Whether a file is the kernel library that it should be, without loading it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from ckdispatch.errors import Damaged

ENTRY_POINT = b"ck_kernel_get_api"

_SHARED_OBJECT = 3
_DYNSYM = 11
_IDENT = b"\x7fELF\x02\x01\x01"


def check_library(path: Path, name: str) -> None:
    """Raise ``Damaged`` unless ``path`` is a library of this machine with the kernel ``name``.

    The compiler may have ended well and still have written nothing of use, if it was cut off.
    """
    data = path.read_bytes()
    try:
        kind, machine = struct.unpack_from("<HH", data, 16)
        exported = ENTRY_POINT in _defined_symbols(data) if data.startswith(_IDENT) else False
    except (struct.error, ValueError, OverflowError):
        exported = False
    if not exported:
        raise Damaged(f"{path.name} is no library that exports {ENTRY_POINT.decode()}")
    if kind != _SHARED_OBJECT or machine != _own_machine():
        raise Damaged(f"{path.name} is no shared library for this machine")
    if name.encode() not in data:
        raise Damaged(f"{path.name} does not hold the kernel {name}")


def _own_machine() -> int:
    with open("/proc/self/exe", "rb") as program:
        machine: int = struct.unpack_from("<H", program.read(20), 18)[0]
    return machine


def _defined_symbols(data: bytes) -> set[bytes]:
    """The names that a 64-bit little-endian ELF file defines for others."""
    sections = list(_sections(data))
    names: set[bytes] = set()
    for kind, offset, size, link in sections:
        if kind != _DYNSYM:
            continue
        start = sections[link][1] if link < len(sections) else len(data)
        for place in range(offset, offset + size, 24):
            name, _, _, section = struct.unpack_from("<IBBH", data, place)
            if section != 0:
                names.add(data[start + name : data.index(b"\0", start + name)])
    return names


def _sections(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Kind, offset, size and link of every section."""
    table = struct.unpack_from("<Q", data, 0x28)[0]
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for number in range(count):
        fields = struct.unpack_from("<IIQQQQI", data, table + number * size)
        _, kind, _, _, offset, length, link = fields
        yield kind, offset, length, link
