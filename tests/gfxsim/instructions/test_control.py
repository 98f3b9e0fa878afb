# SPDX-License-Identifier: MIT
"""Branches, calls, hardware registers, and instructions that must change nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from probe import EXEC, VCC, Probe, ProbeError, State

GPUS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
Prepare = Callable[[State], None]


def _taken(gpu: str, branch: str, prepare: Prepare) -> bool:
    state = State()
    prepare(state)
    Probe(gpu).run(f"{branch} there\ns_mov_b32 s40, 1\ns_endpgm\nthere:\ns_mov_b32 s40, 2", state)
    return int(state.s[40]) == 2


def _set_scc(value: int) -> Prepare:
    return lambda state: setattr(state, "scc", value)


def _set_mask(register: int, bits: int) -> Prepare:
    return lambda state: state.set_mask(register, bits)


@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize(
    ("branch", "prepare", "taken"),
    [
        ("s_branch", _set_scc(0), True),
        ("s_cbranch_scc0", _set_scc(0), True),
        ("s_cbranch_scc0", _set_scc(1), False),
        ("s_cbranch_scc1", _set_scc(0), False),
        ("s_cbranch_scc1", _set_scc(1), True),
        ("s_cbranch_vccz", _set_mask(VCC, 0), True),
        ("s_cbranch_vccz", _set_mask(VCC, 1 << 63), False),
        ("s_cbranch_vccnz", _set_mask(VCC, 0), False),
        ("s_cbranch_vccnz", _set_mask(VCC, 1 << 63), True),
        ("s_cbranch_execz", _set_mask(EXEC, 0), True),
        ("s_cbranch_execz", _set_mask(EXEC, 1 << 40), False),
        ("s_cbranch_execnz", _set_mask(EXEC, 0), False),
        ("s_cbranch_execnz", _set_mask(EXEC, 1 << 40), True),
    ],
)
def test_branch_is_taken_when_its_condition_holds(
    gpu: str, branch: str, prepare: Prepare, taken: bool
) -> None:
    assert _taken(gpu, branch, prepare) is taken


@pytest.mark.parametrize(
    "branch",
    [
        "s_cbranch_cdbgsys",
        "s_cbranch_cdbguser",
        "s_cbranch_cdbgsys_or_user",
        "s_cbranch_cdbgsys_and_user",
    ],
)
def test_branch_for_debuggers_is_never_taken(branch: str) -> None:
    assert not _taken("gfx942", branch, _set_scc(1))


@pytest.mark.parametrize("gpu", GPUS)
def test_loop_runs_as_often_as_it_counts(gpu: str) -> None:
    state = State()
    state.s[8], state.s[9] = 10, 0
    add, sub = ("s_add_co_u32", "s_sub_co_u32") if gpu == "gfx1201" else ("s_add_u32", "s_sub_u32")
    Probe(gpu).run(
        f"again:\n{add} s9, s9, 3\n{sub} s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 again", state
    )
    assert (int(state.s[8]), int(state.s[9])) == (0, 30)


@pytest.mark.parametrize("gpu", GPUS)
def test_calls_return_behind_themselves(gpu: str) -> None:
    add = "s_add_co_u32" if gpu == "gfx1201" else "s_add_u32"
    call = (
        f"s_getpc_b64 s[4:5]\nhere:\n{add} s4, s4, function-here\ns_swappc_b64 s[6:7], s[4:5]\n"
        "s_mov_b32 s40, 7\ns_endpgm\n"
    )
    function = "function:\ns_mov_b32 s41, 8\ns_setpc_b64 s[6:7]"
    state = Probe(gpu).run(call + function, State())
    assert (int(state.s[40]), int(state.s[41])) == (7, 8)
    state = Probe(gpu).run(
        "s_call_b64 s[6:7], function\ns_mov_b32 s40, 7\ns_endpgm\n" + function, State()
    )
    assert (int(state.s[40]), int(state.s[41])) == (7, 8)


@pytest.mark.parametrize("gpu", GPUS)
def test_program_counter_is_that_of_the_next_instruction(gpu: str) -> None:
    state = Probe(gpu).run("s_getpc_b64 s[4:5]\ns_nop 0\ns_getpc_b64 s[6:7]", State())
    assert state.mask(6) - state.mask(4) == 8


@pytest.mark.parametrize("gpu", GPUS)
def test_mode_register_is_written_and_read_in_parts(gpu: str) -> None:
    text = (
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 9\ns_mov_b32 s8, 5\ns_setreg_b32 "
        "hwreg(HW_REG_MODE, 4, 4), s8\n"
    )
    state = Probe(gpu).run(text + "s_getreg_b32 s40, hwreg(HW_REG_MODE, 2, 5)", State())
    assert state.mode & 0xFF == 0x59
    assert int(state.s[40]) == (0x59 >> 2) & 0x1F


@pytest.mark.parametrize("gpu", ["gfx1100", "gfx1201"])
def test_round_and_denormal_modes_are_set_by_instructions_of_their_own(gpu: str) -> None:
    state = Probe(gpu).run("s_round_mode 0x6\ns_denorm_mode 0x9", State())
    assert state.mode & 0xFF == 0x96


@pytest.mark.parametrize("gpu", ["gfx90a", "gfx942"])
def test_relative_registers_are_chosen_while_index_mode_is_on(gpu: str) -> None:
    state = State()
    state.s[8] = 3
    state.v[8], state.v[11] = 100, 200
    Probe(gpu).run(
        "s_set_gpr_idx_on s8, gpr_idx(SRC0)\nv_mov_b32_e32 v20, "
        "v8\ns_set_gpr_idx_off\nv_mov_b32_e32 v21, v8",
        state,
    )
    assert int(state.v[20, 5]) == 200
    assert int(state.v[21, 5]) == 100


def test_mode_of_relative_registers_can_be_changed() -> None:
    state = State()
    state.s[8] = 2
    state.v[8], state.v[10] = 100, 200
    text = "s_set_gpr_idx_on s8, gpr_idx(DST)\nv_mov_b32_e32 v20, v8\n"
    text += "s_set_gpr_idx_mode gpr_idx(SRC0)\nv_mov_b32_e32 v30, v8\ns_set_gpr_idx_off"
    Probe("gfx942").run(text, state)
    assert [int(state.v[row, 0]) for row in (20, 22, 30, 32)] == [0, 100, 200, 0]


@pytest.mark.parametrize("gpu", ["gfx908", "gfx90a", "gfx942", "gfx950"])
def test_vector_instructions_are_skipped_while_vskip_is_set(gpu: str) -> None:
    """Those of lanes, LDS and memory have no effect, not even a fault; scalar ones and branches run
    on.
    """
    state = State(memory=64, lds=64)
    state.memory[:], state.lds[:] = 1, 2
    state.s[8], state.s[9] = 0b1000, 3
    state.set_mask(10, state.address)
    state.v[20], state.v[21] = 5, 6
    skipped = (
        "v_mov_b32_e32 v20, 7\nds_write_b32 v22, v21\nglobal_store_dword v22, v21, s[10:11]\n"
        "global_load_dword v20, v[24:25], off\n"
    )
    skipped += "v_readfirstlane_b32 s41, v21\nv_cmp_eq_u32_e32 vcc, v21, v21\n"
    text = (
        f"s_setvskip s8, s9\n{skipped}s_getreg_b32 s40, hwreg(HW_REG_MODE, 28, 1)\ns_branch on\n"
        f"{skipped}on:\ns_setvskip 0, 0\n"
    )
    Probe(gpu).run(text + "v_mov_b32_e32 v23, 9", state)
    assert [int(state.v[row, 3]) for row in (20, 21, 23)] == [5, 6, 9]
    assert [int(state.s[n]) for n in (40, 41, VCC)] == [1, 0, 0]
    assert (state.memory == 1).all() and (state.lds == 2).all()


@pytest.mark.parametrize(
    ("bits", "bit", "skips"),
    [(1 << 31, 31, True), (1 << 31, 30, False), (2, 33, True), (~1 & 0xFFFFFFFF, 32, False)],
)
def test_vskip_is_the_bit_that_the_second_operand_names(bits: int, bit: int, skips: bool) -> None:
    state = State()
    state.s[8], state.s[9] = bits, bit
    Probe("gfx942").run("s_setvskip s8, s9\nv_mov_b32_e32 v20, 7\ns_setvskip 0, 0", state)
    assert int(state.v[20, 0]) == (0 if skips else 7)


def test_vskip_is_a_bit_of_the_mode_register() -> None:
    text = (
        "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1\nv_mov_b32_e32 v20, 7\ns_setvskip 0, "
        "0\nv_mov_b32_e32 v21, 7"
    )
    state = Probe("gfx942").run(text, State())
    assert (int(state.v[20, 0]), int(state.v[21, 0])) == (0, 7)
    with pytest.raises(ProbeError, match="sets the bits 0x10000000 of MODE"):
        Probe("gfx1100").run("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", State())


def test_first_wave_at_a_barrier_is_told_so() -> None:
    state = Probe("gfx1201").run("s_barrier_signal_isfirst -1\ns_barrier_wait -1", State())
    assert state.scc == 1


NOTHING = {
    "gfx9": (
        "s_nop 7",
        "s_waitcnt vmcnt(0) lgkmcnt(0) expcnt(0)",
        "s_sleep 2",
        "s_setprio 1",
        "s_icache_inv",
        "s_dcache_inv",
        "s_dcache_wb",
        "s_barrier",
        "v_nop",
        "s_wakeup",
        "s_incperflevel 1",
        "s_decperflevel 1",
        "s_dcache_inv_vol",
        "s_dcache_wb_vol",
        "s_ttracedata",
        "v_clrexcp",
        "ds_nop",
    ),
    "gfx11": (
        "s_nop 7",
        "s_waitcnt vmcnt(0) lgkmcnt(0) expcnt(0)",
        "s_waitcnt_vscnt null, 0x0",
        "s_waitcnt_vmcnt null, 0x0",
        "s_waitcnt_expcnt null, 0x0",
        "s_waitcnt_lgkmcnt null, 0x0",
        "s_waitcnt_depctr 0xfffe",
        "s_delay_alu instid0(VALU_DEP_1)",
        "s_clause 0x1",
        "s_sleep 2",
        "s_setprio 1",
        "s_icache_inv",
        "s_dcache_inv",
        "s_gl1_inv",
        "buffer_gl0_inv",
        "buffer_gl1_inv",
        "s_barrier",
        "v_nop",
        "v_pipeflush",
        "s_wait_idle",
        "s_wait_event 0x0",
        "s_set_inst_prefetch_distance 0x1",
        "s_version 0x2000",
        "s_ttracedata_imm 0x1",
    ),
    "gfx12": (
        "s_nop 7",
        "s_waitcnt vmcnt(0)",
        "s_wait_loadcnt 0x0",
        "s_wait_storecnt 0x0",
        "s_wait_samplecnt 0x0",
        "s_wait_bvhcnt 0x0",
        "s_wait_expcnt 0x0",
        "s_wait_dscnt 0x0",
        "s_wait_kmcnt 0x0",
        "s_wait_loadcnt_dscnt 0x0",
        "s_wait_storecnt_dscnt 0x0",
        "s_wait_alu 0xfffe",
        "s_delay_alu instid0(VALU_DEP_1)",
        "s_clause 0x1",
        "s_sleep 2",
        "s_sleep_var s8",
        "s_setprio 1",
        "s_icache_inv",
        "s_dcache_inv",
        "global_inv scope:SCOPE_DEV",
        "global_wb scope:SCOPE_DEV",
        "global_wbinv scope:SCOPE_DEV",
        "s_barrier_signal -1\ns_barrier_wait -1",
        "v_nop",
        "v_pipeflush",
        "s_wait_idle",
        "s_prefetch_data s[8:9], 0x0, s16, 0",
        "s_prefetch_inst s[8:9], 0x0, s16, 0",
        "s_prefetch_data_pc_rel 0x0, s16, 0",
        "s_prefetch_inst_pc_rel 0x0, s16, 0",
        "s_buffer_prefetch_data s[8:11], 0x0, s16, 0",
    ),
}


@pytest.mark.parametrize(
    ("gpu", "text"),
    [
        *(("gfx942", text) for text in (*NOTHING["gfx9"], "buffer_inv sc1", "buffer_wbl2 sc1")),
        *(
            ("gfx90a", text)
            for text in (
                *NOTHING["gfx9"],
                "buffer_wbinvl1",
                "buffer_wbinvl1_vol",
                "buffer_invl2",
                "buffer_wbl2",
            )
        ),
        *(("gfx1100", text) for text in NOTHING["gfx11"]),
        *(("gfx1201", text) for text in NOTHING["gfx12"]),
    ],
)
def test_instruction_without_a_result_changes_nothing(gpu: str, text: str) -> None:
    state = State()
    state.v[:], state.s[:100] = 0x12345678, 0x9ABCDEF0
    before = state.copy()
    Probe(gpu).run(text, state)
    assert (state.v == before.v).all()
    assert (state.s == before.s).all()
    assert (state.scc, state.mode) == (before.scc, before.mode)


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100"])
def test_trap_is_an_error_with_its_name(gpu: str) -> None:
    with pytest.raises(ProbeError, match="trap"):
        Probe(gpu).run("s_trap 2", State())


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100", "gfx1201"])
def test_code_without_end_is_an_error(gpu: str) -> None:
    with pytest.raises(ProbeError, match="does not end"):
        Probe(gpu).run("again:\ns_branch again", State())
