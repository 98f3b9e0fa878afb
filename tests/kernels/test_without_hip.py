# SPDX-License-Identifier: MIT
"""A kernel library loads, describes itself and says what it supports without any HIP library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARIES = sorted([*Path("kernels").glob("lib*.so"), *Path("tests/kernels").glob("libgemm*.so")])
NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
LIBRARY = Path(f"kernels/lib{NAME}.so")

ASK = """
from pathlib import Path
import sys
from ckabi import KernelLibrary
from variant_problems import problem_for, workspace_for
for path in map(Path, sys.argv[1:]):
    library = KernelLibrary.load(path)
    spec = library.describe()["spec"]
    assert "lib" + spec["name"] + ".so" == path.name
    m, n, k = spec["tile"]
    problem = problem_for(spec, 2 * m, 2 * n, 4 * k)
    assert library.supports(problem, "gfx942")[0] == 0
    assert library.workspace_size(problem, "gfx942") == (0, workspace_for(spec, 2 * m, 2 * n))
print("amdhip64" in Path("/proc/self/maps").read_text())
"""

LAUNCH = """
from pathlib import Path
import sys
from ckabi import KernelLibrary
from ckabi.gemm import gemm_problem
library = KernelLibrary.load(Path(sys.argv[1]))
problem = gemm_problem(64, 64, 64, a=4096, b=8192, c=12288)
for _ in range(2):
    status, why = library.launch(problem, gpu=b"gfx942")
    print(status.name, why)
"""


def run(script: str, *arguments: Path, **environment: str) -> list[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    variables = {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("path", LIBRARIES, ids=lambda path: path.stem.removeprefix("lib"))
def test_a_library_needs_libc_and_nothing_else(path: Path) -> None:
    command = [os.environ["CK_OBJDUMP"], "-p", str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"^\s*NEEDED\s+(\S+)$", printed, re.MULTILINE)
    assert [name for name in needed if not name.startswith("ld-linux")] == ["libc.so.6"]


def test_asking_every_library_loads_no_hip_runtime() -> None:
    assert run(ASK, *LIBRARIES) == ["False"]


def test_a_launch_without_a_runtime_says_what_was_looked_for() -> None:
    said = run(LAUNCH, LIBRARY, LD_AUDIT=os.path.abspath(os.environ["CK_HIDE_HIP"]))
    # Which major version comes first depends on the compiler's headers.
    sentence = (
        f"DEVICE_FAILED {NAME} needs a HIP runtime to be launched, and libamdhip64.so.#, "
        "libamdhip64.so.# and libamdhip64.so are neither loaded in this process nor found by the "
        "loader; describe() and supports() need none."
    )
    assert [re.sub(r"so\.\d", "so.#", line) for line in said] == [sentence, sentence]


def test_a_launch_with_a_damaged_runtime_says_what_the_loader_said(tmp_path: Path) -> None:
    for name in ("libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so"):
        (tmp_path / name).write_bytes(b"\x7fELF")
    (line, _) = run(LAUNCH, LIBRARY, LD_LIBRARY_PATH=str(tmp_path))
    assert line.startswith("DEVICE_FAILED ")
    assert f"nor found by the loader ({tmp_path}/libamdhip64.so" in line
    assert "file too short); describe()" in line


def test_a_launch_with_a_runtime_that_lacks_something_names_it(tmp_path: Path) -> None:
    # Any library under the runtime's name; this one is there and holds nothing of HIP.
    for name in ("libamdhip64.so.6", "libamdhip64.so.7"):
        (tmp_path / name).symlink_to(Path(os.environ["CK_HIDE_HIP"]).resolve())
    (line, _) = run(LAUNCH, LIBRARY, LD_LIBRARY_PATH=str(tmp_path))
    assert "HIP runtime that lacks __hipRegisterFatBinary; it needs one of HIP 6 or later." in line
