# SPDX-License-Identifier: MIT
"""A kernel library finds its HIP runtime when it is first launched, whoever brought it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUNTIME = Path(os.environ["CK_SIM_RUNTIME"]).resolve()
FIRST, SECOND = sorted(path for path in Path("kernels").glob("lib*_True_True_True_False_*.so"))[:2]

PREAMBLE = """
import ctypes, os, struct, sys, threading
from pathlib import Path
from ckabi import KernelLibrary, Status
from ckabi.gemm import gemm_problem
from gfxsim import Runtime

M = N = K = 64
ONE, SUM = struct.pack("<e", 1), struct.pack("<e", K)

def load():
    return [KernelLibrary.load(Path(path)) for path in sys.argv[1:]]

def runtimes():
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sorted({line.split()[-1] for line in lines if "libamdhip64" in line})

def launch(library, a, b, c):
    problem = gemm_problem(M, N, K, a=a, b=b, c=c)
    return library.launch(problem, gpu=os.environ["GFXSIM_GPU"].encode())

def multiply(runtime, library):
    with runtime.upload(ONE * (M * K)) as a, runtime.upload(ONE * (K * N)) as b:
        with runtime.allocate(2 * M * N) as c:
            status, why = launch(library, a.address, b.address, c.address)
            assert status is Status.OK, why
            assert c.download() == SUM * (M * N)
"""


def run(script: str, *libraries: Path, **environment: str) -> list[str]:
    """What the script prints; it must come to its end, and so must the process."""
    command = [sys.executable, "-c", PREAMBLE + script, *map(str, libraries)]
    variables = {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("mode", ["RTLD_LOCAL", "RTLD_GLOBAL"])
def test_a_launch_uses_the_runtime_that_the_process_has_loaded(mode: str) -> None:
    script = f"""
(library,) = load()
ctypes.CDLL({str(RUNTIME)!r}, mode=ctypes.{mode})
multiply(Runtime(Path({str(RUNTIME)!r})), library)
print(*runtimes(), sep="\\n")
"""
    assert run(script, FIRST) == [str(RUNTIME)]


def test_a_launch_loads_the_runtime_that_the_loader_finds() -> None:
    script = """
(library,) = load()
print(runtimes())
status, why = launch(library, 4096, 8192, 12288)
print(status.name, why.rpartition(" failed on ")[2])
print(*runtimes(), sep="\\n")
"""
    before, status, *after = run(script, FIRST, LD_LIBRARY_PATH=str(RUNTIME.parent))
    assert before == "[]"
    assert status.startswith(f"DEVICE_FAILED {os.environ['GFXSIM_GPU']}: ")
    assert after == [str(RUNTIME)]


def test_a_launch_that_failed_for_want_of_a_runtime_works_once_there_is_one() -> None:
    script = f"""
(library,) = load()
status, why = launch(library, 4096, 8192, 12288)
print(status.name, "needs a HIP runtime" in why)
multiply(Runtime(Path({str(RUNTIME)!r})), library)
"""
    damaged = Path(os.environ["TEST_TMPDIR"]) / "damaged"
    damaged.mkdir()
    for name in ("libamdhip64.so.6", "libamdhip64.so.7", "libamdhip64.so"):
        (damaged / name).write_bytes(b"")
    assert run(script, FIRST, LD_LIBRARY_PATH=str(damaged)) == ["DEVICE_FAILED True"]


def test_eight_threads_may_launch_two_libraries_for_the_first_time_at_once() -> None:
    script = f"""
libraries = load()
runtime = Runtime(Path({str(RUNTIME)!r}))
together, done = threading.Barrier(8), []

def work(number):
    together.wait()
    multiply(runtime, libraries[number % 2])
    done.append(number)

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(done), len(libraries))
"""
    assert run(script, FIRST, SECOND) == ["8 2"]


def test_a_library_can_be_unloaded_and_loaded_again() -> None:
    script = f"""
import _ctypes
runtime = Runtime(Path({str(RUNTIME)!r}))
for _ in range(3):
    path = str(Path(sys.argv[1]).resolve())
    opened = ctypes.CDLL(path)
    (library,) = load()
    multiply(runtime, library)
    del library
    while path in Path("/proc/self/maps").read_text():
        _ctypes.dlclose(opened._handle)
    print("unloaded")
"""
    assert run(script, FIRST) == ["unloaded"] * 3


def test_a_process_that_only_asked_may_fork_and_launch_in_the_child() -> None:
    script = f"""
(library,) = load()
assert library.supports(gemm_problem(M, N, K), os.environ["GFXSIM_GPU"])[0] is Status.OK
for _ in range(2):
    child = os.fork()
    if child == 0:
        multiply(Runtime(Path({str(RUNTIME)!r})), library)
        os._exit(0)
    print(os.waitpid(child, 0)[1])
print(runtimes())
"""
    assert run(script, FIRST) == ["0", "0", "[]"]
