# SPDX-License-Identifier: MIT
"""In a build, ``load_specs`` uses the generated module and needs no JSON file."""

from __future__ import annotations

from pathlib import Path

import ckarch
import pytest


def test_the_generated_module_is_all_that_loading_needs() -> None:
    package = Path(ckarch.__file__).parent
    if not (package / "_generated.py").exists():
        pytest.skip("the source tree has no generated module; Bazel makes it")
    assert not (package.parent / "arch_specs.json").exists()
    assert ckarch.load_specs().gpu("gfx942").wave_size == 64
