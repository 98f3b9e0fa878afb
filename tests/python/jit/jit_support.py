# SPDX-License-Identifier: MIT
"""A compiler that takes no time, kernels to build with it, and processes to do it in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ckarch import load_specs
from ckdispatch.jit import BuildResult, Cache, build
from ckgen.core.recipe import load_recipe
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES

HERE = Path(__file__).parent
GPU = "gfx942"

_FORM = "gemm_fp16_rcr_{}_cshuffle_intrawave_{pad}_{pad}_{pad}_False_{}_2x2x1_32x32x16"


@cache
def kernels() -> tuple[KernelSpec, ...]:
    """Some small kernels that are legal on ``GPU``."""
    family, target = FAMILIES["gemm"], Target.of(load_specs(), GPU)
    names = [
        _FORM.format(pipeline, tile, pad=pad)
        for tile in ("64x64x64", "64x64x32", "128x64x64", "64x128x64")
        for pipeline in ("compv3", "mem")
        for pad in ("False", "True")
    ]
    specs = [family.parse_name(name) for name in names]
    return tuple(spec for spec in specs if family.is_legal(spec, target))


@dataclass(frozen=True)
class FakeCompiler:
    """A folder that looks like LLVM's, with ``fake_clang.sh`` as every tool in it."""

    home: Path

    @classmethod
    def install(cls, home: Path, library: Path) -> FakeCompiler:
        for folder in ("bin", "control", "lib", "resource/amdgcn/bitcode", "include/hip"):
            (home / folder).mkdir(parents=True)
        for tool in load_recipe().search["tools"]:
            shutil.copy(HERE / "fake_clang.sh", home / "bin" / tool)
            (home / "bin" / tool).chmod(0o755)
        shutil.copy(library, home / "library")
        (home / "version").write_text("fake clang version 1\n")
        (home / "resource/amdgcn/bitcode/ocml.bc").write_bytes(b"device library")
        (home / "include/hip/hip_version.h").write_text("#define HIP_VERSION 1\n")
        for name in (*load_recipe().search["link_before"], *load_recipe().search["link_after"]):
            (home / "lib" / name).write_bytes(b"of the machine")
        return cls(home)

    @property
    def clang(self) -> Path:
        return self.home / "bin" / "clang++"

    def calls(self, step: str) -> list[str]:
        """The sources or outputs that a step was run for, in order."""
        log = self.home / "control" / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [line.split(" ", 1)[1] for line in lines if line.split(" ", 1)[0] == step]

    def forget_calls(self) -> None:
        (self.home / "control" / "calls").unlink(missing_ok=True)

    def hook(self, text: str) -> None:
        """Have every step run ``text`` first; it sees $step, $source and $output."""
        (self.home / "control" / "hook").write_text(text)

    def unhook(self) -> None:
        (self.home / "control" / "hook").unlink(missing_ok=True)


def fake_library(folder: Path) -> Path:
    """A real shared library that exports the entry point of a kernel library."""
    if built := os.environ.get("FAKE_KERNEL"):
        return Path(built).resolve()
    compiler = shutil.which("cc") or shutil.which("clang-21")
    assert compiler, "outside Bazel these tests need cc, or the path of the library in FAKE_KERNEL"
    output = folder / "libfake_kernel.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(output), str(HERE / "fake_kernel.c")], check=True
    )
    return output


def build_in(cache: Cache, *specs: KernelSpec, workers: int = 2) -> list[BuildResult]:
    return build(specs, GPU, max_workers=workers, cache=cache)


def content(result: BuildResult) -> bytes:
    """The bytes of a built library."""
    assert result.error is None
    return result.check().read_bytes()


def in_child(action: Callable[[], object]) -> int:
    """Run ``action`` in a forked process; returns how it ended, as ``subprocess`` tells it."""
    child = start_child(action)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def start_child(action: Callable[[], object]) -> int:
    """Run ``action`` in a forked process without waiting for it; returns its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        action()
        code = 0
    except BaseException:  # noqa: BLE001 - a child does not return from its fork
        traceback.print_exc()
    finally:
        os._exit(code)


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait for another process to come to a certain point."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "what was waited for did not happen"
        time.sleep(0.01)


def is_running(process: int) -> bool:
    """Whether a process that is not our child runs."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def kill(process: int) -> None:
    """Kill a child the hard way, and wait for it."""
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)


def leftovers(cache: Cache) -> list[str]:
    """Work folders, locks and leases that nobody holds, and files without a final name."""
    layout = cache.layout
    folders = (layout.work, layout.locks, layout.leases)
    found = [path for folder in folders if folder.exists() for path in folder.iterdir()]
    hidden = list(cache.folder.rglob(".*")) if cache.folder.exists() else []
    return sorted(str(path.relative_to(cache.folder)) for path in (*found, *hidden))
