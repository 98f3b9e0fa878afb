# SPDX-License-Identifier: MIT
"""What is to be built: one job for each different kernel, and the key of its library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckarch import ArchSpecs, GpuSpec
from ckgen.core.family import Family
from ckgen.core.recipe import wave_sizes
from ckgen.core.spec import KernelSpec

from ckdispatch.jit.command import Commands
from ckdispatch.jit.entry import FORMAT, key_of
from ckdispatch.jit.files import sha256_bytes
from ckdispatch.jit.headers import HeaderSource, own_headers
from ckdispatch.jit.result import library_name
from ckdispatch.jit.sources import FamilyFiles, family_files, source_text


@dataclass(frozen=True)
class FamilyJob:
    """What all kernels of one family share in a build."""

    family: Family
    files: FamilyFiles
    own: HeaderSource
    ck: HeaderSource

    @classmethod
    def of(cls, family: Family, ck: HeaderSource) -> FamilyJob:
        """The files of ``family``, read now."""
        return cls(family, family_files(family), own_headers(family), ck)


@dataclass(frozen=True)
class KernelJob:
    """One kernel to be built for some GPUs; ``request`` is its key without the compiler."""

    name: str
    source: bytes
    shared: FamilyJob
    request: Mapping[str, Any]

    @property
    def library(self) -> str:
        """The file name of the library."""
        return library_name(self.name)

    @property
    def source_name(self) -> str:
        """The file name of the source."""
        return f"{self.name}.cpp"

    def inputs(self, identity: str) -> dict[str, Any]:
        """What the key is made of, with the compiler of that ``identity``."""
        return {**self.request, "compiler": identity}

    def key(self, identity: str) -> str:
        """The key of the library, made by the compiler of that ``identity``."""
        return key_of(self.inputs(identity))


def kernel_job(
    spec: KernelSpec, shared: FamilyJob, arch: ArchSpecs, gpus: Sequence[GpuSpec]
) -> KernelJob:
    """The job of building ``spec`` for ``gpus``."""
    source = source_text(shared.family, spec, arch)
    neutral = Commands.of_any_compiler(gpus)
    needs_ck = shared.family.row.host_needs_ck
    commands = neutral.all(f"{spec.name}.cpp", library_name(spec.name), needs_ck)
    request = {
        "abi": shared.files.abi_version,
        "commands": [list(command) for command in commands],
        "exports": sha256_bytes(shared.files.exports),
        "format": FORMAT,
        "gpus": wave_sizes(gpus),
        "headers": {"composable_kernel": shared.ck.digest, "own": shared.own.digest},
        "source": sha256_bytes(source),
        "spec": spec.to_json(),
    }
    return KernelJob(spec.name, source, shared, request)


def request_of(inputs: Mapping[str, Any]) -> str:
    """Equal for the inputs of two libraries that differ in nothing but their compiler."""
    return key_of({name: value for name, value in inputs.items() if name != "compiler"})
