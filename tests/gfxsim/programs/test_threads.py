# SPDX-License-Identifier: MIT
"""Results do not depend on the number of threads that simulate."""

from __future__ import annotations

import os
import subprocess
import sys


def digests(threads: int) -> str:
    environment = {**os.environ, "GFXSIM_THREADS": str(threads)}
    command = [sys.executable, "-m", "tests.gfxsim.programs.digests"]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_one_thread_and_two_give_the_same_bytes() -> None:
    alone = digests(1)
    assert len(alone.splitlines()) == 8
    assert digests(2) == alone
