# SPDX-License-Identifier: MIT
"""Files that ask for more than they hold are refused with a sentence, and no word of code ends the
process.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import threading
import zlib
from pathlib import Path

import pytest

from tests.gfxsim.bad_input.attempts import BUNDLE, CODE_OBJECT, N, attempt, with_header, works
from tests.gfxsim.programs.device import Module, error, hip, runtime

FOLDER = Path(os.environ["TEST_TMPDIR"])
CODE = CODE_OBJECT.read_bytes()
SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHT_NOBITS = 2, 3, 7, 8
PT_LOAD, PT_NOTE = 1, 4


class Elf:
    """A code object whose tables can be changed."""

    def __init__(self) -> None:
        self.image = bytearray(CODE)
        self.segments, self.sections = struct.unpack_from("<32xQQ", CODE)
        self.segment_count, self.section_count = struct.unpack_from("<56xH2xH", CODE)

    def headers(self, kind: int, flags: int = 0) -> list[int]:
        """Where the headers of the sections of a kind are."""
        places = [self.sections + 64 * i for i in range(self.section_count)]
        found = {at: struct.unpack_from("<4xIQ", self.image, at) for at in places}
        return [
            at
            for at, (own, own_flags) in found.items()
            if own == kind and own_flags & flags == flags
        ]

    def set_section(self, header: int, offset: int, size: int) -> None:
        struct.pack_into("<QQ", self.image, header + 24, offset, size)

    def append(self, content: bytes) -> int:
        at = len(self.image)
        self.image += content
        return at


def load(image: bytes) -> tuple[str, str]:
    """The error of loading an image from a file, if there is one, and its sentence."""
    path = FOLDER / "greedy.co"
    path.write_bytes(image)
    return load_path(path)


def load_path(path: Path) -> tuple[str, str]:
    handle = ctypes.c_void_p()
    status = hip().hipModuleLoad(ctypes.byref(handle), str(path).encode())
    if status == 0:
        hip().hipModuleUnload(handle)
        return "", ""
    return error(status)


def peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def refused(image: bytes, words: str, name: str = "hipErrorInvalidImage") -> None:
    before = peak_megabytes()
    assert load(image)[0] == name
    assert words in error(0)[1] and error(0)[1].endswith(".") and len(error(0)[1]) < 4100
    assert peak_megabytes() - before < 300
    assert works(Module(CODE))


# LLVM's disassembler dies of each, or makes of it what it likes: a literal where an encoding has
# none, and selectors of SDWA that mean nothing.
@pytest.mark.parametrize(
    "words",
    [
        (0xE03493A3, 0xFFE52627),
        (0xE8AB8D7D, 0xFF2A71D5),
        (0xD1D003E5, 0xC3F2ACFF),
        (0x02A0C6F9, 0x57C57CB6),
        (0x7979E6F9, 0xC7E7705D),
    ],
    ids=lambda words: f"{words[0]:08x}",
)
def test_words_that_the_disassembler_dies_of_are_an_error_when_they_are_reached(
    words: tuple[int, int],
) -> None:
    image = bytearray(CODE)
    struct.pack_into("<II", image, CODE.index(struct.pack("<I", 0xFEDCBA98)), *words)
    module = Module(bytes(image))
    assert works(module)
    with runtime().upload(bytes(4 * N)) as buffer:
        said = attempt(module, "unknown_instruction", buffer.address)
    assert f"hipErrorNotSupported: Kernel unknown_instruction: '.long 0x{words[0]:08x}'" in said
    module.unload()


def test_code_that_is_made_of_such_words_is_refused_when_there_are_too_many() -> None:
    elf = Elf()
    words = b"".join(
        struct.pack("<II", 0xE03493A3 + (i << 12 & 0x3000), 0xFFE52627 ^ i) for i in range(1500)
    )
    # A code section of its own, over what lies behind the file's segments.
    header = elf.headers(1, 4)[0]
    address = struct.unpack_from("<Q", elf.image, header + 16)[0]
    for at in range(elf.segments, elf.segments + 56 * elf.segment_count, 56):
        kind, flags = struct.unpack_from("<II", elf.image, at)
        if kind == PT_LOAD and flags & 1:
            offset = elf.append(words)
            struct.pack_into("<QQ8xQQ", elf.image, at + 8, offset, address, len(words), len(words))
        elif kind == PT_LOAD and struct.unpack_from("<Q", elf.image, at + 16)[0] > address:
            struct.pack_into("<I", elf.image, at, 0)
    elf.set_section(header, offset, len(words))
    refused(bytes(elf.image), "more than 1000 words of its code")


def test_processes_that_fork_or_close_their_files_can_load_afterwards() -> None:
    assert works(Module(CODE))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.closerange(3, 1000)
            code = 0 if works(Module(CODE)) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    # Nobody is left to wait for, and the parent's own process is still there.
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert works(Module(CODE))


def test_modules_are_loaded_by_several_threads_at_once() -> None:
    right: list[bool] = []
    threads = [
        threading.Thread(target=lambda: right.extend(works(Module(CODE)) for _ in range(5)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 40


def test_code_that_the_file_does_not_hold() -> None:
    elf = Elf()
    for header in elf.headers(1, 4):
        struct.pack_into("<I", elf.image, header + 4, SHT_NOBITS)
        struct.pack_into("<Q", elf.image, header + 32, 1 << 28)
    for at in range(elf.segments, elf.segments + 56 * elf.segment_count, 56):
        if struct.unpack_from("<I", elf.image, at)[0] == PT_LOAD:
            struct.pack_into("<Q", elf.image, at + 40, 1 << 29)
    refused(bytes(elf.image), "its code is longer than itself")


def test_segments_that_share_a_part_of_the_file() -> None:
    elf = Elf()
    count = 400
    content = elf.append(bytes(1 << 16))
    table = b"".join(
        struct.pack("<IIQQQQQQ", PT_LOAD, 4, content, i << 16, 0, 1 << 16, 1 << 16, 4096)
        for i in range(count)
    )
    struct.pack_into("<Q", elf.image, 32, elf.append(table))
    struct.pack_into("<H", elf.image, 56, count)
    refused(bytes(elf.image), "its segments overlap in the file")


def test_symbols_that_share_a_long_name() -> None:
    elf = Elf()
    name = b"\x01" * 500_000 + b"\0"
    (table,) = elf.headers(SHT_SYMTAB)
    strings = elf.sections + 64 * struct.unpack_from("<I", elf.image, table + 40)[0]
    elf.set_section(strings, elf.append(name), len(name))
    symbols = struct.pack("<IBBHQQ", 0, 2, 0, 1, 0, 0) * 20_000
    elf.set_section(table, elf.append(symbols), len(symbols))
    refused(bytes(elf.image), "its names overlap")


@pytest.mark.parametrize("marker", [b"\x91", b"\x81\xa1a"], ids=["lists", "maps"])
def test_metadata_that_is_a_million_levels_deep(marker: bytes) -> None:
    refused(
        with_metadata(marker * 1_000_000 + b"\xc0"),
        "its metadata is nested more than 32 levels deep",
    )


def test_metadata_that_is_larger_than_that_of_any_kernels() -> None:
    most = 64 << 20
    refused(
        with_metadata(b"\xc0" * (most + 1)),
        f"its metadata has {most + 1} bytes; there can be at most {most}",
    )


# The code object manager's own reader dies of names that are bytes, and of maps whose keys are not
# texts.
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x81\xc4\x01a\x01", "its metadata is not valid MessagePack"),
        (b"\x81\x90\x01", "its metadata is not valid MessagePack"),
        (b"\x81\xaeamdhsa.kernels\x01", "its metadata has 'amdhsa.kernels' that is no list"),
        (b"\x81\xaeamdhsa.kernels\xdd\xff\xff\xff\xff", "its metadata is not valid MessagePack"),
        (
            b"\x81\xaeamdhsa.kernels\x91\x81\xab.vgpr_count\xff",
            "its metadata has a '.vgpr_count' that is no count",
        ),
        (b"\x81\xaeamdhsa.kernels\x91\xc4\x01a", "its kernel '' has no kernel descriptor"),
    ],
    ids=["keys_of_bytes", "keys_of_lists", "no_list", "cut_off", "negative", "kernels_of_bytes"],
)
def test_metadata_that_makes_no_sense(content: bytes, words: str) -> None:
    refused(with_metadata(content), words)


def with_metadata(content: bytes) -> bytes:
    """The code object, with other metadata."""
    elf = Elf()
    size = len(content)
    content += bytes(-len(content) % 4)
    note = struct.pack("<III8s", 7, size, 32, b"AMDGPU\0\0") + content
    at = elf.append(note)
    for header in elf.headers(SHT_NOTE):
        elf.set_section(header, at, len(note))
    for segment in range(elf.segments, elf.segments + 56 * elf.segment_count, 56):
        if struct.unpack_from("<I", elf.image, segment)[0] == PT_NOTE:
            struct.pack_into("<Q", elf.image, segment + 8, at)
            struct.pack_into("<QQ", elf.image, segment + 32, len(note), len(note))
    return bytes(elf.image)


def bundle_of(count: int, code: bytes, gpu: bytes = b"gfx942") -> bytes:
    name = b"hipv4-amdgcn-amd-amdhsa--" + gpu
    start = (32 + count * (24 + len(name)) + 4095) // 4096 * 4096
    entries = struct.pack("<QQQ", start, len(code), len(name)) + name
    return (b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", count) + entries * count).ljust(
        start, b"\0"
    ) + code


def test_bundles_with_entries_that_overlap_cost_what_they_hold() -> None:
    before = peak_megabytes()
    assert works(Module(bundle_of(4000, CODE + bytes(1 << 20))))
    assert peak_megabytes() - before < 300
    refused(bundle_of(5000, CODE), "a bundle of 5000 entries; there can be at most 4096")


def test_names_in_a_sentence_have_an_end_and_no_bytes_that_cannot_be_shown() -> None:
    for gpu, shown in (
        (b"gfx9\0\x07", "only for gfx9??."),
        (b"gfx9" + b"4" * 100_000, "444 ... 444"),
    ):
        refused(bundle_of(1, CODE, gpu), shown, "hipErrorNoBinaryForGpu")


def test_compressed_bundles_that_unpack_to_much() -> None:
    plain = BUNDLE.read_bytes() + bytes(200 << 20)
    refused(with_header(2, 0, len(plain), zlib.compress(plain)), f"to unpack to {len(plain)} bytes")
    for version, method, size in ((3, 1, 1 << 62), (3, 0, 1 << 40), (2, 1, (1 << 32) - 1)):
        refused(
            with_header(version, method, size, zlib.compress(BUNDLE.read_bytes())),
            f"to unpack to {size} bytes",
        )


def test_what_is_no_ordinary_file_is_not_read() -> None:
    pipe = FOLDER / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/urandom"), FOLDER):
        name, sentence = load_path(path)
        assert name == "hipErrorFileNotFound"
        assert sentence == f"{path} is no ordinary file, and its end is not known; give a file."


def test_a_file_that_is_too_large_is_not_kept() -> None:
    large = FOLDER / "large"
    with large.open("wb") as file:
        file.truncate(1 << 40)
    name, sentence = load_path(large)
    assert name == "hipErrorFileNotFound" and "more than 4294967296 bytes" in sentence
    large.unlink()
