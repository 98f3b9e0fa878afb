# SPDX-License-Identifier: MIT
"""The generator of CK's attention example, as a module of this process. Its objects have CK's
names, so their types are not said.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

GENERATE = "example/ck_tile/01_fmha/generate.py"
"""Where CK has the program of which the generator is a part."""

MASKS = "simplified"
"""Of CK's two kinds of masks the one that its program has by default, and kernels here."""


def load_generator(generate: Path) -> Any:
    """CK's module of forward kernels, of the package that lies beside generate.py."""
    package = generate.parent / "codegen"
    spec = importlib.util.spec_from_file_location(
        "codegen", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    sys.modules["codegen"] = importlib.util.module_from_spec(spec)
    # It lies in a repository of Bazel's, whose files are what is there.
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return importlib.import_module("codegen.ops.fmha_fwd")
    finally:
        sys.dont_write_bytecode = before


def forward_kernels(generator: Any, gpu: str) -> list[Any]:
    """Those that it makes for a GPU, in the order of CK's own tables; of a GPU that it does not
    know none.
    """
    any_name, receipt, any_size = "", 0, [-1]
    try:
        generator.get_factory(gpu)
    except Exception:  # noqa: BLE001  CK raises nothing more particular.
        return []
    _, kernels = generator.get_fwd_blobs([gpu], any_name, receipt, any_size, MASKS)
    return list(kernels)
