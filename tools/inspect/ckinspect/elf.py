# SPDX-License-Identifier: MIT
"""The little of ELF that a linked AMD GPU code object needs: its notes and its functions."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ckinspect.errors import MalformedError

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NOTE = struct.Struct("<III")

_CLASS_64_LITTLE_ENDIAN = b"\x02\x01"
_OSABI_AMDGPU_HSA = 64
_TYPE_SHARED_OBJECT = 3
_MACHINE_AMDGPU = 224
_SECTION_SYMBOLS = 2
_SECTION_NOTES = 7
_SECTION_NO_BITS = 8
_SECTION_DYNAMIC_SYMBOLS = 11
_SYMBOL_FUNCTION = 2
_UNDEFINED = 0

_BUNDLE_MAGICS = (b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB")


@dataclass(frozen=True)
class Function:
    """A defined function symbol: where its code begins and how many bytes it has."""

    name: str
    address: int
    size: int


@dataclass(frozen=True)
class Note:
    """One entry of a note section."""

    owner: str
    kind: int
    payload: bytes


@dataclass(frozen=True)
class ElfObject:
    """What is read from a code object, in the file's own order."""

    notes: tuple[Note, ...]
    functions: tuple[Function, ...]


@dataclass(frozen=True)
class _Section:
    kind: int
    offset: int
    size: int
    link: int


def parse(data: bytes) -> ElfObject:
    """Reads a linked AMD GPU ELF; raises MalformedError for anything else."""
    sections = _sections(data)
    notes = tuple(
        note
        for section in sections
        if section.kind == _SECTION_NOTES
        for note in _notes(_contents(data, section))
    )
    return ElfObject(notes=notes, functions=_functions(data, sections))


def _sections(data: bytes) -> tuple[_Section, ...]:
    if data.startswith(_BUNDLE_MAGICS):
        raise MalformedError("it is an offload bundle, not the bare code object of one GPU")
    if not data.startswith(b"\x7fELF"):
        raise MalformedError("it is empty" if not data else "it is not an ELF file")
    if len(data) < _HEADER.size:
        raise MalformedError(f"it ends after {len(data)} bytes, inside its ELF header")
    header = _HEADER.unpack_from(data)
    identity, kind, machine = header[0], header[1], header[2]
    if identity[4:6] != _CLASS_64_LITTLE_ENDIAN or machine != _MACHINE_AMDGPU:
        raise MalformedError(f"it holds no AMD GPU code (ELF machine {machine})")
    if identity[7] != _OSABI_AMDGPU_HSA:
        raise MalformedError(f"it is not for the HSA runtime (ELF OS/ABI {identity[7]})")
    if kind != _TYPE_SHARED_OBJECT:
        raise MalformedError("it is not linked")
    offset, entry_size, count = header[6], header[11], header[12]
    if entry_size != _SECTION.size or count == 0:
        raise MalformedError("it has no section table")
    table = _slice(data, offset, count * _SECTION.size, "section table")
    return tuple(
        _Section(kind=fields[1], offset=fields[4], size=fields[5], link=fields[6])
        for fields in _SECTION.iter_unpack(table)
    )


def _slice(data: bytes, offset: int, size: int, what: str) -> bytes:
    end = offset + size
    if end > len(data):
        raise MalformedError(f"it ends after {len(data)} bytes but its {what} goes to byte {end}")
    return data[offset:end]


def _contents(data: bytes, section: _Section) -> bytes:
    if section.kind == _SECTION_NO_BITS:
        return b""
    return _slice(data, section.offset, section.size, "section")


def _notes(data: bytes) -> list[Note]:
    notes: list[Note] = []
    offset = 0
    while offset < len(data):
        owner_size, payload_size, kind = _NOTE.unpack(_slice(data, offset, _NOTE.size, "note"))
        owner_at = offset + _NOTE.size
        payload_at = owner_at + _padded(owner_size)
        owner = _slice(data, owner_at, owner_size, "note").rstrip(b"\0")
        payload = _slice(data, payload_at, payload_size, "note")
        notes.append(Note(owner=owner.decode("ascii", "replace"), kind=kind, payload=payload))
        offset = payload_at + _padded(payload_size)
    return notes


def _padded(size: int) -> int:
    return (size + 3) // 4 * 4


def _functions(data: bytes, sections: tuple[_Section, ...]) -> tuple[Function, ...]:
    """Those of the full symbol table, or of the dynamic one when the object was stripped."""
    for kind in (_SECTION_SYMBOLS, _SECTION_DYNAMIC_SYMBOLS):
        for section in sections:
            if section.kind == kind:
                return _section_functions(data, section, sections)
    raise MalformedError("it has no symbol table")


def _section_functions(
    data: bytes, table: _Section, sections: tuple[_Section, ...]
) -> tuple[Function, ...]:
    if table.link >= len(sections) or table.size % _SYMBOL.size:
        raise MalformedError("its symbol table is damaged")
    names = _contents(data, sections[table.link])
    functions: list[Function] = []
    for name_at, info, _, index, address, size in _SYMBOL.iter_unpack(_contents(data, table)):
        if info & 0x0F == _SYMBOL_FUNCTION and index != _UNDEFINED:
            functions.append(Function(name=_string(names, name_at), address=address, size=size))
    return tuple(functions)


def _string(strings: bytes, offset: int) -> str:
    end = strings.find(b"\0", offset)
    if offset >= len(strings) or end < 0:
        raise MalformedError("its symbol table is damaged")
    try:
        return strings[offset:end].decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedError("a symbol in it is not UTF-8") from error
