# SPDX-License-Identifier: MIT
"""One case: a damaged image, loaded, and a kernel of it launched with arguments of any kind. It
depends on its seed alone.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path
from random import Random

from gfxsim import Buffer, HipError

from tests.gfxsim.bad_input.fuzzing.damage import damage_bundle, damage_code_object, sections
from tests.gfxsim.programs.device import GPU, Module, runtime

KERNELS = [
    "copy",
    "shared_sum",
    "add_atomically",
    "floats",
    "wide",
    "private_memory",
    "calls",
    "branches",
]
FOLDER = Path("tests/gfxsim/bad_input")
BYTES = 4096

_CODE = (FOLDER / f"fuzzed.{GPU}.co").read_bytes()
_TEXT = sections(_CODE)[".text"]
_WORDS = [_CODE[_TEXT.offset : _TEXT.offset + _TEXT.size]]
_BUNDLES = [
    (FOLDER / name).read_bytes()
    for name in ("fuzzed_bundle.hipfb", "fuzzed_compressed_bundle.hipfb")
]


class Sentinels:
    """Memory of this process that no kernel may change, on its heap."""

    def __init__(self) -> None:
        self.pattern = bytes(range(256)) * 16
        self.pieces = [
            ctypes.create_string_buffer(self.pattern, len(self.pattern)) for _ in range(64)
        ]

    def intact(self) -> bool:
        return all(piece.raw == self.pattern for piece in self.pieces)

    def address(self, chance: Random) -> int:
        return ctypes.addressof(chance.choice(self.pieces)) + chance.choice(
            [0, 64, len(self.pattern) - 4]
        )


class Place:
    """Memory for an image that ends where no memory is: the interface is told no size, and must not
    be led behind the end.
    """

    def __init__(self) -> None:
        self.room = 1 << 20
        self.memory = mmap.mmap(-1, self.room + mmap.PAGESIZE)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        if (
            ctypes.CDLL(None, use_errno=True).mprotect(
                ctypes.c_void_p(self.address + self.room), mmap.PAGESIZE, 0
            )
            != 0
        ):
            raise OSError(ctypes.get_errno(), "mprotect")

    def put(self, image: bytes) -> ctypes.c_void_p:
        begin = self.room - len(image)
        self.memory[begin : self.room] = image
        return ctypes.c_void_p(self.address + begin)


def damaged(seed: str) -> tuple[str, bytes]:
    chance = Random(seed)
    if chance.randrange(10):
        return damage_code_object(_CODE, _WORDS, chance)
    return damage_bundle(chance.choice(_BUNDLES), chance)


def pointer(buffer: Buffer, sentinels: Sentinels, chance: Random) -> int:
    """Most often one that is right, else one that is null, small, near an end, of the host, or none
    at all.
    """
    if chance.randrange(3):
        return buffer.address
    ends = [
        buffer.address + BYTES - 4,
        buffer.address + BYTES,
        buffer.address - 4,
        buffer.address + 1,
        buffer.address + 2**32,
    ]
    wild = [
        0,
        1,
        8,
        4096,
        2**32,
        2**47 - 8,
        2**47,
        2**48 - 4,
        2**56,
        2**57,
        2**63,
        2**64 - 4,
        2**64 - 256,
    ]
    return chance.choice([*ends, *wild, sentinels.address(chance), chance.randrange(2**64)])


def size(chance: Random) -> int:
    return chance.choice(
        [
            0,
            1,
            -1,
            7,
            64,
            100,
            100,
            100,
            1000,
            2**31 - 1,
            -(2**31),
            chance.randrange(-(2**31), 2**31),
        ]
    )


def outcome(seed: str, sentinels: Sentinels, place: Place, image_file: Path) -> str:
    """Whether it was refused, failed or ran, or 'outside' if it reached what is not its own."""
    kind, image = damaged(seed)
    image_file.write_bytes(image)
    chance = Random(seed + " launch")
    module = None
    with (
        runtime().upload(bytes(range(256)) * (BYTES // 256)) as one,
        runtime().upload(bytes(BYTES)) as other,
    ):
        try:
            module = Module(place.put(image))
            arguments = (
                ctypes.c_void_p(pointer(one, sentinels, chance)),
                ctypes.c_void_p(pointer(other, sentinels, chance)),
                ctypes.c_int(size(chance)),
                ctypes.c_int(size(chance)),
            )
            shape = {
                "grid": chance.choice([1, 1, 2, 3]),
                "block": chance.choice([1, 32, 64, 64, 100, 256]),
                "lds": chance.choice([0, 0, 0, 1024, 65536, 2**31 - 1]),
            }
            module.launch(chance.choice(KERNELS), *arguments, **shape)
            result = "ran"
        except HipError as error:
            result = "refused" if module is None else "failed"
            if not str(error).endswith(".") or len(str(error)) > 5000:
                result = f"no sentence: {str(error)[:300]}"
    if module:
        module.unload()
    return f"{kind} {result if sentinels.intact() else 'outside'}"


def works() -> bool:
    """Whether an undamaged kernel still gives the right result."""
    module = Module(_CODE)
    numbers = os.urandom(BYTES)
    with runtime().upload(numbers) as source, runtime().upload(bytes(BYTES)) as target:
        module.launch(
            "copy",
            *map(ctypes.c_void_p, (target.address, source.address)),
            ctypes.c_int(BYTES // 4),
            ctypes.c_int(0),
            grid=BYTES // 256,
        )
        right = target.download() == numbers
    module.unload()
    return right
