# SPDX-License-Identifier: MIT
import pytest
from ckinspect import disassembly
from ckinspect.disassembly import Instruction, InstructionClass
from ckinspect.elf import Function

LISTING = """
x.co:\tfile format elf64-amdgpu

Disassembly of section .text:

0000000000001a00 <first>:
\ts_load_dwordx2 s[0:1], s[0:1], 0x0                         // 000000001A00: C0060000 00000000
\tv_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]// 000000001A08: D3CC0000 04022510
\ts_cbranch_scc0 65532                                       // 000000001A10: BF84FFFC <first+0x4>
\t.long 0xd3b00000                                           // 000000001A14: D3B00000
\ts_endpgm                                                   // 000000001A18: BF810000
\ts_nop 0                                                    // 000000001A1C: BF800000

0000000000001a20 <second>:
\tv_dual_mov_b32 v0, 0 :: v_dual_mov_b32 v1, 0               // 000000001A20: CA100080 00000080
\t...
\ts_endpgm                                                   // 000000001A28: BF810000
"""


@pytest.mark.parametrize(
    ("mnemonic", "expected"),
    [
        ("v_add_f32_e32", "valu"),
        ("v_accvgpr_read_b32", "valu"),
        ("v_dot2_f32_f16", "valu"),
        ("v_mfma_ld_scale_b32", "valu"),
        ("s_add_u32", "salu"),
        ("s_getpc_b64", "salu"),
        ("s_and_saveexec_b64", "salu"),
        ("buffer_load_dwordx4", "vmem"),
        ("global_store_b32", "vmem"),
        ("scratch_load_dword", "vmem"),
        ("flat_atomic_add", "vmem"),
        ("s_load_b128", "smem"),
        ("s_buffer_load_dword", "smem"),
        ("s_dcache_wb", "smem"),
        ("ds_read_b128", "lds"),
        ("ds_bpermute_b32", "lds"),
        ("v_mfma_f32_32x32x8_f16", "matrix"),
        ("v_mfma_scale_f32_16x16x128_f8f6f4", "matrix"),
        ("v_smfmac_f32_16x16x32_f16", "matrix"),
        ("v_wmma_f32_16x16x16_f16", "matrix"),
        ("v_swmmac_f32_16x16x32_f16", "matrix"),
        ("s_waitcnt", "control"),
        ("s_wait_loadcnt_dscnt", "control"),
        ("s_cbranch_execz", "control"),
        ("s_swappc_b64", "control"),
        ("s_barrier_signal", "control"),
        ("s_endpgm", "control"),
        ("s_delay_alu", "control"),
        ("v_illegal", "other"),
        (".long", "other"),
        ("exp", "other"),
    ],
)
def test_class_of(mnemonic: str, expected: str) -> None:
    assert disassembly.classify(mnemonic) is InstructionClass(expected)


def test_every_printed_instruction_is_read_with_its_address() -> None:
    assert disassembly.parse(LISTING) == (
        Instruction(0x1A00, "s_load_dwordx2"),
        Instruction(0x1A08, "v_mfma_f32_32x32x8_f16"),
        Instruction(0x1A10, "s_cbranch_scc0"),
        Instruction(0x1A14, ".long"),
        Instruction(0x1A18, "s_endpgm"),
        Instruction(0x1A1C, "s_nop"),
        Instruction(0x1A20, "v_dual_mov_b32"),
        Instruction(0x1A28, "s_endpgm"),
    )


def test_padding_after_a_function_is_not_counted() -> None:
    counts = disassembly.mix(Function("first", 0x1A00, 0x1C), disassembly.parse(LISTING))
    assert counts.total == 5
    assert counts.by_class[InstructionClass.CONTROL] == 2
    assert counts.by_class[InstructionClass.OTHER] == 1
    assert counts.matrix == {"v_mfma_f32_32x32x8_f16": 1}


def test_a_dual_issue_pair_is_one_instruction() -> None:
    counts = disassembly.mix(Function("second", 0x1A20, 12), disassembly.parse(LISTING))
    assert counts.by_class[InstructionClass.VALU] == 1
    assert counts.total == 2
