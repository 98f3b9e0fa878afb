# SPDX-License-Identifier: MIT
"""Instructions that AMD describes in prose: swizzles, counters in LDS, loads into LDS, transposing
reads, accumulator registers.
"""

from __future__ import annotations

import numpy as np
import pytest
from probe import EXEC, FIRST_AGPR, M0, Probe, State

from instructions import suite

_LDS = 4096


def _random_state(*names: object, wave_size: int = 64, **sizes: int) -> State:
    state = State(wave_size, **sizes)
    noise = np.random.default_rng(suite.seed(*names).getrandbits(32))
    state.v[:] = noise.integers(0, 1 << 32, size=state.v.shape, dtype=np.uint32)
    for memory in (state.lds, state.memory):
        memory[:] = noise.integers(0, 256, size=memory.size, dtype=np.uint8)
    return state


def _swizzled(lane: int, mode: int) -> int:
    if mode & 0x8000:
        return lane // 4 * 4 + (mode >> 2 * (lane % 4) & 3)
    within = ((lane % 32 & mode & 31) | mode >> 5 & 31) ^ (mode >> 10 & 31)
    return lane // 32 * 32 + within


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("mode", [0x80E4, 0x801B, 0x80B1, 0x041F, 0x401F, 0x03E0, 0x001C, 0x7C1F])
def test_swizzle_takes_values_within_groups(gpu: str, mode: int) -> None:
    state = _random_state(gpu, mode)
    mask = 0xFFFF0FFFFFFFFFF0
    state.set_mask(EXEC, mask)
    before = state.copy()
    Probe(gpu).run(f"ds_swizzle_b32 v120, v4 offset:{mode}", state)
    for lane in range(64):
        origin = _swizzled(lane, mode)
        taken = int(before.v[4, origin]) if mask >> origin & 1 else 0
        assert int(state.v[120, lane]) == (taken if mask >> lane & 1 else int(before.v[120, lane]))


@pytest.mark.parametrize("gpu", ["gfx942", "gfx1100", "gfx1201"])
@pytest.mark.parametrize(("name", "sign"), [("ds_append", 1), ("ds_consume", -1)])
def test_counter_in_lds_moves_by_the_number_of_lanes(gpu: str, name: str, sign: int) -> None:
    state = State(lds=_LDS)
    state.lds.view("<u4")[:] = 1000
    state.s[M0] = 0 if gpu == "gfx1201" else 64
    state.set_mask(EXEC, 0x00FF00FF00000001)
    Probe(gpu).run(f"{name} v120 offset:8", state)
    words = state.lds.view("<u4")
    place = (8 + int(state.s[M0])) // 4
    assert int(words[place]) == 1000 + 17 * sign
    assert np.count_nonzero(words != 1000) == 1
    assert [int(state.v[120, lane]) for lane in (0, 1, 32, 48)] == [1000, 0, 1000, 1000]


