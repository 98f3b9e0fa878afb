# SPDX-License-Identifier: MIT
"""What the compiler recorded about each kernel, from the AMDGPU metadata note of a code object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ckinspect import msgpack
from ckinspect.elf import Note
from ckinspect.errors import MalformedError

_OWNER = "AMDGPU"
_NT_AMDGPU_METADATA = 32
_DESCRIPTOR_SUFFIX = ".kd"


@dataclass(frozen=True)
class KernelMetadata:
    """Resources of one kernel; `symbol` names its function.

    `vgprs` is what a lane is given: on GPUs with a unified register file it includes `agprs`.
    """

    symbol: str
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    wavefront_size: int
    max_workgroup_size: int
    workgroup_processor_mode: bool
    dynamic_stack: bool


@dataclass(frozen=True)
class ObjectMetadata:
    """The GPU that an object was compiled for, such as "gfx942", and its kernels."""

    gpu: str
    kernels: tuple[KernelMetadata, ...]


def read(notes: Sequence[Note]) -> ObjectMetadata:
    """Decodes the metadata note; raises MalformedError when there is none or it makes no sense."""
    payloads = [n.payload for n in notes if (n.owner, n.kind) == (_OWNER, _NT_AMDGPU_METADATA)]
    if len(payloads) != 1:
        raise MalformedError(f"it has {len(payloads)} AMDGPU metadata notes instead of one")
    root = msgpack.decode(payloads[0])
    if not isinstance(root, dict):
        raise MalformedError("its AMDGPU metadata is not a map")
    kernels = root.get("amdhsa.kernels")
    if not isinstance(kernels, list) or not all(isinstance(k, dict) for k in kernels):
        raise MalformedError("its AMDGPU metadata has no list of kernels")
    return ObjectMetadata(gpu=_gpu(root), kernels=tuple(_kernel(k) for k in kernels))


def _gpu(root: Mapping[Any, Any]) -> str:
    """The processor of a target id such as amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-."""
    target = root.get("amdhsa.target")
    if not isinstance(target, str):
        raise MalformedError("its AMDGPU metadata names no target")
    gpu = target.partition(":")[0].rpartition("-")[2]
    if not gpu.startswith("gfx"):
        raise MalformedError(f"its AMDGPU metadata names the target {target!r}, which is no GPU")
    return gpu


def _kernel(entry: Mapping[Any, Any]) -> KernelMetadata:
    descriptor = entry.get(".symbol")
    if not isinstance(descriptor, str) or not descriptor.endswith(_DESCRIPTOR_SUFFIX):
        raise MalformedError("a kernel in its AMDGPU metadata has no symbol")
    symbol = descriptor[: -len(_DESCRIPTOR_SUFFIX)]

    def count(field: str, default: int | None = None) -> int:
        value = entry.get(field, default)
        if type(value) is not int or value < 0:
            raise MalformedError(f"its AMDGPU metadata has no usable {field} for kernel {symbol}")
        return value

    kernel = KernelMetadata(
        symbol=symbol,
        vgprs=count(".vgpr_count"),
        agprs=count(".agpr_count", 0),
        sgprs=count(".sgpr_count"),
        vgpr_spills=count(".vgpr_spill_count", 0),
        sgpr_spills=count(".sgpr_spill_count", 0),
        lds_bytes=count(".group_segment_fixed_size"),
        scratch_bytes=count(".private_segment_fixed_size"),
        kernarg_bytes=count(".kernarg_segment_size"),
        wavefront_size=count(".wavefront_size"),
        max_workgroup_size=count(".max_flat_workgroup_size"),
        workgroup_processor_mode=bool(entry.get(".workgroup_processor_mode")),
        dynamic_stack=bool(entry.get(".uses_dynamic_stack")),
    )
    if kernel.wavefront_size == 0 or kernel.max_workgroup_size == 0:
        raise MalformedError(f"its AMDGPU metadata gives kernel {symbol} no usable workgroup")
    return kernel
