# SPDX-License-Identifier: MIT
"""What a library of several kernels holds and needs, and whether it computes."""

from __future__ import annotations

import ctypes
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from ckabi import Api, KernelLibrary, Status
from ckabi.gemm import gemm_problem
from gfxsim import Runtime


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
from exported_library import kernels_of
described = [kernel.describe() for kernel in kernels_of(Path(sys.argv[1]))]
assert all(kernel["abi_version"] == 2 and kernel["targets"] == "gfx942:64" for kernel in described)
names = sorted(kernel["spec"]["name"] for kernel in described)
print(json.dumps({"names": names, "hip": "amdhip64" in Path("/proc/self/maps").read_text()}))
"""


def listed(library: Path) -> dict[str, object]:
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
    with (
        runtime.upload(one * 4096) as a,
        runtime.upload(one * 4096) as b,
        runtime.allocate(2 * 4096) as c,
    ):
        problem = gemm_problem(64, 64, 64, a=a.address, b=b.address, c=c.address)
        status, why = kernel.launch(problem, gpu=b"gfx942")
        assert status is Status.OK, why
        return c.download() == total * 4096
