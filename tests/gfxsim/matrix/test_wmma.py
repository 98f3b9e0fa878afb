# SPDX-License-Identifier: MIT
"""Matrix instructions of gfx11 and gfx12: every shape and format against NumPy, in the documented
register layout.
"""

from __future__ import annotations

import re

import numpy as np
import pytest
from probe import Probe, ProbeError

from matrix import nans, wmma
from matrix.cases import (
    Instruction,
    Run,
    densify,
    index_of,
    met_by,
    prepare,
    random_places,
    wrapped,
)
from matrix.formats import BF16, F16, F32
from matrix.layouts import positions


def _neg(signs: tuple[int, int]) -> str:
    return f"neg_lo:[{signs[0]},{signs[1]},0]" if any(signs) else ""


@pytest.fixture(scope="module", autouse=True)
def _assembled() -> None:
    for generation, gpu in wmma.GPUS.items():
        for wave in (32, 64):
            texts = [
                wmma.dense(case).text() for case in wmma.DENSE if case[:2] == (generation, wave)
            ]
            texts += [
                wmma.dense(case).text(c="1.0")
                for case in wmma.DENSE
                if case[:2] == (generation, wave)
            ]
            texts += [
                wmma.sparse(case).text(_index_key(number))
                for case in wmma.SPARSE
                if case[:2] == (generation, wave)
                for number in _choices(wmma.sparse(case))
            ]
            prepare(gpu, wave, texts)


def _rounded(instruction: Instruction, values: np.ndarray) -> np.ndarray:
    """Numbers as the accumulator's format has them."""
    form = instruction.acc.form
    if form is F16:
        return values.astype(np.float16).astype(np.float64)
    if form is BF16:
        words = values.astype(np.float32).view(np.uint32).astype(np.uint64)
        return (
            (words + 0x7FFF + (words >> 16 & 1) >> 16 << 16)
            .astype(np.uint32)
            .view(np.float32)
            .astype(np.float64)
        )
    return wrapped(instruction, values)


@pytest.mark.parametrize("case", wmma.DENSE)
def test_dense(case: wmma.Case) -> None:
    run = Run(wmma.dense(case))
    result = run.run(run.state(), run.text())
    assert np.array_equal(result, _rounded(run.instruction, run.c_values() + run.product()))


@pytest.mark.parametrize("case", wmma.DENSE)
def test_onto_a_constant(case: wmma.Case) -> None:
    run = Run(wmma.dense(case))
    one = 0x3F800000 if case[3] == "i32" else 1
    result = run.run(run.state(), run.text(c="1.0"))
    assert np.array_equal(result, _rounded(run.instruction, run.product() + one))


@pytest.mark.parametrize("case", [case for case in wmma.DENSE if case[2] in wmma.SIGNS])
@pytest.mark.parametrize("signs", [(1, 0), (0, 1), (1, 1)])
def test_neg_is_the_sign_of_integers(case: wmma.Case, signs: tuple[int, int]) -> None:
    run = Run(wmma.dense(case, signs))
    assert np.array_equal(run.run(run.state(), run.text(_neg(signs))), run.expected())


@pytest.mark.parametrize("generation", wmma.GPUS)
def test_clamp_saturates_integers(generation: str) -> None:
    run = Run(wmma.dense((generation, 32, "iu8", "i32", 16), (1, 1)))
    run.c = np.where(run.rng.random(run.c.shape) < 0.5, 0x7FFFFFF0, 0x80000010).astype(np.uint64)
    expected = np.clip(run.c_values() + run.product(), -(2**31), 2**31 - 1)
    assert np.array_equal(run.run(run.state(), run.text("neg_lo:[1,1,0] clamp")), expected)


@pytest.mark.parametrize("generation", wmma.GPUS)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_neg_flips_halves_of_a_and_b_and_changes_the_sign_of_c(generation: str, kind: str) -> None:
    run = Run(wmma.dense((generation, 32, kind, "f32", 16)))
    odd = np.arange(16) % 2
    a, b = (np.where(odd == 0, codes ^ 0x8000, codes) for codes in (run.a, run.b))
    result = run.run(run.state(), run.text("neg_lo:[1,0,0]"))
    assert np.array_equal(result, run.c_values() + run.product(a=a))
    result = run.run(run.state(), run.text("neg_lo:[0,1,1] neg_hi:[1,0,0]"))
    assert np.array_equal(
        result, -run.c_values() + run.product(a=np.where(odd == 1, run.a ^ 0x8000, run.a), b=b)
    )
    result = run.run(run.state(), run.text("neg_lo:[0,0,1] neg_hi:[0,0,1]"))
    assert np.array_equal(result, -np.abs(run.c_values()) + run.product())


@pytest.mark.parametrize("wave", [32, 64])
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_gfx11_keeps_16_bit_results_in_the_half_that_op_sel_names(wave: int, kind: str) -> None:
    run = Run(wmma.dense(("gfx11", wave, kind, kind, 16)))
    first, count = run.first, run.instruction.acc.registers
    for high in (False, True):
        state = run.state()
        accumulator = state.v[first["c"] : first["c"] + count]
        if high:
            accumulator[:] = accumulator << 16 | 0xBEEF
        before = state.v[first["d"] : first["d"] + count].copy()
        run.run(state, run.text("op_sel:[0,0,1]" if high else ""))
        after = state.v[first["d"] : first["d"] + count]
        kept = np.uint32(0xFFFF if high else 0xFFFF0000)
        assert np.array_equal(after[:, :wave] & kept, before[:, :wave] & kept)
        halves = after >> 16 if high else after & 0xFFFF
        layout = run.instruction.acc.layout
        codes = np.array(
            [[halves[layout(0, i, j)[1], layout(0, i, j)[0]] for j in range(16)] for i in range(16)]
        )
        expected = _rounded(run.instruction, run.c_values() + run.product())[0]
        assert np.array_equal(run.instruction.acc.form.values(codes.astype(np.uint64)), expected)


