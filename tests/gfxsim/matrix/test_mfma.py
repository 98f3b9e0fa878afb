# SPDX-License-Identifier: MIT
"""Matrix instructions of gfx9: every shape and format against NumPy, in the documented register
layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from probe import Probe, ProbeError, State

from matrix import mfma, nans
from matrix.cases import (
    SCALES,
    Instruction,
    Run,
    code_of,
    densify,
    index_of,
    met_by,
    prepare,
    random_places,
    wrapped,
)
from matrix.formats import BF16, F16, F32, F64, FP8


def _find(name: str, gpu: str = "gfx942") -> Instruction:
    return next(found for found in mfma.DENSE if found.name == name and found.gpu == gpu)


@pytest.fixture(scope="module", autouse=True)
def _assembled() -> None:
    for gpu in {found.gpu for found in mfma.DENSE}:
        prepare(
            gpu,
            64,
            (text for found in mfma.DENSE if found.gpu == gpu for text in _dense_texts(found)),
        )
    small = [
        (mfma.small(shape, a, b, scale=False), a, b)
        for shape in mfma.F8F6F4
        for a in mfma.SMALL
        for b in mfma.SMALL
    ]
    prepare("gfx950", 64, (found.text(mfma.format_modifiers(a, b)) for found, a, b in small))
    for gpu in ("gfx942", "gfx950"):
        sparse = [mfma.sparse(*case) for case in mfma.SPARSE if case[0] == gpu]
        prepare(
            gpu,
            64,
            (found.text(modifiers) for found in sparse for _, modifiers in _index_sets(found)),
        )


def _dense_texts(instruction: Instruction) -> list[str]:
    in_place = {**instruction.first, "c": instruction.first["d"]}
    onto = [instruction.text(c="1.0", first=in_place)] if instruction.gpu != "gfx908" else []
    return [instruction.text(), instruction.text(first=in_place), *onto]


@pytest.mark.parametrize("instruction", mfma.DENSE, ids=str)
def test_dense(instruction: Instruction) -> None:
    run = Run(instruction)
    assert np.array_equal(run.run(run.state(), run.text()), run.expected())


@pytest.mark.parametrize("instruction", mfma.DENSE, ids=str)
def test_accumulates_in_place_and_onto_a_constant(instruction: Instruction) -> None:
    run = Run(instruction, seed=1)
    run.first["c"] = run.first["d"]
    assert np.array_equal(run.run(run.state(), run.text()), run.expected())
    if instruction.gpu == "gfx908":  # whose hardware takes no constants here
        return
    onto = run.run(run.state(), run.text(c="1.0"))
    one = 0x3F800000 if instruction.acc.form.is_integer else 1
    assert np.array_equal(onto, wrapped(instruction, run.product() + one))


def test_accumulator_that_overlaps_the_result_is_read_first() -> None:
    run = Run(_find("v_mfma_f32_16x16x16_f16"))
    run.first["c"] = run.first["d"] + 2
    assert np.array_equal(run.run(run.state(), run.text()), run.expected())


def test_every_file_of_vector_registers() -> None:
    run = Run(_find("v_mfma_f32_32x32x8_bf16"))
    run.first = {"d": 256, "a": 256 + 64, "b": 96, "c": 256 + 128}
    assert np.array_equal(run.run(run.state(), run.text()), run.expected())


@pytest.mark.parametrize(
    "name",
    [
        "v_mfma_f32_32x32x4_2b_f16",
        "v_mfma_f32_16x16x1_4b_f32",
        "v_mfma_i32_4x4x4_16b_i8",
        "v_mfma_f32_4x4x4_16b_bf16",
    ],
)
def test_cbsz_and_abid_broadcast_one_block_of_a(name: str) -> None:
    run = Run(_find(name))
    blocks = run.a.shape[0]
    for abid in {0, 1, blocks - 1}:
        result = run.run(run.state(), run.text(f"cbsz:{blocks.bit_length() - 1} abid:{abid}"))
        a = np.broadcast_to(run.a[abid : abid + 1], run.a.shape)
        assert np.array_equal(result, wrapped(run.instruction, run.c_values() + run.product(a=a)))


def test_broadcast_that_is_not_documented_is_refused() -> None:
    run = Run(_find("v_mfma_f32_4x4x4_16b_f16"))
    with pytest.raises(ProbeError, match="broadcasts A"):
        run.run(run.state(), run.text("cbsz:1 abid:1"))


def _of_quarter(quarter: int) -> Callable[[int], int]:
    return lambda lane: lane % 16 + 16 * quarter


_PATTERNS: dict[int, Callable[[int], int]] = {
    1: lambda lane: lane % 32,
    2: lambda lane: lane % 32 + 32,
    3: lambda lane: (lane + 16) % 64,
    **{4 + quarter: _of_quarter(quarter) for quarter in range(4)},
}


@pytest.mark.parametrize("blgp", _PATTERNS)
@pytest.mark.parametrize(
    "name", ["v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x4_f32", "v_mfma_i32_4x4x4_16b_i8"]
)
def test_blgp_permutes_the_lanes_of_b(name: str, blgp: int) -> None:
    run = Run(_find(name))
    b = run.instruction.b
    at = {b.layout(*place): place for place in np.ndindex(*b.shape)}
    permuted = np.empty_like(run.b)
    for (lane, element), place in at.items():
        permuted[place] = run.b[at[_PATTERNS[blgp](lane), element]]
    result = run.run(run.state(), run.text(f"blgp:{blgp}"))
    assert np.array_equal(
        result, wrapped(run.instruction, run.c_values() + run.product(b=permuted))
    )


@pytest.mark.parametrize("name", ["v_mfma_f64_16x16x4_f64", "v_mfma_f64_4x4x4_4b_f64"])
@pytest.mark.parametrize("neg", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
def test_f64_negates_its_operands(name: str, neg: tuple[int, int, int]) -> None:
    run = Run(_find(name))
    signs = [-1 if flag else 1 for flag in neg]
    result = run.run(run.state(), run.text("neg:[{},{},{}]".format(*neg)))
    assert np.array_equal(result, signs[2] * run.c_values() + signs[0] * signs[1] * run.product())


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950"])
@pytest.mark.parametrize("kind", ["fp8_bf8", "bf8_fp8"])
def test_every_code_of_8_bits(gpu: str, kind: str) -> None:
    run = Run(_find(f"v_mfma_f32_16x16x32_{kind}", gpu))
    run.c[:] = 0
    for first in range(0, 256, 16):
        run.a[:], run.b[:] = 0, 0
        run.a[0, :, 5] = np.arange(first, first + 16)
        run.b[0, :, 5] = run.instruction.b.form.encode(1.0)
        result = run.run(run.state(), run.text())
        expected = np.tile(run.instruction.a.form.values(run.a[0, :, 5])[:, None], (1, 16))
        np.testing.assert_array_equal(result[0], expected)


@pytest.mark.parametrize(
    "name",
    [
        "v_mfma_f32_32x32x8_f16",
        "v_mfma_f32_16x16x16_bf16",
        "v_mfma_f32_16x16x4_f32",
        "v_mfma_f64_16x16x4_f64",
    ],
)
def test_random_numbers(name: str) -> None:
    run = Run(_find(name))
    form, kind = run.instruction.a.form, run.instruction.acc.form
    epsilon = 2.0**-23 if kind.bits == 32 else 2.0**-52
    for operand in ("a", "b"):
        codes = run.rng.normal(size=getattr(run, operand).shape)
        words = codes.astype("f8" if form is F64 else "f4").view("u8" if form is F64 else "u4")
        if form is F16:
            words = codes.astype("f2").view("u2")
        elif form is BF16:
            words = words >> 16
        setattr(run, operand, words.astype(np.uint64))
    depth = run.a.shape[2]
    exact = run.expected()
    bound = np.abs(run.c_values()) + np.einsum(
        "bik,bjk->bij", *(np.abs(form.values(codes)) for codes in (run.a, run.b))
    )
    assert np.all(np.abs(run.run(run.state(), run.text()) - exact) <= depth * epsilon * bound)


@pytest.mark.parametrize(
    ("gpu", "kept"), [("gfx908", True), ("gfx90a", False), ("gfx942", True), ("gfx950", True)]
)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_denormals_of_16_bits(gpu: str, kept: bool, kind: str) -> None:
    spelling = (
        {"gfx908": "32x32x8f16", "gfx90a": "32x32x8f16"}
        if kind == "f16"
        else {"gfx908": "32x32x4bf16", "gfx90a": "32x32x4bf16"}
    )
    run = Run(_find(f"v_mfma_f32_{spelling.get(gpu, f'32x32x8_{kind}')}", gpu))
    form = run.instruction.a.form
    run.a[:], run.b[:], run.c[:] = 3, form.encode(2.0), 0
    depth = run.a.shape[2]
    result = run.run(run.state(), run.text())
    assert np.all(result == (2 * depth * form.decode(3) if kept else 0))
    # A denormal accumulator.
    run.a[:], run.c[:] = 0, 5
    assert np.all(
        run.run(run.state(), run.text())
        == (F32.values(np.array([5], dtype=np.uint64))[0] if kept else 0)
    )


def test_f32_elements_follow_the_mode_register_in_denormals_and_accumulators_do_not() -> None:
    run = Run(_find("v_mfma_f32_16x16x4_f32"))
    tiny = float(np.float32(1e-40))
    run.a[:], run.b[:], run.c[:] = F32.encode(tiny), F32.encode(1.0), F32.encode(tiny)
    assert np.all(run.run(run.state(), run.text()) == np.float32(5 * np.float32(1e-40)))
    run.mode = 0x3C0
    assert np.all(run.run(run.state(), run.text()) == np.float32(1e-40))


def test_infinities_and_nans() -> None:
    run = Run(_find("v_mfma_f32_32x32x8_f16"))
    run.a[:], run.b[:], run.c[:] = F16.encode(1.0), F16.encode(1.0), 0
    run.a[0, 1, 2], run.a[0, 2, 3], run.b[0, 4, 2] = 0x7C00, 0x7E00, 0
    result = run.run(run.state(), run.text())[0]
    assert (
        np.isnan(result[1, 4])
        and np.all(np.isnan(result[2]))
        and result[1, 0] == np.inf
        and result[0, 0] == 8
    )
    assert result[0, 4] == 7


def test_xf32_cuts_mantissas_to_10_bits() -> None:
    run = Run(_find("v_mfma_f32_16x16x8_xf32"))
    run.a[:], run.b[:], run.c[:] = 0x3F801FFF, 0xBF802000, 0
    assert np.all(run.run(run.state(), run.text()) == 8 * 1.0 * -(1 + 2.0**-10))


# Matrices whose formats the instruction names.


@pytest.mark.parametrize("cbsz", mfma.SMALL)
@pytest.mark.parametrize("blgp", mfma.SMALL)
@pytest.mark.parametrize("shape", mfma.F8F6F4)
def test_formats_of_8_bits_and_less(shape: str, cbsz: int, blgp: int) -> None:
    run = Run(mfma.small(shape, cbsz, blgp, scale=False))
    assert np.array_equal(
        run.run(run.state(), run.text(mfma.format_modifiers(cbsz, blgp))), run.expected()
    )


def _scaled(run: Run, state: State, a_byte: int, b_byte: int) -> np.ndarray:
    """The result with the scales that a state has: one for 32 elements along k,
    in lanes as E8M0.
    """
    i = run.instruction
    left, right = i.a.form.values(run.a)[0], i.b.form.values(run.b)[0]
    total: np.ndarray = run.c_values()[0]
    for block in range(left.shape[1] // 32):
        part = slice(32 * block, 32 * block + 32)
        rows, columns = (
            2.0
            ** (
                (
                    state.v[SCALES + n, along * block : along * block + along] >> 8 * byte & 0xFF
                ).astype(np.float64)
                - 127
            )
            for n, along, byte in ((0, left.shape[0], a_byte), (1, right.shape[0], b_byte))
        )
        total = total + (left[:, part] @ right[:, part].T) * rows[:, None] * columns[None, :]
    return total[None]


@pytest.mark.parametrize(("cbsz", "blgp"), [(0, 0), (1, 4), (4, 0), (2, 3), (4, 4)])
@pytest.mark.parametrize(("a_byte", "b_byte"), [(0, 0), (1, 2), (3, 1)])
@pytest.mark.parametrize("shape", mfma.F8F6F4)
def test_scales(shape: str, cbsz: int, blgp: int, a_byte: int, b_byte: int) -> None:
    run = Run(mfma.small(shape, cbsz, blgp, scale=True))
    state = run.state()
    state.v[SCALES : SCALES + 2] = run.rng.integers(124, 131, (2, 64, 4), dtype=np.uint8).view(
        np.uint32
    )[..., 0]
    modifiers = (
        f"op_sel:[{a_byte & 1},{b_byte & 1},0] op_sel_hi:[{a_byte >> 1},{b_byte >> 1},0] "
        f"{mfma.format_modifiers(cbsz, blgp)}"
    )
    expected = _scaled(run, state, a_byte, b_byte)
    result = run.run(state, run.text(modifiers, more=f", v{SCALES}, v{SCALES + 1}"))
    assert np.array_equal(result, expected)


def test_scale_extremes() -> None:
    run = Run(mfma.small("16x16x128", 0, 0, scale=True))
    one = FP8.encode(1.0)
    run.a[:], run.b[:], run.c[:] = one, one, 0
    state = run.state()
    state.v[SCALES], state.v[SCALES + 1] = 254, 0
    state.v[SCALES, 3] = 255
    result = run.run(state, run.text(more=f", v{SCALES}, v{SCALES + 1}"))[0]
    assert np.all(np.isnan(result[3])) and np.all(np.delete(result, 3, axis=0) == 128)


def test_scale_from_a_constant_is_its_exponent() -> None:
    run = Run(mfma.small("32x32x64", 4, 4, scale=True))
    words = np.frombuffer(
        code_of("gfx950", 64, run.text(mfma.format_modifiers(4, 4), more=", v1, v2")), "<u4"
    )
    # 4.0 and 0.5 in place of the registers. LLVM's assembler took them until 21; since 22 its
    # disassembler calls them invalid, and they are refused.
    text = f".long {words[0]}, {0xF6 | 0xF0 << 9}, {words[2]}, {words[3]}"
    try:
        result = run.run(run.state(), text)
    except ProbeError as error:
        if "4.0/*Invalid immediate*/" not in str(error):
            raise
        return
    assert np.array_equal(result, run.c_values() + 2 * run.product())


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("shape", mfma.F8F6F4)
@pytest.mark.parametrize(
    ("cbsz", "blgp", "a", "b"),
    [(4, 4, 252, 248), (2, 4, 250, 244), (0, 4, 240, 252), (3, 3, 16, 250)],
)
def test_sources_at_the_end_of_the_register_file(
    scale: bool, shape: str, cbsz: int, blgp: int, a: int, b: int
) -> None:
    run = Run(mfma.small(shape, cbsz, blgp, scale))
    run.first["a"], run.first["b"] = a, b
    state = run.state()
    state.v[SCALES : SCALES + 2] = 127
    more = f", v{SCALES}, v{SCALES + 1}" if scale else ""
    assert np.array_equal(
        run.run(state, run.text(mfma.format_modifiers(cbsz, blgp), more=more)), run.expected()
    )


# Sparse matrices.


def _index_sets(instruction: Instruction) -> list[tuple[int, str]]:
    """The sets of indices that fit into a register, and the modifiers that choose each; CBSZ
    chooses the first.
    """
    sets = 16 // (np.prod(instruction.a.shape) // 64)
    return [(n, f"abid:{n}" if n else "") for n in range(sets)] + [(0, f"cbsz:1 abid:{sets - 1}")]


@pytest.mark.parametrize(("gpu", "kind", "shape"), mfma.SPARSE)
def test_sparse(gpu: str, kind: str, shape: tuple[int, int, int]) -> None:
    run = Run(mfma.sparse(gpu, kind, shape))
    places = random_places(run.rng, run.a.shape)
    per_lane = run.a.size // 64
    for chosen, modifiers in _index_sets(run.instruction):
        run.index = run.rng.integers(0, 1 << 32, 64, dtype=np.uint64).astype(np.uint32)
        mask = np.uint32((1 << 2 * per_lane) - 1 << 2 * per_lane * chosen)
        run.index &= ~mask
        run.index |= index_of(run.instruction.a, places, 2 * per_lane * chosen)
        expected = wrapped(run.instruction, run.c_values() + run.product(a=densify(run.a, places)))
        assert np.array_equal(run.run(run.state(), run.text(modifiers)), expected)


def test_zeros_of_a_sparse_matrix_are_not_multiplied() -> None:
    run = Run(mfma.sparse("gfx942", "f16", (16, 16, 32)))
    run.a[:], run.b[:], run.c[:] = F16.encode(1.0), F16.encode(1.0), 0
    run.b[0, :, 2::4] = 0x7C00
    run.index = np.full(64, 0b01000100, dtype=np.uint32)  # places 0 and 1
    assert np.all(run.run(run.state(), run.text("cbsz:1")) == 16)


# NaNs: every bit, whatever the host's arithmetic makes of them.


@pytest.mark.parametrize(
    "instruction", [found for found in mfma.DENSE if not found.a.form.is_integer], ids=str
)
def test_nans(instruction: Instruction) -> None:
    run = Run(instruction, seed=3)
    nans.fill(run)
    nans.check(run, run.codes(run.state(), run.text()), nans.add_products(nans.start(run), run))


@pytest.mark.parametrize(
    ("cbsz", "blgp"), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1), (3, 0), (4, 1), (1, 4)]
)
@pytest.mark.parametrize("shape", mfma.F8F6F4)
def test_nans_of_8_bits_and_less(shape: str, cbsz: int, blgp: int) -> None:
    run = Run(mfma.small(shape, cbsz, blgp, scale=False), seed=4)
    nans.fill(run)
    nans.check(
        run,
        run.codes(run.state(), run.text(mfma.format_modifiers(cbsz, blgp))),
        nans.add_products(nans.start(run), run),
    )


@pytest.mark.parametrize(("cbsz", "blgp"), [(0, 0), (0, 1), (1, 1), (2, 1), (3, 2), (4, 4), (1, 4)])
@pytest.mark.parametrize("shape", mfma.F8F6F4)
def test_nans_of_scales(shape: str, cbsz: int, blgp: int) -> None:
    run = Run(mfma.small(shape, cbsz, blgp, scale=True), seed=5)
    nans.fill(run)
    state = run.state()
    state.v[SCALES : SCALES + 2] = np.where(run.rng.random((2, 64)) < 0.1, 255, 127)
    text = run.text(
        f"op_sel_hi:[0,0,0] {mfma.format_modifiers(cbsz, blgp)}", more=f", v{SCALES}, v{SCALES + 1}"
    )
    nans.check(
        run,
        run.codes(state, text),
        nans.add_scaled(nans.start(run), run, *nans.scales(run, state.v[SCALES : SCALES + 2])),
    )


@pytest.mark.parametrize(
    ("gpu", "kind", "shape"), [case for case in mfma.SPARSE if case[1] != "i8"]
)
def test_nans_of_sparse_matrices(gpu: str, kind: str, shape: tuple[int, int, int]) -> None:
    run = Run(mfma.sparse(gpu, kind, shape), seed=6)
    nans.fill(run)
    places = random_places(run.rng, run.a.shape)
    run.index = index_of(run.instruction.a, places)
    nans.check(
        run,
        run.codes(run.state(), run.text()),
        nans.add_products(nans.start(run), run, met_by(run.b, places)),
    )


def test_every_simulated_instruction_is_tested() -> None:
    tested = {found.name for found in mfma.DENSE} | {
        mfma.sparse(*case).name for case in mfma.SPARSE
    }
    tested |= {
        mfma.small(shape, 0, 0, scale).name for shape in mfma.F8F6F4 for scale in (False, True)
    }
    simulated = {
        found.name for found in Probe("gfx942").definitions() if re.match(r"v_s?mfma", found.name)
    }
    assert simulated == tested
