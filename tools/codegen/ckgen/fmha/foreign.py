# SPDX-License-Identifier: MIT
"""Programs and other files of AMD's pages about attention, and what to type in their place."""

from __future__ import annotations

from types import MappingProxyType

_RUN = "write `ckdispatch run 'fmha 2x128x128 h8 d128 fp16' --kernels SET --validate`"

FILES = MappingProxyType(
    {
        "01_basic_fmha": _RUN,
        "tile_example_fmha_fwd": _RUN,
        "29_sweep_seqlen.py": "write `ckdispatch bench 'fmha 1x512x512 h8 d128 fp16' "
        "'fmha 1x2048x2048 h8 d128 fp16' --kernels SET`",
        "test_fmha_parity.py": "write `./bazelw test --config=full //tests/parity:test_parity`",
        "fmha_utils.py": "write `import ckdispatch`, whose dispatchers have `attention`, or "
        "`import ckdispatch.flash_attn`",
        "fmha_arch_specs.json": "CK's tiles for each GPU are in "
        "tools/codegen/ckgen/fmha/tilings.py, and what a GPU can do is in arch/arch_specs.json",
    }
)
