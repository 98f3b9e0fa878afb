# SPDX-License-Identifier: MIT
"""A C program that prints where the C header has the fields of every structure
that Python has too.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

from ckdispatch.families import FAMILIES
from ckdispatch.native.structures import STRUCTURES


def structures() -> dict[str, type[ctypes.Structure]]:
    """The structures of the package by their names in C."""
    found = dict(STRUCTURES)
    for family in FAMILIES.values():
        found |= family.structures
    return found


def source() -> str:
    """The program: on each line a structure, a field, its offset and its size."""
    lines = []
    for name, structure in structures().items():
        lines.append(f'    printf("{name} . 0 %zu\\n", sizeof({name}));')
        for field in (one[0] for one in structure._fields_):
            place = f"offsetof({name}, {field}), sizeof((({name}*)0)->{field})"
            lines.append(f'    printf("{name} {field} %zu %zu\\n", {place});')
    body = "\n".join(lines)
    return (
        '#include <stddef.h>\n#include <stdio.h>\n\n#include "ckdispatch/ckdispatch.h"\n\nint '
        f"main(void) {{\n{body}\n}}\n"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(source() + "\n")
