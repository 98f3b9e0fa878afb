# SPDX-License-Identifier: MIT
"""Results are stale or not as the compiler sees it that they were gathered with; with another one
the tests of pages say nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ckarch import load_specs
from cksupport.digests import Digests

_LINES = (Path("evidence") / "compiler.txt").read_text(encoding="utf-8").splitlines()
(GATHERED_WITH,) = (line for line in _LINES if not line.startswith("#"))
HERE = Digests(load_specs()).llvm

needs_its_compiler = pytest.mark.skipif(
    HERE != GATHERED_WITH,
    reason=f"the results were gathered with LLVM {GATHERED_WITH}, and this machine has {HERE}",
)
