# SPDX-License-Identifier: MIT
"""The commands that make a kernel library, in the steps of the Bazel rules.

All files are named relative to the work folder, where ``links`` puts what lies elsewhere: so the
commands, which are part of a kernel's key, and what they write are the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import GpuSpec
from ckgen.core.flags import CompilerFlags

from ckdispatch.jit.compiler import Compiler

CK = "composable_kernel"
OWN = "own_headers"
DEVICE_LIBS = "device_libs"
EXPORTS = "exports.map"
CODE = "code.hipfb"
OBJECT = "kernel.o"
PRECOMPILED = "precompiled.pch"
SAMPLE = "precompiled.hpp"

Command = tuple[str, ...]


@dataclass(frozen=True)
class Commands:
    """The commands for one kernel and all of its GPUs, with one compiler."""

    clang: str
    bundler: str
    host_triple: str
    flags: CompilerFlags
    gpus: tuple[GpuSpec, ...]

    @classmethod
    def by(cls, compiler: Compiler, flags: CompilerFlags, gpus: Sequence[GpuSpec]) -> Commands:
        """The commands of ``compiler``."""
        return cls(compiler.clang, compiler.bundler, compiler.host_triple, flags, tuple(gpus))

    @classmethod
    def of_any_compiler(cls, flags: CompilerFlags, gpus: Sequence[GpuSpec]) -> Commands:
        """The same commands without a compiler, to be compared."""
        return cls("clang++", "clang-offload-bundler", "host", flags, tuple(gpus))

    def device(self, gpu: GpuSpec, source: str, precompiled: bool) -> Command:
        """The device pass for one GPU: a linked code object."""
        use = ("-Xclang", "-include-pch", "-Xclang", precompiled_name(gpu)) if precompiled else ()
        return (*self._device(gpu), "-c", source, *use, "-o", code_object(gpu))

    def precompile(self, gpu: GpuSpec) -> Command:
        """Precompile the headers of a family for the device pass of one GPU."""
        # The driver knows no precompiled header for a GPU, but the compiler proper does; the last
        # kind of output that it is told is the one it makes.
        options = ("-emit-pch", "-fno-pch-timestamp", "-fpch-instantiate-templates")
        make = ("-emit-llvm", *(word for option in options for word in ("-Xclang", option)))
        return (*self._device(gpu), "-c", SAMPLE, *make, "-o", PRECOMPILED)

    def bundle(self) -> Command:
        """Put the code objects of all GPUs into the one file that the HIP runtime picks from."""
        targets = [f"host-{self.host_triple}"]
        targets += [f"hipv4-amdgcn-amd-amdhsa--{gpu.name}" for gpu in self.gpus]
        inputs = [f"-input={code_object(gpu)}" for gpu in self.gpus]
        head = ("-type=o", "-bundle-align=4096", f"-targets={','.join(targets)}")
        return (self.bundler, *head, "-input=/dev/null", *inputs, f"-output={CODE}")

    def host(self, source: str, needs_ck: bool) -> Command:
        """The host pass: the kernel ABI around the bundled code objects."""
        # Without CK's headers HIP's are not needed either; reading them is half of this pass.
        headers = ("-isystem", CK) if needs_ck else ("-nogpuinc",)
        return (
            *(self.clang, "-fuse-cuid=none", *self.flags.for_host_pass(self.gpus)),
            *("--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", CODE),
            *("-I", OWN, *headers, "-c", source, "-o", OBJECT),
        )

    def link(self, library: str) -> Command:
        """Link the library, which exports nothing but the kernel ABI and needs libc alone."""
        options = (
            *("--build-id=sha1", "--hash-style=gnu", "--as-needed", "--no-undefined"),
            *("-z", "relro", "-z", "now", f"--soname={library}", f"--version-script={EXPORTS}"),
        )
        words = [word for option in options for word in ("-Xlinker", option)]
        start = (self.clang, *self.flags.link, "-fuse-ld=lld", "-nostdlib++")
        # libdl is where dlopen was before glibc 2.34.
        return (*start, *words, OBJECT, "-ldl", "-o", library)

    def all(self, source: str, library: str, needs_ck: bool) -> list[Command]:
        """Every command that the library's bytes depend on."""
        passes = [self.device(gpu, source, precompiled=False) for gpu in self.gpus]
        return [*passes, self.bundle(), self.host(source, needs_ck), self.link(library)]

    def _device(self, gpu: GpuSpec) -> Command:
        # clang takes a precompiled header only with the arguments that it was made with.
        return (
            *(self.clang, "-fuse-cuid=none", *self.flags.for_device_pass(gpu)),
            *("--cuda-device-only", "--no-gpu-bundle-output"),
            *(f"--rocm-device-lib-path={DEVICE_LIBS}", "-I", CK, "-I", OWN, "-w"),
        )


def code_object(gpu: GpuSpec) -> str:
    """The code object of one GPU."""
    return f"{gpu.name}.co"


def precompiled_name(gpu: GpuSpec) -> str:
    """The precompiled header of one GPU."""
    return f"{gpu.name}.pch"


def links(compiler: Compiler, ck: Path, own: Path) -> dict[str, Path]:
    """What a work folder has links to, by the names that the commands use."""
    return {CK: ck, OWN: own, DEVICE_LIBS: Path(compiler.device_libs)}
