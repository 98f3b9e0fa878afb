# SPDX-License-Identifier: MIT
"""Runs a few instructions on one simulated wave: text in, registers and memory out.

The assembler is $CK_CLANG, or else that of the search path; the simulator is $GFXSIM_PROBE.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

VCC, M0, EXEC = 106, 124, 126
FIRST_AGPR = 256
MODE_DEFAULT = 0x3F0  # round to nearest, keep denormals, IEEE, DX10_CLAMP

# Where each generation's registers and mnemonics come from.
GENERATIONS = {"gfx9": "cdna", "gfx11": "rdna3", "gfx12": "rdna4"}


class _State(ctypes.Structure):
    _fields_ = [
        ("v", ctypes.c_uint32 * 64 * 512),
        ("s", ctypes.c_uint32 * 128),
        ("scc", ctypes.c_uint32),
        ("mode", ctypes.c_uint32),
        ("wave_size", ctypes.c_uint32),
        ("lds_bytes", ctypes.c_uint32),
        ("lds", ctypes.c_void_p),
        ("memory", ctypes.c_void_p),
        ("memory_bytes", ctypes.c_uint64),
        ("scratch_bytes", ctypes.c_uint32),
        ("scratch", ctypes.c_void_p),
        ("error", ctypes.c_char * 1024),
    ]


@cache
def _library() -> ctypes.CDLL:
    path = os.environ.get("GFXSIM_PROBE")
    assert path, "GFXSIM_PROBE must hold the path of libgfxsim_probe.so"
    library = ctypes.CDLL(str(Path(path).absolute()))
    library.gfxsim_probe.argtypes = [
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_uint64,
        ctypes.POINTER(_State),
    ]
    library.gfxsim_probe.restype = ctypes.c_int
    library.gfxsim_probe_definitions.restype = ctypes.c_char_p
    return library


@dataclass(frozen=True)
class Definition:
    """An instruction that is simulated, by its mnemonic without encoding suffix."""

    name: str
    generations: tuple[str, ...]  # of "gfx9", "gfx11", "gfx12"
    klass: str
    exact: bool


@cache
def definitions() -> tuple[Definition, ...]:
    """All instructions that are simulated."""
    text = _library().gfxsim_probe_definitions().decode()
    return tuple(
        Definition(name, tuple(isas.split(",")), klass, exact == "exact")
        for name, isas, klass, exact in (line.split() for line in text.splitlines())
    )


def generation_of(gpu: str) -> str:
    """ "gfx9", "gfx11" or "gfx12": GPUs of a generation share mnemonics."""
    return f"gfx{gpu.removeprefix('gfx')[:-2]}"


class ProbeError(Exception):
    """The simulator refused the code, with its reason."""


class State:
    """A wave's registers and the memory that it may touch, as NumPy arrays. Everything starts at
    zero, with all lanes enabled.
    """

    def __init__(
        self, wave_size: int = 64, lds: int = 0, memory: int = 0, scratch: int = 0
    ) -> None:
        self._raw = _State()
        self.v = np.frombuffer(self._raw.v, dtype=np.uint32).reshape(512, 64)
        self.s = np.frombuffer(self._raw.s, dtype=np.uint32)
        self.wave_size = wave_size
        self.scc = 0
        self.mode = MODE_DEFAULT
        self.lds = np.zeros(lds, dtype=np.uint8)
        self.memory = np.zeros(memory, dtype=np.uint8)
        self.scratch = np.zeros((wave_size, scratch), dtype=np.uint8)
        self.set_mask(EXEC, (1 << wave_size) - 1)

    def copy(self) -> State:
        """Another state with the same contents; its memory lies elsewhere."""
        other = State(self.wave_size)
        other.v[:], other.s[:] = self.v, self.s
        other.scc, other.mode = self.scc, self.mode
        other.lds, other.memory, other.scratch = (
            self.lds.copy(),
            self.memory.copy(),
            self.scratch.copy(),
        )
        return other

    @property
    def address(self) -> int:
        """Of the first byte of `memory`."""
        return self.memory.ctypes.data

    def mask(self, register: int) -> int:
        """64 bits from a pair of scalar registers."""
        return int(self.s[register]) | int(self.s[register + 1]) << 32

    def set_mask(self, register: int, bits: int) -> None:
        """Sets a pair of scalar registers."""
        self.s[register], self.s[register + 1] = bits & 0xFFFFFFFF, bits >> 32 & 0xFFFFFFFF

    def run(self, gpu: str, code: bytes) -> None:
        """Runs code up to its s_endpgm; ProbeError with the reason if it fails."""
        raw = self._raw
        raw.scc, raw.mode, raw.wave_size = self.scc, self.mode, self.wave_size
        raw.lds, raw.lds_bytes = _pointer(self.lds), self.lds.size
        raw.memory, raw.memory_bytes = _pointer(self.memory), self.memory.size
        raw.scratch, raw.scratch_bytes = _pointer(self.scratch), self.scratch.shape[1]
        if _library().gfxsim_probe(gpu.encode(), code, len(code), ctypes.byref(raw)):
            raise ProbeError(raw.error.decode())
        self.scc, self.mode = int(raw.scc), int(raw.mode)


def _pointer(array: np.ndarray) -> int | None:
    return array.ctypes.data if array.size else None


class Probe:
    """One GPU: assembles for it and runs on it."""

    def __init__(self, gpu: str) -> None:
        self.gpu = gpu
        self.generation = generation_of(gpu)

    def definitions(self) -> list[Definition]:
        """What is simulated on this generation."""
        return [found for found in definitions() if self.generation in found.generations]

    def run(self, text: str, state: State) -> State:
        """Runs instructions, one per line, on a state, which it changes and returns."""
        (code,) = self.assemble([text], wave_size=state.wave_size)
        assert isinstance(code, bytes), code
        state.run(self.gpu, code)
        return state

    def assemble(self, snippets: list[str], wave_size: int = 64) -> list[bytes | str]:
        """For each snippet its code with s_endpgm behind it, or the assembler's complaint."""
        found: list[bytes | str] = [""] * len(snippets)
        good = list(range(len(snippets)))
        text, owners = _joined(snippets, good)
        done, image = self._clang(text, wave_size)
        if done.returncode:
            complaints = re.findall(r"^[^\n]*?:(\d+):\d+: error: (.*)$", done.stderr, re.MULTILINE)
            assert complaints, done.stderr
            for line, complaint in reversed(complaints):
                found[owners[int(line) - 1]] = complaint
            good = [number for number in good if not found[number]]
            text, _ = _joined(snippets, good)
            done, image = self._clang(text, wave_size)
            assert done.returncode == 0, done.stderr
        if good:
            code = _section(image, ".text")
            ends = struct.unpack(f"<{len(good)}I", _section(image, ".ends"))
            for number, begin, end in zip(good, (0, *ends), ends, strict=False):
                found[number] = code[begin:end]
        return found

    def _clang(self, text: str, wave_size: int) -> tuple[subprocess.CompletedProcess[str], bytes]:
        waves = ["-mwavefrontsize64"] if self.generation != "gfx9" and wave_size == 64 else []
        with tempfile.TemporaryDirectory() as folder:
            source, image = Path(folder) / "code.s", Path(folder) / "code.o"
            source.write_text(text)
            target = ["-x", "assembler", "--target=amdgcn-amd-amdhsa", f"-mcpu={self.gpu}", *waves]
            command = [_clang(), *target, "-ferror-limit=0", "-c", str(source), "-o", str(image)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            return done, image.read_bytes() if image.exists() else b""


def _joined(snippets: list[str], numbers: list[int]) -> tuple[str, list[int]]:
    """Text that holds some snippets and notes where each ends, and the snippet to which each line
    belongs.
    """
    lines, owners = [".text", "begin:"], [0, 0]
    for number in numbers:
        piece = (
            f"{snippets[number]}\ns_endpgm\nend{number}:\n.pushsection .ends\n.long "
            f"end{number}-begin\n.popsection"
        ).split("\n")
        lines += piece
        owners += [number] * len(piece)
    return "\n".join(lines) + "\n", owners


@cache
def _clang() -> str:
    if "CK_CLANG" in os.environ:
        return str(Path(os.environ["CK_CLANG"]).absolute())
    found = shutil.which("clang-21") or shutil.which("clang")
    assert found, "these tests need clang on PATH, or its path in CK_CLANG"
    return found


def _section(image: bytes, wanted: str) -> bytes:
    """The contents of a section of a 64-bit ELF file."""
    (table,) = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    headers = [
        struct.unpack_from("<IIQQQQ", image, table + size * number) for number in range(count)
    ]
    for name, _, _, _, offset, length in headers:
        begin = headers[names][4] + name
        if image[begin : image.index(b"\0", begin)].decode() == wanted:
            return image[offset : offset + length]
    raise AssertionError(f"the object file has no section {wanted}")
