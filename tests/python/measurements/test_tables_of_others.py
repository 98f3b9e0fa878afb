# SPDX-License-Identifier: MIT
"""Tables of others are read by their columns, and what their rows say becomes problems and kernels
of ours.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ckdispatch import measurements
from ckdispatch.config.base import KernelConfig
from ckdispatch.grouped_conv.measurements import GENERATED, as_compiled
from tables import CONV_COLUMNS, best_rows, conv_rows, fp8_rows, written

CONV = "grouped_conv_fwd_bf16_nhwgc_2d_{}_cshuffle_intrawave_{}"
FOURTH = CONV.format("compv4", "64x64x128_4x1x1_16x16x32_v4x8x8")


def test_convolutions_by_tile_and_pipeline(tmp_path: Path) -> None:
    table = measurements.read(written(tmp_path / "conv.csv", conv_rows()))
    assert (table.format, len(table.rows), len(table.cases()), table.left_out) == (
        "convolutions by tile and pipeline",
        120,
        6,
        (),
    )
    first = table.rows[0]
    assert (first.problem, first.case, first.parts) == (
        "n1 g1 c64 k128 14x14 3x3 pad=1 bf16 forward",
        "0",
        1,
    )
    assert first.kernel == CONV.format("compv3", "16x64x64_1x4x1_16x16x16_v4x8x8")
    assert (first.provenance, first.source, first.gpu) == ("imported", f"sha256:{table.sha256}", "")


def test_twenty_names_are_thirteen_kernels(tmp_path: Path) -> None:
    table = measurements.read(written(tmp_path / "conv.csv", conv_rows(1)))
    assert len(table.kernels()) == 13
    of_it = [row for row in table.rows if row.kernel == FOURTH]
    assert len(of_it) == 5 and {row.weight for row in of_it} == {1 / 5}
    assert sum(row.weight for row in table.rows) == pytest.approx(13)


def test_what_compv4_kernels_are_is_known_for_each_tile() -> None:
    for tile in GENERATED:
        assert as_compiled(tile, "compv3") == tile
        assert as_compiled(tile, "compv4") == (min(tile[0], 64), 64, 128)
        assert as_compiled(tile, "compv4") in GENERATED


IN_FULL = {
    "waves_m": 2,
    "waves_n": 2,
    "waves_k": 1,
    "warp_m": 32,
    "warp_n": 32,
    "warp_k": 16,
    "vector_a": 8,
    "vector_b": 8,
    "vector_c": 8,
}


def test_a_table_that_says_all_is_taken_at_its_word(tmp_path: Path) -> None:
    rows = [
        {**row, **IN_FULL} for row in conv_rows(1) if (row["tile_m"], row["tile_n"]) == (128, 128)
    ]
    table = measurements.read(written(tmp_path / "conv.csv", rows))
    # Vectors of 8 are the usual ones, which names leave out.
    assert table.kernels() == [
        CONV.format(pipeline, "128x128x64_2x2x1_32x32x16") for pipeline in ("compv3", "compv4")
    ]


def test_fields_may_be_one_word(tmp_path: Path) -> None:
    rows = [
        {**row, "waves": "1x4x1", "warp_tile": "16x16x32", "vectors": "1x2x4"}
        for row in conv_rows(1)[:2]
    ]
    table = measurements.read(written(tmp_path / "conv.csv", rows))
    configs = [KernelConfig.parse(name) for name in table.kernels()]
    assert [(str(one.waves), str(one.warp_tile), str(one.vector)) for one in configs] == [
        ("1x4x1", "16x16x32", "1x2x4")
    ] * 2


def test_vectors_alone_leave_waves_to_the_table_of_tiles(tmp_path: Path) -> None:
    rows = [{**row, "vector_a": 2, "vector_b": 4, "vector_c": 4} for row in conv_rows(1)]
    assert len(measurements.read(written(tmp_path / "conv.csv", rows)).kernels()) == 20


def test_groups_dilation_dtype_and_gpu_are_understood(tmp_path: Path) -> None:
    more = {
        "g": 2,
        "dilation_h": 2,
        "dilation_w": 1,
        "dtype": "fp16",
        "gpu": "gfx950",
        "compute_units": 256,
    }
    rows = [{**row, **more, "outputs": "", "non_zero": ""} for row in conv_rows(1)]
    row = measurements.read(written(tmp_path / "conv.csv", rows)).rows[0]
    assert row.problem == "n1 g2 c32 k64 14x14 3x3 dilation=2x1 pad=1 fp16 forward"
    assert (row.gpu, row.compute_units) == ("gfx950", 256) and "_fp16_" in row.kernel


def test_outputs_that_are_mostly_zero_are_left_out(tmp_path: Path) -> None:
    rows = conv_rows(2)
    for row in rows[:7]:
        row["non_zero"] = int(str(row["outputs"])) // 2 - 1
    rows[8]["non_zero"] = int(str(rows[8]["outputs"])) // 2
    table = measurements.read(written(tmp_path / "conv.csv", rows))
    assert [(one.why, one.lines) for one in table.left_out] == [
        ("most of their outputs are zero", (2, 3, 4, 5, 6, 7, 8))
    ]
    assert len(table.rows) == 33 and table.lines[0] == 9


def test_glitches_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = conv_rows()
    rows[4]["latency_us"] = 3000
    # 128x128x64 compv4 is the same compiled kernel as four other names.
    rows[31]["latency_us"] = 1.5 * float(str(rows[31]["latency_us"]))
    table = measurements.read(written(tmp_path / "conv.csv", rows))
    (one,) = table.left_out
    assert one.lines == (6, 33) and "1.35 times what the same kernel took" in one.why
    others = [row for row in table.rows if row.case == "1" and row.kernel == FOURTH]
    assert len(others) == 4 and {row.weight for row in others} == {1 / 4}


def test_columns_that_nothing_needs_may_be_missing(tmp_path: Path) -> None:
    columns = [
        name for name in CONV_COLUMNS if name not in ("problem", "tflops", "non_zero", "outputs")
    ]
    table = measurements.read(written(tmp_path / "conv.csv", conv_rows(), columns))
    assert len(table.cases()) == 6 and next(iter(table.cases())) == table.rows[0].problem


def test_products_by_the_names_of_their_kernels(tmp_path: Path) -> None:
    table = measurements.read(written(tmp_path / "fp8.csv", fp8_rows()))
    assert table.format == "the best kernels of shapes, by name"
    assert [(row.problem, row.of_kernels) for row in table.rows] == [
        ("256x512x1024 fp8 rcr", 3744),
        ("256x512x1024 fp8 rcr", 3744),
        ("512x512x1024 fp8 rcr", 3744),
    ]
    assert (
        table.rows[0].kernel
        == "gemm_fp8_rcr_compv3_default_intrawave_False_False_False_False_64x64x256_2x2x1_32x32x32"
    )
    flops = 2 * 256 * 512 * 1024
    assert [row.microseconds for row in table.rows] == pytest.approx(
        [flops / 100e6, flops / 80e6, 2 * flops / 100e6]
    )
    assert {row.weight for row in table.rows} == {1.0}


def test_the_best_times_of_shapes(tmp_path: Path) -> None:
    table = measurements.read(written(tmp_path / "best.csv", best_rows()))
    assert table.format == "the best times of shapes"
    assert [
        (row.problem, row.kernel, row.gpu, row.compute_units, row.note) for row in table.rows
    ] == [
        ("16x512x256 bf16 rcr", "", "gfx950", 256, "bf16 ck"),
        ("16x512x256 fp8 rcr", "", "gfx942", 304, "blockscale ck"),
        ("16x512x256 fp8 rcr", "", "gfx942", 80, "a8w8 ck"),
    ]
    assert [(one.why, one.lines) for one in table.left_out] == [
        ("they are of a GPU that is not known here", (5,))
    ]


@pytest.mark.parametrize(
    "rows", [conv_rows(2), fp8_rows(), best_rows()[:3]], ids=["conv", "fp8", "best"]
)
def test_what_was_imported_is_the_same_in_our_format(
    tmp_path: Path, rows: list[dict[str, object]]
) -> None:
    table = measurements.read(written(tmp_path / "theirs.csv", rows))
    measurements.write(table.rows, tmp_path / "ours.csv")
    assert measurements.read(tmp_path / "ours.csv").rows == table.rows
