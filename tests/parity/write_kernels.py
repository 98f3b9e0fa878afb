# SPDX-License-Identifier: MIT
"""Writes a source with some of CK's attention kernels and the function that chooses among them:
GENERATOR GPU PATTERNS OUTPUT.

GENERATOR is the generate.py of CK's attention example. By itself that writes a source for each
kernel that fits one pattern; here PATTERNS is a file with a line for each kernel, and all share
what the compiler makes of CK's headers.
"""

from __future__ import annotations

import fnmatch
import sys
from pathlib import Path
from typing import Any

from ckbench.ck_fmha.generator import MASKS, forward_kernels, load_generator


def source(generator: Any, gpu: str, patterns: list[str]) -> str:
    """In the order of CK's own tables, because its function takes the first kernel that fits."""
    kernels = forward_kernels(generator, gpu)
    names = set()
    for pattern in patterns:
        fitting = fnmatch.filter((kernel.name for kernel in kernels), pattern)
        if len(fitting) != 1:
            sys.exit(
                f"CK's generator makes {len(fitting)} kernels {pattern} for {gpu}, "
                "where one was expected."
            )
        names |= set(fitting)
    wanted = [kernel for kernel in kernels if kernel.name in names]
    pool = generator.FmhaFwdApiPool(MASKS)
    for index, kernel in enumerate(wanted):
        # CK's number for what would otherwise have one name in every kernel.
        kernel.F_idx = index
        pool.register_traits(kernel.api_trait())
    return "\n".join([*(kernel.template for kernel in wanted), pool.api])


def main() -> None:
    generate, gpu, patterns, output = sys.argv[1:]
    Path(output).write_text(
        source(load_generator(Path(generate)), gpu, Path(patterns).read_text().split())
    )


if __name__ == "__main__":
    main()
