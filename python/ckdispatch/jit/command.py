# SPDX-License-Identifier: MIT
"""The commands that make a kernel library, by the recipe of the Bazel rules.

All files are named relative to the work folder, where ``links`` puts what lies elsewhere: so the
commands, which are part of a kernel's key, and what they write are the same everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ckarch import GpuSpec
from ckgen.core.recipe import load_recipe, wave_sizes

from ckdispatch.jit.compiler import Compiler

CK = "composable_kernel"
OWN = "own_headers"
DEVICE_LIBS = "device_libs"
EXPORTS = "exports.map"
PRECOMPILED = "precompiled.pch"
SAMPLE = "precompiled.hpp"

Command = tuple[str, ...]


@dataclass(frozen=True)
class Commands:
    """The commands for one kernel and all of its GPUs, with the compiler whose tools are in
    ``tools``.
    """

    tools: str
    host_triple: str
    gpus: tuple[GpuSpec, ...]

    @classmethod
    def by(cls, compiler: Compiler, gpus: Sequence[GpuSpec]) -> Commands:
        """The commands of ``compiler``."""
        return cls(compiler.tools, compiler.host_triple, tuple(gpus))

    @classmethod
    def of_any_compiler(cls, gpus: Sequence[GpuSpec]) -> Commands:
        """The same commands without a compiler, to be compared."""
        return cls("", "host", tuple(gpus))

    def device(self, gpu: GpuSpec, source: str, precompiled: bool) -> Command:
        """The device pass for one GPU: a linked code object."""
        header = precompiled_name(gpu) if precompiled else ()
        return self._device(
            "device", gpu, source=source, precompiled=header, code_object=code_object(gpu)
        )

    def precompile(self, gpu: GpuSpec) -> Command:
        """Precompile the headers of a family for the device pass of one GPU."""
        return self._device("precompile", gpu, source=SAMPLE, precompiled=PRECOMPILED)

    def bundle(self) -> Command:
        """Put the code objects of all GPUs into the one file that the HIP runtime picks from."""
        return self._command(
            "bundle",
            host_triple=self.host_triple,
            code_objects=[code_object(gpu) for gpu in self.gpus],
        )

    def host(self, source: str, needs_ck: bool, resources: Sequence[str] = ()) -> Command:
        """The host pass: the kernel ABI around the bundled code objects, and the file that tells
        what they use, if there is one.
        """
        return self._command(
            "host",
            source=source,
            include_dirs=OWN,
            composable_kernel=CK if needs_ck else (),
            # Without CK's headers HIP's are not needed either; reading them is half of this pass.
            no_look_up=() if needs_ck else "-nogpuinc",
            resources=resources,
            wave_sizes=wave_sizes(self.gpus),
            warnings=(),
        )

    def link(self, library: str) -> Command:
        """Link the library, which exports nothing but the kernel ABI and needs libc alone."""
        files = load_recipe().search
        ends = {name: files[name] for name in ("link_before", "link_after")}
        return self._command("link", library=library, soname=library, exports=EXPORTS, **ends)

    def all(self, source: str, library: str, needs_ck: bool) -> list[Command]:
        """Every command that the library's bytes depend on."""
        passes = [self.device(gpu, source, precompiled=False) for gpu in self.gpus]
        return [*passes, self.bundle(), self.host(source, needs_ck), self.link(library)]

    def _device(self, step: str, gpu: GpuSpec, **values: str | Sequence[str]) -> Command:
        flags = load_recipe().gpu_flags([gpu])
        return self._command(
            step,
            **values,
            gpu=gpu.name,
            gpu_flags=flags,
            device_libs=DEVICE_LIBS,
            include_dirs=(CK, OWN),
        )

    def _command(self, name: str, **values: str | Sequence[str]) -> Command:
        # clang looks up on the machine what it is not told: its headers, and those of C++ and HIP.
        shared = {
            "no_look_up": (),
            "resource_dir": (),
            "system_include_dirs": (),
            "hip_wrapper": (),
        }
        files = {
            "gpu_binary": "code.hipfb",
            "object": "kernel.o",
            "gpus": [gpu.name for gpu in self.gpus],
        }
        step = load_recipe().steps[name]
        chosen = {
            key: (value,) if isinstance(value, str) else value
            for key, value in {**shared, **files, **values}.items()
        }
        return (os.path.join(self.tools, step.tool), *step.arguments(chosen))


def code_object(gpu: GpuSpec) -> str:
    """The code object of one GPU."""
    return f"{gpu.name}.co"


def precompiled_name(gpu: GpuSpec) -> str:
    """The precompiled header of one GPU."""
    return f"{gpu.name}.pch"


def links(compiler: Compiler, ck: Path, own: Path) -> dict[str, Path]:
    """What a work folder has links to, by the names that the commands use."""
    linked = {name: Path(path) for name, path in compiler.link_files.items()}
    return {CK: ck, OWN: own, DEVICE_LIBS: Path(compiler.device_libs), **linked}
