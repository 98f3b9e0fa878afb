# SPDX-License-Identifier: MIT
"""Every instruction that the project's kernels use is simulated."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def test_no_instruction_of_the_kernels_is_missing() -> None:
    libraries = sorted(Path("kernels").glob("lib*.so"))
    assert libraries
    covered = subprocess.run(
        [os.environ["GFXSIM"], "coverage", *libraries], capture_output=True, text=True, check=False
    )
    assert covered.returncode == 0, covered.stdout + covered.stderr
    assert " instructions, 0 of them not simulated" in covered.stdout.splitlines()[-1]
    assert any(line.startswith(("v_mfma_", "v_wmma_")) for line in covered.stdout.splitlines())
