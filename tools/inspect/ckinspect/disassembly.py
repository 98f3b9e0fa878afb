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
_CLASS_OF_PREFIX: tuple[tuple[str, InstructionClass], ...] = (
    # The scales of a scaled MFMA, which some disassemblers print as an instruction of its own.
    ("v_mfma_ld_scale", InstructionClass.VALU),
    ("v_mfma_", InstructionClass.MATRIX),
    ("v_smfmac_", InstructionClass.MATRIX),
    ("v_wmma_", InstructionClass.MATRIX),
    ("v_swmmac_", InstructionClass.MATRIX),
    ("v_illegal", InstructionClass.OTHER),
    ("v_", InstructionClass.VALU),
    ("ds_", InstructionClass.LDS),
    ("lds_", InstructionClass.LDS),
    ("buffer_", InstructionClass.VMEM),
    ("tbuffer_", InstructionClass.VMEM),
    ("global_", InstructionClass.VMEM),
    ("flat_", InstructionClass.VMEM),
    ("scratch_", InstructionClass.VMEM),
    ("image_", InstructionClass.VMEM),
    ("s_load_", InstructionClass.SMEM),
    ("s_store_", InstructionClass.SMEM),
    ("s_buffer_", InstructionClass.SMEM),
    ("s_scratch_", InstructionClass.SMEM),
    ("s_atomic_", InstructionClass.SMEM),
    ("s_dcache_", InstructionClass.SMEM),
    ("s_atc_probe", InstructionClass.SMEM),
    ("s_prefetch_", InstructionClass.SMEM),
    ("s_memtime", InstructionClass.SMEM),
    ("s_memrealtime", InstructionClass.SMEM),
    ("s_gl1_inv", InstructionClass.SMEM),
    ("s_barrier", InstructionClass.CONTROL),
    ("s_branch", InstructionClass.CONTROL),
    ("s_cbranch_", InstructionClass.CONTROL),
    ("s_call_", InstructionClass.CONTROL),
    ("s_clause", InstructionClass.CONTROL),
    ("s_code_end", InstructionClass.CONTROL),
    ("s_decperflevel", InstructionClass.CONTROL),
    ("s_delay_alu", InstructionClass.CONTROL),
    ("s_denorm_mode", InstructionClass.CONTROL),
    ("s_endpgm", InstructionClass.CONTROL),
    ("s_get_barrier_state", InstructionClass.CONTROL),
    ("s_getreg_", InstructionClass.CONTROL),
    ("s_icache_inv", InstructionClass.CONTROL),
    ("s_incperflevel", InstructionClass.CONTROL),
    ("s_inst_prefetch", InstructionClass.CONTROL),
    ("s_nop", InstructionClass.CONTROL),
    ("s_rfe_", InstructionClass.CONTROL),
    ("s_round_mode", InstructionClass.CONTROL),
    ("s_sendmsg", InstructionClass.CONTROL),
    ("s_set_gpr_idx_", InstructionClass.CONTROL),
    ("s_set_inst_prefetch", InstructionClass.CONTROL),
    ("s_sethalt", InstructionClass.CONTROL),
    ("s_setkill", InstructionClass.CONTROL),
    ("s_setpc_", InstructionClass.CONTROL),
    ("s_setprio", InstructionClass.CONTROL),
    ("s_setreg_", InstructionClass.CONTROL),
    ("s_sleep", InstructionClass.CONTROL),
    ("s_swappc_", InstructionClass.CONTROL),
    ("s_trap", InstructionClass.CONTROL),
    ("s_ttracedata", InstructionClass.CONTROL),
    ("s_version", InstructionClass.CONTROL),
    ("s_wait", InstructionClass.CONTROL),
    ("s_wakeup", InstructionClass.CONTROL),
    ("s_", InstructionClass.SALU),
)

# A tab, the instruction, and its address in the comment that the AMDGPU printer always appends.
_LINE = re.compile(r"^\t(\S+)[^\n]*?//\s*([0-9A-Fa-f]+):", re.MULTILINE)


def classify(mnemonic: str) -> InstructionClass:
    """The class of a mnemonic as llvm-objdump prints it."""
    for prefix, instruction_class in _CLASS_OF_PREFIX:
        if mnemonic.startswith(prefix):
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
