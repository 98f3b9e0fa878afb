# SPDX-License-Identifier: MIT
"""Our own format says everything about a row, and reads what it wrote."""

from __future__ import annotations

import json
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from ckdispatch import measurements
from ckdispatch.errors import InvalidArgument, IoFailed, NotFound
from ckdispatch.measurements import own
from ckdispatch.measurements.row import PROVENANCES, Row

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
PLAIN = Row("gemm", "512x256x1024 fp16 rcr", NAME, 12.5, "simulated")
FULL = Row(
    "gemm",
    "512x256x1024 fp16 rcr split_k=4",
    NAME,
    0.1 + 0.2,
    "measured",
    case="seven, or 7",
    parts=4,
    minimum=0.25,
    repeats=20,
    of_kernels=3,
    weight=1 / 3,
    gpu="gfx942",
    device="hip:0",
    compute_units=304,
    clock_mhz=2100.0,
    vgprs=128,
    agprs=0,
    sgprs=90,
    lds_bytes=16384,
    scratch_bytes=0,
    vgpr_spills=0,
    sgpr_spills=1,
    workgroup_size=256,
    checked=True,
    source="sha256:00",
    note='"é"',
)
BOUND = Row("gemm", "16x16x16 bf16 rcr", "", 4.0, "imported", checked=False)
SUFFIXES = [".csv", ".parquet"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_written_is_read(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"times{suffix}"
    measurements.write([PLAIN, FULL, BOUND], path)
    table = measurements.read(path)
    assert table.rows == (PLAIN, FULL, BOUND)
    assert (table.format, table.lines, table.left_out) == ("ckdispatch", (2, 3, 4), ())
    assert list(tmp_path.iterdir()) == [path]


def test_every_field_of_a_row_is_a_column() -> None:
    assert set(own.COLUMNS) == {field.name for field in fields(Row)}


def test_a_kernel_may_be_said_by_its_fields(tmp_path: Path) -> None:
    from ckdispatch.gemm.config import GemmConfig

    said = json.dumps(GemmConfig.from_name(NAME).to_json()).replace('"', '""')
    path = tmp_path / "times.csv"
    path.write_text(
        "version,family,problem,kernel,microseconds,provenance\n"
        f'1,gemm,64x64x64,"{said}",3,simulated\n'
    )
    assert [row.kernel for row in measurements.read(path).rows] == [NAME]


def test_columns_may_be_in_any_order_and_there_may_be_others(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(
        "\ufeffours,provenance,microseconds,kernel,problem,family,version\n\n"
        f"?,simulated,1e2,{NAME},1x1x1,gemm,1\n"
    )
    (row,) = measurements.read(path).rows
    assert (row.microseconds, row.provenance, row.parts) == (100.0, PROVENANCES[1], 1)


def test_rows_without_a_time_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    head = "version,family,problem,kernel,microseconds,provenance,checked,note\n"
    said = (("3", "yes"), ("", "no"), ("", "yes"))
    timed, wrong, unclear = (
        f"1,gemm,64x64x64,{NAME},{time},simulated,{checked},\n" for time, checked in said
    )
    path.write_text(head + wrong + timed + unclear + timed)
    table = measurements.read(path)
    assert [row.microseconds for row in table.rows] == [3.0, 3.0] and table.lines == (3, 5)
    assert [(one.why, one.lines, one.count) for one in table.left_out] == [(own.UNTIMED, (2, 4), 2)]


def test_a_row_that_says_nothing_of_its_result_needs_a_time(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(
        "version,family,problem,kernel,microseconds,provenance,checked\n"
        f"1,gemm,64x64x64,{NAME},,simulated,\n"
    )
    with pytest.raises(InvalidArgument, match="microseconds"):
        measurements.read(path)


def test_a_table_without_any_time_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text(
        "version,family,problem,kernel,microseconds,provenance,checked\n"
        f"1,gemm,64x64x64,{NAME},,simulated,no\n"
    )
    with pytest.raises(InvalidArgument, match="1 were left out because they have no time"):
        measurements.read(path)


def test_rows_of_a_case_are_found_together(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    measurements.write([PLAIN, replace(PLAIN, case="again"), replace(PLAIN, parts=2)], path)
    table = measurements.read(path)
    assert {name: len(rows) for name, rows in table.cases().items()} == {
        PLAIN.problem: 2,
        "again": 1,
    }
    assert table.kernels() == [NAME]
    kept = table.kept(lambda row: "it is another" if row.case else None)
    assert len(kept.rows) == 2 and [(one.why, one.lines) for one in kept.left_out] == [
        ("it is another", (3,))
    ]


def test_without_pyarrow_parquet_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        NotFound,
        match="needs the Python package pyarrow, and it is not installed; install it, or use CSV",
    ):
        measurements.write([PLAIN], tmp_path / "times.parquet")
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "theirs.parquet"
    path.write_bytes(b"PAR1 and more")
    with pytest.raises(
        NotFound, match=r"theirs.parquet are Parquet, which needs the Python package pyarrow"
    ):
        measurements.read(path)


def test_damaged_parquet_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "times.parquet"
    measurements.write([PLAIN] * 100, path)
    content = path.read_bytes()
    for damaged in (b"PAR1", content[:-20], content[:50] + b"\xff" * 200 + content[250:]):
        path.write_bytes(damaged)
        with pytest.raises(InvalidArgument, match=r"times.parquet"):
            measurements.read(path)


def test_what_cannot_be_written_is_said_before(tmp_path: Path) -> None:
    for name, fragment in {
        "times.txt": "must end in .csv or .parquet",
        "nowhere/times.csv": "there is no folder",
    }.items():
        with pytest.raises((InvalidArgument, IoFailed), match=fragment):
            measurements.write([PLAIN], tmp_path / name)
    assert list(tmp_path.iterdir()) == []