def test_gfx11_refuses_matrices_that_are_not_repeated() -> None:
    run = Run(wmma.dense(("gfx11", 32, "f16", "f32", 16)))
    state = run.state()
    state.v[run.first["b"] + 3, 20] ^= 1
    with pytest.raises(ProbeError, match="not the same in every 16 lanes"):
        run.run(state, run.text())


def test_every_code_of_8_bits() -> None:
    for kind in ("fp8_bf8", "bf8_fp8"):
        run = Run(wmma.dense(("gfx12", 32, kind, "f32", 16)))
        run.c[:] = 0
        for first in range(0, 256, 16):
            run.a[:], run.b[:] = 0, 0
            run.a[0, :, 5] = np.arange(first, first + 16)
            run.b[0, :, 5] = run.instruction.b.form.encode(1.0)
            result = run.run(run.state(), run.text())
            expected = np.tile(run.instruction.a.form.values(run.a[0, :, 5])[:, None], (1, 16))
            np.testing.assert_array_equal(result[0], expected)


@pytest.mark.parametrize("generation", wmma.GPUS)
def test_denormals_follow_the_mode_register(generation: str) -> None:
    run = Run(wmma.dense((generation, 32, "f16", "f32", 16)))
    run.a[:], run.b[:], run.c[:] = 3, F16.encode(2.0), 5
    tiny = F32.values(np.array([5], dtype=np.uint64))[0]
    assert np.all(run.run(run.state(), run.text()) == np.float32(32 * F16.decode(3) + tiny))
    run.a[:] = 0
    assert np.all(run.run(run.state(), run.text()) == tiny)
    run.mode = 0x3C0  # flushes f32 alone
    assert np.all(run.run(run.state(), run.text()) == 0)
    run.a[:] = 3
    assert np.all(run.run(run.state(), run.text()) == 32 * F16.decode(3))
    run.mode = 0x330  # flushes f16 alone
    assert np.all(run.run(run.state(), run.text()) == tiny)


# Sparse matrices.


def _index_sets(instruction: Instruction) -> int:
    """How many sets of indices a register has room for: 2 bits for each element that a lane has of
    A.
    """
    lane, _ = positions(instruction.a.layout, instruction.a.shape)
    return 16 // (lane.size // len(np.unique(lane)))


def _choices(instruction: Instruction) -> range:
    """The sets that an instruction can name. The disassembler knows none but the first in a wave of
    64.
    """
    return range(1 if instruction.acc.wave == 64 else _index_sets(instruction))


def _index_key(number: int) -> str:
    return f"index_key:{number}" if number else ""


@pytest.mark.parametrize("case", wmma.SPARSE)
def test_sparse(case: wmma.Case) -> None:
    run = Run(wmma.sparse(case))
    places = random_places(run.rng, run.a.shape)
    sets = _index_sets(run.instruction)
    for chosen in _choices(run.instruction):
        bits = 32 // sets
        run.index = run.rng.integers(0, 1 << 32, 64, dtype=np.uint64).astype(np.uint32)
        run.index &= ~np.uint32((1 << bits) - 1 << bits * chosen)
        run.index |= index_of(run.instruction.a, places, bits * chosen)
        expected = _rounded(run.instruction, run.c_values() + run.product(a=densify(run.a, places)))
        assert np.array_equal(run.run(run.state(), run.text(_index_key(chosen))), expected)


@pytest.mark.parametrize(
    "case", [case for case in wmma.SPARSE if case[2] in wmma.SIGNS and case[1] == 32]
)
def test_neg_is_the_sign_of_sparse_integers(case: wmma.Case) -> None:
    run = Run(wmma.sparse(case, (1, 1)))
    places = np.broadcast_to(np.array([0, 1] * (run.a.shape[2] // 2)), run.a.shape)
    run.index = np.full(64, 0x44444444, dtype=np.uint32)
    expected = wrapped(run.instruction, run.c_values() + run.product(a=densify(run.a, places)))
    assert np.array_equal(run.run(run.state(), run.text("neg_lo:[1,1,0]")), expected)


# NaNs: every bit, whatever the host's arithmetic makes of them.


@pytest.mark.parametrize("case", [case for case in wmma.DENSE if case[3] != "i32"])
def test_nans(case: wmma.Case) -> None:
    run = Run(wmma.dense(case), seed=3)
    nans.fill(run)
    nans.check(run, run.codes(run.state(), run.text()), nans.add_products(nans.start(run), run))


@pytest.mark.parametrize("case", [case for case in wmma.SPARSE if case[3] != "i32"])
def test_nans_of_sparse_matrices(case: wmma.Case) -> None:
    run = Run(wmma.sparse(case), seed=4)
    nans.fill(run)
    places = random_places(run.rng, run.a.shape)
    run.index = index_of(run.instruction.a, places)
    nans.check(
        run,
        run.codes(run.state(), run.text()),
        nans.add_products(nans.start(run), run, met_by(run.b, places)),
    )


def test_every_simulated_instruction_is_tested() -> None:
    for generation, gpu in wmma.GPUS.items():
        tested = {wmma.dense(case).name for case in wmma.DENSE if case[0] == generation}
        tested |= {wmma.sparse(case).name for case in wmma.SPARSE if case[0] == generation}
        simulated = {
            found.name for found in Probe(gpu).definitions() if re.match(r"v_s?wmma", found.name)
        }
        assert simulated == tested