@pytest.mark.parametrize("gpu", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize(
    ("words", "both"),
    [("0x78f050f0", True), ("0x78f050ff, 0x3800", False)],
    ids=("constant", "literal"),
)
def test_a_constant_of_a_packed_sum_is_in_both_halves(gpu: str, words: str, both: bool) -> None:
    state = State(32)
    state.v[40], state.v[120] = 0x44004400, 0x3C003C00  # (4, 4) and (1, 1)
    Probe(gpu).run(f".long {words}", state)  # v_pk_fmac_f16 v120, 0.5, v40
    assert set(state.v[120, :32].tolist()) == {0x42004200 if both else 0x3C004200}


_TO_LDS = [
    ("gfx942", size, name)
    for size, name in ((1, "ubyte"), (1, "sbyte"), (2, "ushort"), (2, "sshort"), (4, "dword"))
]
_TO_LDS += [
    ("gfx950", size, name) for size, name in ((4, "dword"), (12, "dwordx3"), (16, "dwordx4"))
]


def _widened(data: bytes, name: str) -> bytes:
    """What a load of a byte or a short puts into LDS: a dword."""
    if len(data) >= 4:
        return data
    return int.from_bytes(data, "little", signed=name.startswith("s")).to_bytes(
        4, "little", signed=name.startswith("s")
    )


# Counts in the memory that is read and in LDS.
_OFFSET = 16


def _check_lds(
    state: State, before: State, offsets: list[int], size: int, name: str, mask: int
) -> None:
    wanted = before.lds.copy()
    step = max(4, size)
    for lane in range(64):
        if mask >> lane & 1:
            first = offsets[lane] + _OFFSET
            data = _widened(bytes(before.memory[first : first + size]), name)
            at = 256 + _OFFSET + lane * step
            wanted[at : at + step] = np.frombuffer(data, dtype=np.uint8)
    assert (state.lds == wanted).all()
    assert (state.v == before.v).all()


@pytest.mark.parametrize(("gpu", "size", "name"), _TO_LDS)
def test_global_load_into_lds_puts_lanes_side_by_side(gpu: str, size: int, name: str) -> None:
    state = _random_state(gpu, name, lds=_LDS, memory=8192)
    offsets = [lane * 100 // 4 * 4 for lane in range(64)]
    mask = 0xFFFFFFFF0FFFFFFE
    state.set_mask(EXEC, mask)
    state.s[M0] = 256
    state.set_mask(8, state.address)
    state.v[4] = offsets
    before = state.copy()
    Probe(gpu).run(f"global_load_lds_{name} v4, s[8:9] offset:{_OFFSET}", state)
    _check_lds(state, before, offsets, size, name, mask)


@pytest.mark.parametrize(("gpu", "size", "name"), [case for case in _TO_LDS if case[0] == "gfx942"])
def test_scratch_load_into_lds_puts_lanes_side_by_side(gpu: str, size: int, name: str) -> None:
    state = _random_state(gpu, name, lds=_LDS, scratch=64)
    state.scratch[:] = np.arange(64 * 64).reshape(64, 64) * 7 % 251
    state.s[M0], state.v[4] = 256, [4 * (lane % 8) for lane in range(64)]
    before = state.copy()
    Probe(gpu).run(f"scratch_load_lds_{name} v4, off offset:{_OFFSET}", state)
    # The lanes' memories one behind the other are one memory.
    before.memory = before.scratch.reshape(-1)
    offsets = [64 * lane + int(before.v[4, lane]) for lane in range(64)]
    _check_lds(state, before, offsets, size, name, (1 << 64) - 1)


@pytest.mark.parametrize(("gpu", "size", "name"), _TO_LDS)
def test_buffer_load_into_lds_puts_lanes_side_by_side(gpu: str, size: int, name: str) -> None:
    state = _random_state(gpu, name, lds=_LDS, memory=8192)
    offsets = [lane * 120 // 4 * 4 for lane in range(64)]
    mask = 0xF0FFFFFFFFFFFFFF
    state.set_mask(EXEC, mask)
    state.s[M0] = 256
    state.set_mask(8, state.address)
    state.s[10], state.s[11], state.s[16] = state.memory.size, 0x00020000, 0
    state.v[4] = offsets
    before = state.copy()
    Probe(gpu).run(f"buffer_load_{name} v4, s[8:11], s16 offen offset:{_OFFSET} lds", state)
    _check_lds(state, before, offsets, size, name, mask)


@pytest.mark.parametrize(
    ("name", "bits", "dwords"),
    [("b64_tr_b16", 16, 2), ("b64_tr_b8", 8, 2), ("b64_tr_b4", 4, 2), ("b96_tr_b6", 6, 3)],
)
def test_transposing_read_gives_each_of_sixteen_lanes_a_column(
    name: str, bits: int, dwords: int
) -> None:
    state = _random_state(name, lds=_LDS)
    order = suite.seed(name).sample(range(64), 64)
    state.v[4] = [16 * place for place in order]
    before = state.copy()
    Probe("gfx950").run(f"ds_read_{name} v[120:{119 + dwords}], v4", state)
    count = 32 * dwords // bits

    def number(lane: int, place: int) -> int:
        at = int(before.v[4, lane])
        whole = int.from_bytes(before.lds[at : at + 4 * dwords].tobytes(), "little")
        return whole >> bits * place & ((1 << bits) - 1)

    for lane in range(64):
        got = sum(int(state.v[120 + n, lane]) << 32 * n for n in range(dwords))
        group, column = lane // 16 * 16, lane % 16
        # Rows of sixteen numbers lie in as many lanes as they fill.
        wanted = [
            number(group + row * (16 // count) + column // count, column % count)
            for row in range(count)
        ]
        assert [got >> bits * n & ((1 << bits) - 1) for n in range(len(wanted))] == wanted


# AMD's text says nothing about these; the order is that of the compilers that use them for matrix
# instructions.
@pytest.mark.parametrize(("name", "size"), [("global_load_tr_b128", 2), ("global_load_tr_b64", 1)])
def test_transposing_load_gives_each_of_eight_lanes_a_column(name: str, size: int) -> None:
    state = _random_state(name, wave_size=32, memory=4096)
    order = suite.seed(name).sample(range(32), 32)
    state.v[4, :32] = [16 * place for place in order]
    state.set_mask(8, state.address)
    before = state.copy()
    Probe("gfx1201").run(f"{name} v[120:{119 + 2 * size}], v4, s[8:9]", state)
    for lane in range(32):
        got = b"".join(int(state.v[120 + n, lane]).to_bytes(4, "little") for n in range(2 * size))
        rows = [16 * order[lane // 8 * 8 + row] + size * (lane % 8) for row in range(8)]
        assert got == b"".join(before.memory[at : at + size].tobytes() for at in rows)


@pytest.mark.parametrize("gpu", ["gfx908", "gfx90a", "gfx942", "gfx950"])
def test_accumulator_registers_are_read_and_written(gpu: str) -> None:
    state = _random_state(gpu)
    state.set_mask(EXEC, 0xFFFFFFFFFFFFFF0F)
    state.v[10] = range(64)
    text = "v_accvgpr_write_b32 a3, v10\nv_accvgpr_read_b32 v20, a3\nv_accvgpr_write_b32 a4, 1.0\n"
    text += "v_accvgpr_mov_b32 a5, a3" if gpu != "gfx908" else "v_accvgpr_write_b32 a5, v20"
    before = state.copy()
    Probe(gpu).run(text, state)
    for lane in range(64):
        on = not 4 <= lane < 8
        for row, value in (
            (FIRST_AGPR + 3, lane),
            (20, lane),
            (FIRST_AGPR + 4, 0x3F800000),
            (FIRST_AGPR + 5, lane),
        ):
            assert int(state.v[row, lane]) == (value if on else int(before.v[row, lane]))
