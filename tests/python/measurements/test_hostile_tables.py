# SPDX-License-Identifier: MIT
"""A table that is not what it should be is one sentence, which names the file, the line, the
column, and what would work.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ckdispatch import measurements
from ckdispatch.errors import LONGEST, CkDispatchError
from ckdispatch.measurements import sheet
from tables import CONV_COLUMNS, best_rows, conv_rows, fp8_rows, written

NAME = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
OURS: dict[str, object] = {
    "version": 1,
    "family": "gemm",
    "problem": "64x64x64 fp16 rcr",
    "kernel": NAME,
    "microseconds": 3,
    "provenance": "simulated",
}

NUMBERS: dict[str, str] = {
    "text": "fast",
    "nothing": "",
    "NaN": "nan",
    "infinity": "inf",
    "zero": "0",
    "below zero": "-3.5",
    "too large": "1e999",
    "too small": "1e-9999",
    "underscores": "1_000",
    "other digits": "٣",
    "hexadecimal": "0x10",
    "two numbers": "1 2",
    "a fraction": "1/2",
    "4,000 digits": "9" * 4000,
    "true": "true",
    "a formula": "=1+1",
}
"""What is no time, in words."""

FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "it is empty; its first line has the names of the columns"),
    "empty lines": (b"\n\n \n", "it is empty"),
    "a header": (",".join(CONV_COLUMNS).encode() + b"\n", "it has no row below its header"),
    "no text": (
        bytes(range(256)),
        "it is no text, because of its byte 128; it must be CSV in UTF-8, or Parquet",
    ),
    "null characters": (b"m,n\0,k\n1,2,3\n", "there is a null character in it"),
    "UTF-16": ("m,n,k\n1,2,3\n".encode("utf-16"), "it is no text"),
    "JSON": (b'{"rows": []}\n', "its columns are of no format that is known"),
    "a page": (b"<!DOCTYPE html>\n<html>\n</html>\n", "its columns are of no format that is known"),
    "an open quote": (b'm,n,"k\n1,2,3\n', "line 2 is no CSV: unexpected end of data"),
    "a long cell": (b"m,n,k\n" + b"1" * 200_000 + b",2,3\n", "its columns are of no format"),
    "a long header": (
        b"m," + b"n" * 200_000 + b"\n1,2\n",
        "line 1 is no CSV: field larger than field limit",
    ),
    "semicolons": (
        ";".join(CONV_COLUMNS).encode() + b"\n1;2\n",
        "its columns are of no format that is known",
    ),
    "two columns of a name": (
        b"m,n,k,n\n1,2,3,4\n",
        "it has two columns called 'n'; leave out one",
    ),
    "a column of no name": (b"m,,k\n1,2,3\n", "its column 2 has no name"),
    "other columns": (
        b"p,q,r\n1,2,3\n",
        "for ckdispatch it lacks version, family, problem, kernel, microseconds, provenance",
    ),
}

Change = Callable[[dict[str, object]], object]


def changed(rows: list[dict[str, object]], row: int, **cells: object) -> list[dict[str, object]]:
    rows[row] |= cells
    return rows


TABLES: dict[str, tuple[list[dict[str, object]], str]] = {
    # Convolutions.
    "a pipeline that is unknown": (
        changed(conv_rows(1), 3, pipeline="compv9"),
        "line 5, column pipeline: ",
    ),
    "a pipeline that is empty": (
        changed(conv_rows(1), 3, pipeline=""),
        "line 5, column pipeline: an empty cell is no pipeline; write one such as compv3",
    ),
    "a tile that is unknown": (
        changed(conv_rows(1), 0, tile_m=48),
        (
            "line 2, column tile_m: what waves and warp tile a kernel of the tile 48x64x64 has is "
            "not known; known are 16x64x64"
        ),
    ),
    "a tile of zero": (
        changed(conv_rows(1), 0, tile_m=0),
        "line 2, column tile_m: '0' is no whole number from 1 to 2147483647",
    ),
    "a size that is a text": (
        changed(conv_rows(1), 2, hi="large"),
        "line 4, column hi: 'large' is no whole number from 1 to",
    ),
    "a size with a point": (
        changed(conv_rows(1), 2, hi="14.0"),
        "line 4, column hi: '14.0' is no whole number",
    ),
    "a size of 2^31": (
        changed(conv_rows(1), 2, n=2**31),
        "line 4, column n: '2147483648' is no whole number from 1 to 2147483647",
    ),
    "a negative pad": (
        changed(conv_rows(1), 2, pad_h=-1),
        "line 4, column pad_h: '-1' is no whole number from 0 to",
    ),
    "no channels": (
        changed(conv_rows(1), 2, c=""),
        "line 4, column c: an empty cell is no whole number",
    ),
    "channels and groups": (
        changed(conv_rows(1), 2, g=5),
        "line 4, column c: 64 channels cannot be divided among 5 groups",
    ),
    "a dtype that is unknown": (
        changed(conv_rows(1), 0, dtype="fp3"),
        "line 2, column dtype: 'fp3' is not known; it is one of ",
    ),
    "other outputs": (
        changed(conv_rows(1), 2, outputs=77),
        (
            "line 4, column outputs: 77 are said, "
            "and n1 g1 c64 k128 14x14 3x3 pad=1 bf16 forward has 25088"
        ),
    ),
    "a problem that is two": (
        changed(conv_rows(1), 2, n=2, outputs=""),
        "line 4, column problem: the problem '0' is n2 g1 c64",
    ),
    "half of the waves": (
        [{**row, "waves_m": 2} for row in conv_rows(1)],
        (
            "it has the column waves_m and lacks waves_n, waves_k; "
            "the three say the waves of a kernel together"
        ),
    ),
    "waves in other words": (
        [{**row, "waves": "many"} for row in conv_rows(1)],
        "line 2, column waves: 'many' is no three numbers such as 4x8x8",
    ),
    "waves of zero": (
        [{**row, "waves_m": 0, "waves_n": 1, "waves_k": 1} for row in conv_rows(1)],
        "line 2, column waves_m: '0' is no whole number",
    ),
    "nothing but zeros": (
        [{**row, "non_zero": 0} for row in conv_rows(1)],
        "no row of it is of use: 20 were left out because most of their outputs are zero",
    ),
    "no time": (
        [{name: row[name] for name in row if name != "latency_us"} for row in conv_rows(1)],
        "for convolutions by tile and pipeline it lacks latency_us",
    ),
    # Products.
    "a kernel of another kind": (
        changed(fp8_rows(), 1, oracle_best_kernel="Cijk_Ailk"),
        (
            "line 3, column oracle_best_kernel: 'Cijk_Ailk' is no name of a kernel; "
            "those begin with gemm_universal_"
        ),
    ),
    "a kernel that is none": (
        changed(fp8_rows(), 0, ml_selected_kernel="gemm_universal_fp8"),
        "line 2, column ml_selected_kernel: ",
    ),
    "a kernel of a long name": (
        changed(fp8_rows(), 0, ml_selected_kernel="x" * 100_000),
        "line 2, column ml_selected_kernel: 'xxx",
    ),
    "no rate": (
        changed(fp8_rows(), 0, ml_actual_tflops=0),
        "line 2, column ml_actual_tflops: '0' is no rate; write TFLOP/s above 0, such as 120.5",
    ),
    "a kind that is unknown": (
        changed(best_rows(), 2, kind="fp2"),
        "line 4, column kind: 'fp2' is not known; it is one of bf16, a8w8",
    ),
    "no compute units": (
        changed(best_rows(), 2, compute_units=0),
        "line 4, column compute_units: '0' is no whole number from 1",
    ),
    "a GPU that is unknown": (
        changed(best_rows()[:1], 0, gpu="H100"),
        "no row of it is of use: 1 were left out because they are of a GPU that is not known here",
    ),
    # Ours.
    "another version": (
        [OURS, {**OURS, "version": 2}],
        "line 3, column version: the row is of version '2'; this program reads version 1",
    ),
    "another family": (
        [{**OURS, "family": "attention"}],
        "line 2, column family: 'attention' is not known; it is one of gemm, grouped_conv, fmha",
    ),
    "no problem": (
        [{**OURS, "problem": "large"}],
        "line 2, column problem: 'large' is no GEMM problem",
    ),
    "a problem of another family": (
        [{**OURS, "problem": "n1 c8 k8 9x9 3x3"}],
        "line 2, column problem: ",
    ),
    "no kernel": ([{**OURS, "kernel": "gemm_none"}], "line 2, column kernel: "),
    "a kernel of no JSON": ([{**OURS, "kernel": "{"}], "line 2, column kernel: "),
    "a kernel of another family": (
        [
            {
                **OURS,
                "kernel": (
                    "grouped_conv_fwd_bf16_nhwgc_2d_compv3_cshuffle_intrawave_"
                    "64x64x64_4x1x1_16x16x16_v4x8x8"
                ),
            }
        ],
        "is no kernel of the family gemm",
    ),
    "provenance": (
        [{**OURS, "provenance": "guessed"}],
        (
            "line 2, column provenance: 'guessed' is not known; it is one of measured, simulated, "
            "imported"
        ),
    ),
    "perhaps checked": (
        [{**OURS, "checked": "perhaps"}],
        "line 2, column checked: 'perhaps' is not known; it is one of yes, no",
    ),
    "a minimum above the median": (
        [{**OURS, "minimum": 4}],
        "line 2, column minimum: 4 is above the median, which is 3",
    ),
    "no parts": ([{**OURS, "parts": 0}], "line 2, column parts: '0' is no whole number from 1"),
    "half a register": (
        [{**OURS, "vgprs": 0.5}],
        "line 2, column vgprs: '0.5' is no whole number from 0",
    ),
    "no weight": ([{**OURS, "weight": 0}], "line 2, column weight: '0' is no number above 0"),
}


def refusal(path: Path) -> str:
    with pytest.raises(CkDispatchError) as caught:
        measurements.read(path)
    told = str(caught.value)
    assert "\n" not in told and len(told) <= LONGEST, told
    return told


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_table(tmp_path: Path, name: str) -> None:
    content, fragment = FILES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    told = refusal(path)
    assert told.startswith(f"the measurements {path} cannot be read: ") and fragment in told, told


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_makes_no_sense(tmp_path: Path, name: str) -> None:
    rows, fragment = TABLES[name]
    names = dict.fromkeys(column for row in rows for column in row)
    told = refusal(written(tmp_path / "table.csv", rows, names))
    assert told.startswith(f"the measurements {tmp_path}/table.csv") and fragment in told, told


FORMATS: Mapping[str, tuple[Callable[[], list[dict[str, Any]]], str]] = {
    "ours": (lambda: [dict(OURS), dict(OURS)], "microseconds"),
    "convolutions": (lambda: conv_rows(1), "latency_us"),
    "best times": (best_rows, "best_us"),
    "kernels by name": (fp8_rows, "oracle_best_tflops"),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", NUMBERS)
def test_what_is_no_time(tmp_path: Path, format: str, name: str) -> None:
    rows, column = FORMATS[format][0](), FORMATS[format][1]
    told = refusal(written(tmp_path / "table.csv", changed(rows, 1, **{column: NUMBERS[name]})))
    assert f"table.csv, line 3, column {column}: " in told and "above 0, such as" in told, told


@pytest.mark.parametrize("format", FORMATS)
def test_lines_have_a_cell_for_each_column(tmp_path: Path, format: str) -> None:
    path = written(tmp_path / "table.csv", FORMATS[format][0]())
    whole = path.read_text()
    header, first = whole.splitlines()[:2]
    for line in (first + ",1", first.rpartition(",")[0], "1"):
        path.write_text(f"{header}\n{first}\n{line}\n")
        assert (
            "line 3 has " in (told := refusal(path))
            and "each line has a cell for each column" in told
        ), told


@pytest.mark.parametrize("format", FORMATS)
def test_each_column_that_is_needed_is_missed(tmp_path: Path, format: str) -> None:
    from ckdispatch.measurements.reading import formats

    rows = FORMATS[format][0]()
    (own,) = (one for one in formats() if set(one.columns) <= set(rows[0]))
    for column in own.columns:
        told = refusal(
            written(tmp_path / "table.csv", rows, [name for name in rows[0] if name != column])
        )
        assert f"for {own.name} it lacks {column} (docs/measurements.md has the formats)" in told, (
            told
        )


def test_files_that_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 1 << 40)
    for name, fragment in {
        ".": "it is a folder",
        "pipe": "it is no regular file",
        "huge": "it has more than 256 MiB",
        "nowhere": "No such file or directory",
        "/dev/zero": "it is no regular file",
    }.items():
        assert fragment in refusal(tmp_path / name)


def test_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet, "MOST_ROWS", 30)
    assert "it has more than 30 rows; divide it" in refusal(
        written(tmp_path / "table.csv", conv_rows(2))
    )


@pytest.mark.parametrize("path", [None, 7, b"times.csv", "a\0b"])
def test_what_is_no_path(path: Any) -> None:
    with pytest.raises(CkDispatchError, match="a table of measurements was asked for as"):
        measurements.read(path)
