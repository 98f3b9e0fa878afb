# SPDX-License-Identifier: MIT
"""A decoder for the MessagePack format, in which AMD GPU code objects carry their metadata."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from ckinspect.errors import MalformedError

# Metadata nests a handful of levels; the bound keeps hostile input from exhausting the stack.
_MAX_DEPTH = 64


@dataclass(frozen=True)
class Extension:
    """A value of an application-defined type."""

    kind: int
    payload: bytes


def decode(data: bytes) -> Any:
    """The one value that `data` holds; raises MalformedError unless it is exactly one.

    Maps become dicts, arrays lists, nil None; a map key must be a scalar.
    """
    decoder = _Decoder(data)
    value = decoder.value(0)
    if decoder.offset != len(data):
        raise MalformedError(f"{len(data) - decoder.offset} bytes follow the MessagePack value")
    return value


class _Decoder:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.offset = 0

    def value(self, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise MalformedError(f"its MessagePack values nest deeper than {_MAX_DEPTH} levels")
        tag = self._take(1)[0]
        if tag <= 0x7F:
            return tag
        if tag >= 0xE0:
            return tag - 0x100
        if tag <= 0x8F:
            return self._map(tag & 0x0F, depth)
        if tag <= 0x9F:
            return self._array(tag & 0x0F, depth)
        if tag <= 0xBF:
            return self._text(tag & 0x1F)
        return self._tagged(tag, depth)

    def _tagged(self, tag: int, depth: int) -> Any:
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag in _NUMBERS:
            return self._number(_NUMBERS[tag])
        if tag in _BINARY_LENGTHS:
            return self._take(self._number(_BINARY_LENGTHS[tag]))
        if tag in _TEXT_LENGTHS:
            return self._text(self._number(_TEXT_LENGTHS[tag]))
        if tag in _ARRAY_LENGTHS:
            return self._array(self._number(_ARRAY_LENGTHS[tag]), depth)
        if tag in _MAP_LENGTHS:
            return self._map(self._number(_MAP_LENGTHS[tag]), depth)
        if tag in _FIXED_EXTENSIONS:
            return self._extension(_FIXED_EXTENSIONS[tag])
        if tag in _EXTENSION_LENGTHS:
            return self._extension(self._number(_EXTENSION_LENGTHS[tag]))
        raise MalformedError(f"0x{tag:02x} begins no MessagePack value")

    def _take(self, count: int) -> bytes:
        end = self.offset + count
        if end > len(self._data):
            raise MalformedError(
                f"its MessagePack data ends after {len(self._data)} bytes where {end} are needed"
            )
        taken = self._data[self.offset : end]
        self.offset = end
        return taken

    def _number(self, layout: str) -> Any:
        return struct.unpack(layout, self._take(struct.calcsize(layout)))[0]

    def _text(self, length: int) -> str:
        try:
            return self._take(length).decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedError("a MessagePack string in it is not UTF-8") from error

    def _array(self, count: int, depth: int) -> list[Any]:
        return [self.value(depth + 1) for _ in range(count)]

    def _map(self, count: int, depth: int) -> dict[Any, Any]:
        entries: dict[Any, Any] = {}
        for _ in range(count):
            key = self.value(depth + 1)
            if isinstance(key, (list, dict)):
                raise MalformedError("a MessagePack map in it has a key that is not a scalar")
            if key in entries:
                raise MalformedError(f"a MessagePack map in it has the key {key!r} twice")
            entries[key] = self.value(depth + 1)
        return entries

    def _extension(self, length: int) -> Extension:
        return Extension(kind=self._number(">b"), payload=self._take(length))


_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_BINARY_LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I"}
_EXTENSION_LENGTHS = {0xC7: ">B", 0xC8: ">H", 0xC9: ">I"}
_FIXED_EXTENSIONS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_TEXT_LENGTHS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
_ARRAY_LENGTHS = {0xDC: ">H", 0xDD: ">I"}
_MAP_LENGTHS = {0xDE: ">H", 0xDF: ">I"}
