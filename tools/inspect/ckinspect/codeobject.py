# SPDX-License-Identifier: MIT
"""What one code object uses of its GPU, as the JSON that goes into a kernel's description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ckarch import GpuSpec

from ckinspect import disassembly, elf, files, metadata
from ckinspect.disassembly import Instruction, InstructionClass, InstructionMix
from ckinspect.elf import ElfObject, Function
from ckinspect.errors import InspectError, MalformedError
from ckinspect.metadata import KernelMetadata, ObjectMetadata
from ckinspect.occupancy import occupancy

_WORST = ("agprs", "lds_bytes", "scratch_bytes", "sgprs", "vgprs")
_SUMMED = ("sgpr_spills", "vgpr_spills")


def inspect(path: Path, gpu: GpuSpec, objdump: Path) -> dict[str, Any]:
    """Reads the code object at `path`, which must be for `gpu`; raises InspectError otherwise."""
    data = files.read_bytes(path)
    try:
        code_object = elf.parse(data)
        recorded = metadata.read(code_object.notes)
        functions = _kernel_functions(code_object, recorded)
    except MalformedError as error:
        raise InspectError(
            f"{path} cannot be inspected for {gpu.name}: {error};"
            f" give a code object that a device-only compilation for {gpu.name} made."
        ) from error
    _require_gpu(path, recorded, gpu)
    _require_lds(path, recorded, gpu)
    instructions = disassembly.disassemble(objdump, path)
    kernels = {
        kernel.symbol: _kernel(path, kernel, functions[kernel.symbol], instructions, gpu)
        for kernel in recorded.kernels
    }
    others = {
        function.name: _code(function, disassembly.mix(function, instructions))
        for function in code_object.functions
        if function.name not in kernels
    }
    return {
        "code_object_bytes": len(data),
        "functions": others,
        "kernels": kernels,
        "sha256": files.sha256(data),
        "summary": _summary(kernels, others),
    }


def spills(resources: Mapping[str, Any]) -> bool:
    """Whether a kernel, or a summary of kernels, keeps registers in memory."""
    return bool(resources["vgpr_spills"] or resources["scratch_bytes"])


def _kernel_functions(code_object: ElfObject, recorded: ObjectMetadata) -> dict[str, Function]:
    by_name = {function.name: function for function in code_object.functions}
    if not recorded.kernels:
        raise MalformedError("it holds no kernel")
    for kernel in recorded.kernels:
        if kernel.symbol not in by_name or by_name[kernel.symbol].size == 0:
            raise MalformedError(f"its symbol table has no code for kernel {kernel.symbol}")
    return {kernel.symbol: by_name[kernel.symbol] for kernel in recorded.kernels}


def _require_gpu(path: Path, recorded: ObjectMetadata, gpu: GpuSpec) -> None:
    if recorded.gpu != gpu.name:
        raise InspectError(
            f"{path} was given for {gpu.name} but its code is for {recorded.gpu};"
            f" compile it for {gpu.name} or give it as {recorded.gpu}."
        )


def _require_lds(path: Path, recorded: ObjectMetadata, gpu: GpuSpec) -> None:
    for kernel in recorded.kernels:
        if kernel.lds_bytes > gpu.lds_bytes:
            raise InspectError(
                f"{path} cannot run on {gpu.name}: kernel {kernel.symbol} needs {kernel.lds_bytes}"
                f" bytes of LDS and a workgroup there has {gpu.lds_bytes}; choose a smaller tile."
            )


def _kernel(
    path: Path,
    kernel: KernelMetadata,
    function: Function,
    instructions: Sequence[Instruction],
    gpu: GpuSpec,
) -> dict[str, Any]:
    counts = disassembly.mix(function, instructions)
    if counts.total == 0:
        raise InspectError(
            f"{path} cannot be inspected for {gpu.name}: the disassembler shows no instruction of"
            f" kernel {kernel.symbol}; give an llvm-objdump that knows AMD GPUs with --objdump."
        )
    resident = occupancy(kernel, gpu)
    resources = asdict(kernel)
    for known_elsewhere in ("symbol", "workgroup_processor_mode"):
        del resources[known_elsewhere]
    return {
        **_code(function, counts),
        **resources,
        "occupancy_limits": list(resident.limits),
        "waves_per_simd": resident.waves_per_simd,
    }


def _code(function: Function, counts: InstructionMix) -> dict[str, Any]:
    mix = {kind.value: count for kind, count in counts.by_class.items()}
    return {
        "code_bytes": function.size,
        "instructions": {**mix, "total": counts.total},
        "matrix_mnemonics": dict(counts.matrix),
    }


def _summary(kernels: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, int]:
    """One figure per resource: the worst kernel's, or the sum over all code."""

    used, code = kernels.values(), [*kernels.values(), *others.values()]
    return {
        **{field: max(kernel[field] for kernel in used) for field in _WORST},
        **{field: sum(kernel[field] for kernel in used) for field in _SUMMED},
        "code_bytes": sum(entry["code_bytes"] for entry in code),
        "matrix_instructions": sum(
            entry["instructions"][InstructionClass.MATRIX.value] for entry in code
        ),
        "waves_per_simd": min(kernel["waves_per_simd"] for kernel in used),
    }
