# SPDX-License-Identifier: MIT
"""Writes a source with some of CK's attention kernels and the function that chooses among them: GENERATOR GPU PATTERNS OUTPUT.

GENERATOR is the generate.py of CK's attention example. By itself that writes a source for each kernel that fits one pattern; here PATTERNS
is a file with a line for each kernel, and all share what the compiler makes of CK's headers.
"""

from __future__ import annotations

import fnmatch
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any


def load_generator(example: Path) -> Any:
    """CK's module of forward kernels, of the package that lies beside generate.py."""
    package = example / "codegen"
    spec = importlib.util.spec_from_file_location("codegen", package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None
    sys.modules["codegen"] = importlib.util.module_from_spec(spec)
    return importlib.import_module("codegen.ops.fmha_fwd")


def source(generator: Any, gpu: str, patterns: list[str]) -> str:
    """In the order of CK's own tables, because its function takes the first kernel that fits."""
    any_name, receipt, any_size, masks = "", 0, [-1], "simplified"
    _, kernels = generator.get_fwd_blobs([gpu], any_name, receipt, any_size, masks)
    names = set()
    for pattern in patterns:
        fitting = fnmatch.filter((kernel.name for kernel in kernels), pattern)
        if len(fitting) != 1:
            sys.exit(f"CK's generator makes {len(fitting)} kernels {pattern} for {gpu}, where one was expected.")
        names |= set(fitting)
    wanted = [kernel for kernel in kernels if kernel.name in names]
    pool = generator.FmhaFwdApiPool(masks)
    for index, kernel in enumerate(wanted):
        # CK's number for what would otherwise have one name in every kernel.
        kernel.F_idx = index
        pool.register_traits(kernel.api_trait())
    return "\n".join([*(kernel.template for kernel in wanted), pool.api])


def main() -> None:
    generate, gpu, patterns, output = sys.argv[1:]
    Path(output).write_text(source(load_generator(Path(generate).parent), gpu, Path(patterns).read_text().split()))


if __name__ == "__main__":
    main()
