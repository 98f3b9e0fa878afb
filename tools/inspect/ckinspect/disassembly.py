# SPDX-License-Identifier: MIT
"""Counts the instructions of each function of a code object, by class."""

from __future__ import annotations

import bisect
import enum
import re
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ckinspect.elf import Function
from ckinspect.errors import InspectError


class InstructionClass(enum.Enum):
    """Which unit of a compute unit executes an instruction."""

    VALU = "valu"
    SALU = "salu"
    VMEM = "vmem"
    SMEM = "smem"
    LDS = "lds"
    MATRIX = "matrix"
    CONTROL = "control"
    OTHER = "other"


@dataclass(frozen=True)
class Instruction:
    """One decoded instruction; a dual-issue pair is one instruction with its first mnemonic."""

    address: int
    mnemonic: str


@dataclass(frozen=True)
class InstructionMix:
    """Static instruction counts: every class is present, matrix mnemonics only when used."""

    by_class: Mapping[InstructionClass, int]
    matrix: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.by_class.values())


# Tried in order: the first prefix that fits decides.
_PREFIXES_OF_CLASS: tuple[tuple[InstructionClass, tuple[str, ...]], ...] = (
    # The scales of a scaled MFMA, which some disassemblers print as an instruction of its own.
    (InstructionClass.VALU, ("v_mfma_ld_scale",)),
    (InstructionClass.MATRIX, ("v_mfma_", "v_smfmac_", "v_wmma_", "v_swmmac_")),
    (InstructionClass.OTHER, ("v_illegal",)),
    (InstructionClass.VALU, ("v_",)),
    (InstructionClass.LDS, ("ds_", "lds_")),
    (InstructionClass.VMEM, ("buffer_", "tbuffer_", "global_", "flat_", "scratch_", "image_")),
    (
        InstructionClass.SMEM,
        (
            "s_load_",
            "s_store_",
            "s_buffer_",
            "s_scratch_",
            "s_atomic_",
            "s_dcache_",
            "s_atc_probe",
            "s_prefetch_",
            "s_memtime",
            "s_memrealtime",
            "s_gl1_inv",
        ),
    ),
    (
        InstructionClass.CONTROL,
        (
            "s_barrier",
            "s_branch",
            "s_cbranch_",
            "s_call_",
            "s_clause",
            "s_code_end",
            "s_decperflevel",
            "s_delay_alu",
            "s_denorm_mode",
            "s_endpgm",
            "s_get_barrier_state",
            "s_getreg_",
            "s_icache_inv",
            "s_incperflevel",
            "s_inst_prefetch",
            "s_nop",
            "s_rfe_",
            "s_round_mode",
            "s_sendmsg",
            "s_set_gpr_idx_",
            "s_set_inst_prefetch",
            "s_sethalt",
            "s_setkill",
            "s_setpc_",
            "s_setprio",
            "s_setreg_",
            "s_sleep",
            "s_swappc_",
            "s_trap",
            "s_ttracedata",
            "s_version",
            "s_wait",
            "s_wakeup",
        ),
    ),
    (InstructionClass.SALU, ("s_",)),
)

# A tab, the instruction, and its address in the comment that the AMDGPU printer always appends.
_LINE = re.compile(r"^\t(\S+)[^\n]*?//\s*([0-9A-Fa-f]+):", re.MULTILINE)


def classify(mnemonic: str) -> InstructionClass:
    """The class of a mnemonic as llvm-objdump prints it."""
    for instruction_class, prefixes in _PREFIXES_OF_CLASS:
        if mnemonic.startswith(prefixes):
            return instruction_class
    return InstructionClass.OTHER


def disassemble(objdump: Path, code_object: Path) -> tuple[Instruction, ...]:
    """All instructions of a code object, ordered by address."""
    command = [str(objdump), "-d", "--no-show-raw-insn", str(code_object)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise InspectError(
            f"{code_object} cannot be disassembled because {objdump} does not run"
            f" ({error.strerror}); give a working llvm-objdump with --objdump."
        ) from error
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise InspectError(f"{code_object} cannot be disassembled by {objdump}: {reason}.")
    return parse(done.stdout)


def parse(text: str) -> tuple[Instruction, ...]:
    """The instructions in llvm-objdump's output, ordered by address."""
    found = (Instruction(int(m[2], 16), m[1]) for m in _LINE.finditer(text))
    return tuple(sorted(found, key=lambda instruction: instruction.address))


def mix(function: Function, instructions: Sequence[Instruction]) -> InstructionMix:
    """Counts the instructions within a function's bytes; padding after it is not part of it."""
    start, end = (
        bisect.bisect_left(instructions, address, key=lambda instruction: instruction.address)
        for address in (function.address, function.address + function.size)
    )
    mnemonics = Counter(instruction.mnemonic for instruction in instructions[start:end])
    by_class = dict.fromkeys(InstructionClass, 0)
    matrix: dict[str, int] = {}
    for mnemonic, count in sorted(mnemonics.items()):
        instruction_class = classify(mnemonic)
        by_class[instruction_class] += count
        if instruction_class is InstructionClass.MATRIX:
            matrix[mnemonic] = count
    return InstructionMix(by_class=by_class, matrix=matrix)
