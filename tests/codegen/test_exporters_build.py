# SPDX-License-Identifier: MIT
"""Building two kernels with each build system, as people without Bazel do.

Needs the include folder of Composable Kernel in CK_INCLUDE, a HIP runtime to launch with in
CK_SIM_RUNTIME, and a hipcc: the one in CK_HIPCC, below ROCM_PATH, or on PATH.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from ckabi import Api, KernelLibrary, Status, gemm_problem
from ckgen.cli.main import main
from codegen_support import declaration
from gfxsim import Runtime

# The smallest tile with a compute pipeline compiles fastest.
ENTRY = {
    "tile": [64, 64, 32],
    "waves": [2, 2, 1],
    "warp_tile": [32, 32, 16],
    "pipeline": "compv3",
}
NAMES = (
    "gemm_fp16_rcr_compv3_cshuffle_intrawave_False_False_False_False_64x64x32_2x2x1_32x32x16",
    "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x32_2x2x1_32x32x16",
)
COMMANDS = {
    "makefile": [["make", "CK_INCLUDE={ck}", "HIPCC={hipcc}"]],
    "ninja": [["ninja", "-j1"]],
    "cmake": [
        ["cmake", "-S", ".", "-B", ".", "-G", "Ninja", "-DCK_INCLUDE={ck}",
         "-DHIPCC={hipcc}"],
        ["cmake", "--build", ".", "-j1"],
    ],
}  # fmt: skip
_PATH = os.environ.get("PATH", os.defpath)
DRY_RUN = {"makefile": "make", "ninja": "ninja", "cmake": "ninja"}


def ck_include() -> str:
    """The include folder of Composable Kernel."""
    value = os.environ.get("CK_INCLUDE")
    assert value, "CK_INCLUDE must be set; see the top of this file"
    return os.path.abspath(value)


def hip_compiler() -> str:
    """The hipcc to build with."""
    places = os.pathsep.join((os.path.join(os.environ.get("ROCM_PATH", "/opt/rocm"), "bin"), _PATH))
    found = os.environ.get("CK_HIPCC") or shutil.which("hipcc", path=places)
    assert found, "there is no hipcc; see the top of this file"
    return os.path.abspath(found)


def build(system: str, folder: Path) -> str:
    """Generate two kernels in ``folder``, build them, and return what ``system`` printed."""
    source = folder / "set.json"
    two = declaration(ENTRY, {**ENTRY, "pad": [True, True, True]})
    source.write_text(json.dumps(two), encoding="utf-8")
    arguments = ["gemm", "--declaration", str(source), "--gpu-target", "gfx942"]
    assert main([*arguments, "--output-dir", str(folder), f"--generate-{system}"]) == 0
    return "".join(run(command, folder) for command in COMMANDS[system])


def run(command: list[str], folder: Path) -> str:
    """What ``command`` prints; a failure fails the test with it."""
    ck, hipcc = ck_include(), hip_compiler()
    assert shutil.which(command[0]), f"{command[0]} must be installed"
    done = subprocess.run(
        [word.format(ck=ck, hipcc=hipcc) for word in command],
        cwd=folder,
        env={**os.environ, "HIPCC": hipcc, "CK_INCLUDE": ck},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("system", sorted(COMMANDS))
def test_two_kernels_build_into_a_library_that_lists_them(system: str, tmp_path: Path) -> None:
    printed = build(system, tmp_path)
    for number, name in enumerate(NAMES, start=1):
        assert f"[{number}/2] Building kernel: {name}" in printed
        assert (tmp_path / f"{name}.o").exists()
    library = tmp_path / "libck_kernels.so"
    assert needed(library) == ["libc.so.6"]
    assert subprocess_listing(library) == {"names": sorted(NAMES), "hip": False}
    for kernel in kernels_of(library):
        assert multiplies_ones(kernel)

    again = [DRY_RUN[system], "-n"]
    assert "Building kernel" not in run(again, tmp_path), "nothing changed"
    os.utime(tmp_path / "include" / "ck_kernel" / "plan" / "product" / "config.hpp")
    assert run(again, tmp_path).count("Building kernel: ") == 2, "a header changed"


def needed(library: Path) -> list[str]:
    """The libraries that the loader must find for it."""
    command = [os.environ["CK_OBJDUMP"], "-p", str(library)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^\s*NEEDED\s+(\S+)$", printed, re.MULTILINE)
    return [name for name in names if not name.startswith("ld-linux")]


def kernels_of(library: Path) -> list[KernelLibrary]:
    """The kernels that the library lists."""
    loaded = ctypes.CDLL(str(library))
    loaded.ck_kernel_list.restype = ctypes.POINTER(ctypes.POINTER(Api))
    count = ctypes.c_size_t()
    kernels = loaded.ck_kernel_list(ctypes.byref(count))
    return [KernelLibrary(library, kernels[i].contents) for i in range(count.value)]


LISTING = """
import json, sys
from pathlib import Path
from test_exporters_build import kernels_of
described = [kernel.describe() for kernel in kernels_of(Path(sys.argv[1]))]
assert all(kernel["abi_version"] == 2 and kernel["targets"] == "gfx942:64" for kernel in described)
names = sorted(kernel["spec"]["name"] for kernel in described)
print(json.dumps({"names": names, "hip": "amdhip64" in Path("/proc/self/maps").read_text()}))
"""


def subprocess_listing(library: Path) -> dict[str, object]:
    """What the library's kernels tell a process without HIP, and whether HIP was loaded for it."""
    paths = [str(Path(__file__).parent), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", LISTING, str(library)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    listing: dict[str, object] = json.loads(done.stdout)
    return listing


def multiplies_ones(kernel: KernelLibrary) -> bool:
    """Whether a product of ones is the number of them, on the simulator."""
    runtime = Runtime(Path(os.environ["CK_SIM_RUNTIME"]))
    one, total = struct.pack("<e", 1), struct.pack("<e", 64)
    with runtime.upload(one * 4096) as a, runtime.upload(one * 4096) as b:
        with runtime.allocate(2 * 4096) as c:
            problem = gemm_problem(64, 64, 64, a=a.address, b=b.address, c=c.address)
            status, why = kernel.launch(problem, gpu=b"gfx942")
            assert status is Status.OK, why
            return c.download() == total * 4096
