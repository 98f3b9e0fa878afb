# SPDX-License-Identifier: MIT
"""Writes a kernel's source as CK's tile_engine does: BUILDER KERNEL GPU OUTPUT."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from ckbench.tile_engine import TileEngine
from ckgen.gemm.names import parse_name

# tile_engine compiles every kernel once more to add to C, for a split K. Functions that both need
# are then optimised for both, which swaps operands here and there; our kernels are one or the
# other.
_ADDING = re.compile(
    r" else \{\s*Run\([^;]*ck_tile::memory_operation_enum::atomic_add>\{\}\);\s*\}", re.DOTALL
)


def main() -> int:
    builder, name, gpu, output = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder).resolve() / "kernel.cpp"
        TileEngine(Path(builder).resolve(), gpu).write_source(parse_name(name), source)
        (header,) = source.parent.glob("gemm_single_*.hpp")
        text, count = _ADDING.subn("", header.read_text(encoding="utf-8"))
        if count != 1:
            print(
                f"tile_engine's source adds to C in {count} places; one was expected.",
                file=sys.stderr,
            )
            return 1
        text = text.replace("#pragma once\n", "")
        call = source.read_text(encoding="utf-8").replace(f'#include "{header.name}"\n', "")
    Path(output).write_text(text + call, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
