# SPDX-License-Identifier: MIT
"""Assembly of the GPU in functions that the host pass compiles too."""

from __future__ import annotations

from ckfetch.edit import StructEdit

EDITS = tuple(
    StructEdit(
        path="include/ck_tile/ops/elementwise/unary_element_wise_operation.hpp",
        why="GPU assembly must not reach the host compiler",
        struct=struct,
        pattern=r"( *asm volatile\(.*?\);\n)",
        replacement=r"#if defined(__HIP_DEVICE_COMPILE__)\n\1#endif\n",
        count=2,
    )
    for struct in ("FastGeluAsm", "SiluAsm")
)
