# SPDX-License-Identifier: MIT
"""Loads and launches code objects with deterministic damage; prints a line for each attempt before and after it is made."""

from __future__ import annotations

import random
import sys

from gfxsim import HipError

from tests.gfxsim.bad_input.attempts import BUNDLE, CODE_OBJECT, COMPRESSED_BUNDLE, N, attempt, works
from tests.gfxsim.programs.device import Module, runtime


def damage(content: bytes, seed: int) -> bytes:
    chance = random.Random(seed)
    changed = bytearray(content)
    # Tables are small but matter more than the code.
    reach = chance.choice([64, 1024, len(content)])
    for _ in range(chance.choice([1, 1, 4, 40])):
        at = chance.randrange(min(reach, len(content)) - 8)
        match chance.randrange(4):
            case 0:
                changed[at] ^= 1 << chance.randrange(8)
            case 1:
                changed[at] = chance.randrange(256)
            case 2:
                changed[at : at + 4] = chance.choice([b"\0\0\0\0", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80"])
            case 3:
                changed[at : at + 8] = chance.randrange(1 << 20).to_bytes(8, "little")
    return bytes(changed)


def outcome(image: bytes) -> str:
    try:
        module = Module(image)
    except HipError:
        return "refused"
    with runtime().upload(bytes(4 * N)) as buffer:
        said = attempt(module, "fill", buffer.address)
    module.unload()
    return "failed" if said else "ran"


def main() -> None:
    images = [path.read_bytes() for path in (CODE_OBJECT, CODE_OBJECT, BUNDLE, COMPRESSED_BUNDLE)]
    for seed in range(int(sys.argv[1])):
        print(f"{seed}: ", end="", flush=True)
        print(outcome(damage(images[seed % len(images)], seed)), flush=True)
    print("works" if all(works(Module(image)) for image in images) else "broken")


if __name__ == "__main__":
    main()
