# SPDX-License-Identifier: MIT
"""Building two kernels with each build system, as people without Bazel do.

Needs the include folder of Composable Kernel in CK_INCLUDE, and a hipcc: the one in CK_HIPCC, below
ROCM_PATH, or on PATH.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from ckgen.cli.main import main
from codegen_support import declaration

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


class KernelApi(ctypes.Structure):
    """The beginning of ck_kernel_api."""

    _fields_ = [
        ("abi_version", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("describe", ctypes.CFUNCTYPE(ctypes.c_char_p)),
    ]


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
    assert sorted(listed(tmp_path / "libck_kernels.so")) == sorted(NAMES)

    again = [DRY_RUN[system], "-n"]
    assert "Building kernel" not in run(again, tmp_path), "nothing changed"
    os.utime(tmp_path / "include" / "ck_kernel" / "plan" / "gemm.hpp")
    assert run(again, tmp_path).count("Building kernel: ") == 2, "a header changed"


def listed(library: Path) -> list[str]:
    """The names that the library's kernels give themselves."""
    loaded = ctypes.CDLL(str(library))
    loaded.ck_kernel_list.restype = ctypes.POINTER(ctypes.POINTER(KernelApi))
    count = ctypes.c_size_t()
    kernels = loaded.ck_kernel_list(ctypes.byref(count))
    described = [json.loads(kernels[i].contents.describe()) for i in range(count.value)]
    for kernel in described:
        assert kernel["abi_version"] == kernels[0].contents.abi_version
        assert "gfx942" in json.dumps(kernel)
    return [kernel["spec"]["name"] for kernel in described]
