# SPDX-License-Identifier: MIT
"""Damage to code objects and bundles: to their tables, their metadata, their kernels' descriptors
and their instructions.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

_NUMBERS = [
    0,
    1,
    4,
    7,
    8,
    64,
    0x7F,
    0xFF,
    0x1000,
    0xFFFF,
    0x10000,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**47,
    2**63,
    2**64 - 8,
    2**64 - 1,
]

# First bytes of the encodings with two words and more.
_ENCODINGS = [0xC0, 0xD0, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD8, 0xDC, 0xDD, 0xE0, 0xE8, 0xC8, 0xCC]


@dataclass(frozen=True)
class Section:
    name: str
    offset: int
    size: int


def sections(elf: bytes) -> dict[str, Section]:
    """The sections of a sound ELF file that has content in it."""
    table, count, names_at = struct.unpack_from("<40xQ12xHH", elf)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + 64 * i) for i in range(count)]
    strings = headers[names_at][4]
    found = {}
    for name, kind, _, _, offset, size in headers:
        text = elf[strings + name : elf.index(b"\0", strings + name)].decode()
        if kind not in (0, 8):
            found[text] = Section(text, offset, size)
    return found


def put(image: bytearray, at: int, value: int, size: int) -> None:
    image[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


def anywhere(image: bytearray, begin: int, end: int, chance: Random) -> None:
    """A few changes of any kind between two places."""
    for _ in range(chance.choice([1, 1, 1, 2, 4, 16])):
        at = chance.randrange(begin, max(begin + 1, end - 8))
        match chance.randrange(4):
            case 0:
                image[at] ^= 1 << chance.randrange(8)
            case 1:
                image[at] = chance.randrange(256)
            case 2:
                put(
                    image,
                    at,
                    chance.choice(_NUMBERS) + chance.choice([0, 0, -1, 1]),
                    chance.choice([2, 4, 8]),
                )
            case 3:
                put(image, at & ~7, chance.randrange(len(image) * 2), 8)


def damaged_tables(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    table, count = struct.unpack_from("<40xQ12xH", image)
    places = [
        (0, 64),
        (64, 64 + 56 * struct.unpack_from("<56xH", image)[0]),
        (table, table + 64 * count),
    ]
    places += [
        (p.offset, p.offset + p.size)
        for name, p in parts.items()
        if name in (".dynsym", ".dynstr", ".symtab", ".rela.dyn") and p.size > 8
    ]
    anywhere(image, *chance.choice(places), chance)


def damaged_metadata(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    anywhere(image, parts[".note"].offset, parts[".note"].offset + parts[".note"].size, chance)


def damaged_descriptor(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    anywhere(
        image, parts[".rodata"].offset, parts[".rodata"].offset + parts[".rodata"].size, chance
    )


def flipped_bits(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    text = parts[".text"]
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        image[text.offset + chance.randrange(text.size)] ^= 1 << chance.randrange(8)


def swapped_words(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    text = parts[".text"]
    for _ in range(chance.choice([1, 1, 2, 5])):
        one, other = (text.offset + 4 * chance.randrange(text.size // 4) for _ in range(2))
        image[one : one + 4], image[other : other + 4] = (
            image[other : other + 4],
            image[one : one + 4],
        )


def spliced_words(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    """Code of other kernels, at any place."""
    text = parts[".text"]
    for _ in range(chance.choice([1, 1, 2, 6])):
        count = min(chance.choice([1, 2, 2, 2, 3, 4, 8]), text.size // 4)
        source = chance.choice(words)
        begin = 4 * chance.randrange(max(1, len(source) // 4 - count))
        at = text.offset + 4 * chance.randrange(text.size // 4 - count + 1)
        image[at : at + 4 * count] = source[begin : begin + 4 * count].ljust(4 * count, b"\0")


def random_words(
    image: bytearray, parts: dict[str, Section], words: list[bytes], chance: Random
) -> None:
    del words
    text = parts[".text"]
    for _ in range(chance.choice([1, 1, 2, 6])):
        at = text.offset + 4 * chance.randrange(max(1, text.size // 4 - 1))
        value = chance.randbytes(8)
        # An encoding that the GPU has, more often than chance would have it.
        if chance.randrange(2):
            value = value[:3] + bytes([chance.choice(_ENCODINGS)]) + value[4:]
        image[at : at + 8] = value


KINDS: list[Callable[[bytearray, dict[str, Section], list[bytes], Random], None]] = [
    damaged_tables,
    damaged_metadata,
    damaged_descriptor,
    flipped_bits,
    flipped_bits,
    swapped_words,
    spliced_words,
    spliced_words,
    random_words,
    random_words,
]


def damage_code_object(content: bytes, words: list[bytes], chance: Random) -> tuple[str, bytes]:
    """The kind of the damage, and a code object that has it."""
    image = bytearray(content)
    kind = chance.choice(KINDS)
    kind(image, sections(content), words, chance)
    return kind.__name__, bytes(image)


def damage_bundle(content: bytes, chance: Random) -> tuple[str, bytes]:
    image = bytearray(content)
    anywhere(image, 0, chance.choice([64, 256, len(content)]), chance)
    return "damaged_bundle", bytes(image)
