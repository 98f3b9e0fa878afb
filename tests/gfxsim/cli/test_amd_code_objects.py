# SPDX-License-Identifier: MIT
"""Every instruction of the code objects that AMD wrote by hand is simulated."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

# Instructions are listed once for each command, so the fewer commands the better; but a command
# line has an end.
_AT_ONCE = 200


def test_all_code_objects_are_fully_known() -> None:
    # Repositories lie beside this one's folder. Their paths are too many for one variable.
    files = sorted(Path.cwd().parent.glob(f"*ck_code_objects/{os.environ['CK_GPU']}/**/*.co"))
    assert len(files) == int(os.environ["CK_EXPECTED"])
    for first in range(0, len(files), _AT_ONCE):
        some = files[first : first + _AT_ONCE]
        covered = subprocess.run(
            [os.environ["GFXSIM"], "coverage", *some], capture_output=True, text=True, check=False
        )
        assert covered.returncode == 0, covered.stdout + covered.stderr
        assert " instructions, 0 of them not simulated" in covered.stdout.splitlines()[-1]
