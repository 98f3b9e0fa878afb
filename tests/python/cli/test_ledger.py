# SPDX-License-Identifier: MIT
"""The table of ``bench --all-kernels`` as a file: every row is in it once it was appended, and
nothing of others is harmed.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ckdispatch.cli.benchmark.ledger import Key, Ledger
from ckdispatch.cli.benchmark.time_left import TimeLeft, duration
from ckdispatch.cli.benchmark.timing import QUICK, THOROUGH, check_thorough
from ckdispatch.cli.exits import UsageError
from ckdispatch.errors import InvalidArgument, IoFailed, NotFound
from ckdispatch.measurements import Row, read

KERNEL = "gemm_fp16_rcr_compv3_cshuffle_intrawave_True_True_True_False_64x64x64_2x2x1_32x32x16"
NOTHING: Any = None


def row(number: int = 1) -> Row:
    return Row(
        "gemm",
        f"{number}x64x64 fp16 rcr",
        KERNEL,
        1.5 * number,
        "simulated",
        gpu="gfx942",
        checked=True,
    )


WRONG = replace(row(9), microseconds=NOTHING, checked=False, note='all of it is "wrong", and more')


def filled(table: Path, *some: Row) -> bytes:
    ledger = Ledger(table)
    for one in some:
        ledger.append(one)
    ledger.close()
    return table.read_bytes()


def kept(table: Path) -> list[Row]:
    """What the next one finds."""
    ledger = Ledger(table)
    ledger.close()
    return list(ledger.rows.values())


def test_a_row_is_in_the_file_once_it_was_appended(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    ledger = Ledger(table)
    for number in range(1, 4):
        ledger.append(row(number))
        assert read(table).rows == tuple(row(one) for one in range(1, number + 1))
    ledger.finish()
    assert kept(table) == [row(1), row(2), row(3)]


def test_a_row_without_a_time_is_kept_too(tmp_path: Path) -> None:
    filled(tmp_path / "times.csv", row(1), WRONG)
    assert kept(tmp_path / "times.csv") == [row(1), WRONG]


@pytest.mark.parametrize(
    "change",
    [{"parts": 2}, {"gpu": "gfx950"}, {"provenance": "measured"}, {"problem": "2x64x64 fp16 rcr"}],
)
def test_what_makes_a_row_another(tmp_path: Path, change: dict[str, Any]) -> None:
    table = tmp_path / "times.csv"
    filled(table, row(1))
    there = {Key.of(one) for one in kept(table)}
    assert Key.of(replace(row(1), **change)) not in there
    assert Key.of(replace(row(1), microseconds=7.0, device="hip:3", note="x")) in there


def test_wherever_a_file_ends_every_whole_line_stays(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    content = filled(table, row(1), WRONG, row(3))
    for size in range(len(content) + 1):
        table.write_bytes(content[:size])
        ledger = Ledger(table)
        count = max(content[:size].count(b"\n") - 1, 0)
        assert list(ledger.rows.values()) == [row(1), WRONG, row(3)][:count]
        ledger.append(row(7))
        ledger.close()
        assert kept(table) == [*[row(1), WRONG, row(3)][:count], row(7)]


def test_a_long_torn_line_is_found_too(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    content = filled(table, row(1))
    table.write_bytes(content + b"x" * 300_000)
    Ledger(table).close()
    assert table.read_bytes() == content


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """No file may be larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    content = filled(table, row(1))
    ledger = Ledger(table)
    with (
        disk_of(len(content) + 40),
        pytest.raises(IoFailed, match=r"times.csv cannot be written: File too large"),
    ):
        ledger.append(row(2))
    ledger.close()
    assert table.read_bytes().startswith(content) and len(table.read_bytes()) == len(content) + 40
    assert filled(table, row(3)) == filled(tmp_path / "other.csv", row(1), row(3))


@pytest.mark.parametrize(
    "content", ["no table", "a,b\n1,2\n", "version,family,problem\n1,gemm,1x1x1", "version,famiyl"]
)
def test_a_file_of_something_else_is_refused_and_stays(tmp_path: Path, content: str) -> None:
    table = tmp_path / "times.csv"
    table.write_text(content)
    with pytest.raises(
        InvalidArgument, match="has other columns than this program writes; name another file"
    ):
        Ledger(table)
    assert table.read_text() == content


def test_a_table_is_written_by_one_at_a_time(tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    first = Ledger(table)
    with pytest.raises(IoFailed, match="another process is writing to it"):
        Ledger(table)
    first.close()
    Ledger(table).close()


def test_without_pyarrow_parquet_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotFound, match="needs the Python package pyarrow"):
        Ledger(tmp_path / "times.parquet")
    assert list(tmp_path.iterdir()) == []


def test_parquet_is_whole_at_the_end_and_goes_on_where_it_was(tmp_path: Path) -> None:
    table, beside = tmp_path / "times.parquet", tmp_path / "times.parquet.rows.csv"
    ledger = Ledger(table)
    ledger.append(row(1))
    ledger.close()  # as if it were killed
    assert not table.exists() and beside.exists()
    ledger = Ledger(table)
    assert list(ledger.rows.values()) == [row(1)]
    ledger.append(row(2))
    ledger.finish()
    assert not beside.exists() and read(table).rows == (row(1), row(2))
    ledger = Ledger(table)
    ledger.append(WRONG)
    ledger.finish()
    assert kept(table) == [row(1), row(2), WRONG]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"repeat": 19}, "--repeat 19 was asked for"),
        ({"warmup": 0}, "--warmup 0"),
        ({"flush_cache": False}, "--no-flush-cache"),
        ({"rotating_buffers": 1}, "--rotating-buffers 1"),
        ({"cpu_timer": True}, "--cpu-timer"),
    ],
)
def test_a_gpu_is_measured_thoroughly_or_not_at_all(change: dict[str, Any], sentence: str) -> None:
    check_thorough(THOROUGH)
    with pytest.raises(UsageError, match=sentence):
        check_thorough(replace(THOROUGH, **change))
    with pytest.raises(UsageError):
        check_thorough(QUICK)


def test_the_time_left_is_by_the_work_that_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 10.0, 20.0, 220.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    left = TimeLeft([0.0, 0.0, 19e9])
    for flops, what in ((0.0, "one"), (0.0, "two"), (19e9, "three")):
        left.tell(flops, what)
    assert capsys.readouterr().err == "[1/3] one; 4 min left\n[2/3] two; 3 min left\n[3/3] three\n"


def test_durations_are_in_the_unit_that_people_take() -> None:
    told = [duration(seconds) for seconds in (0.2, 59, 99, 150, 5400, 9000)]
    assert told == ["0 s", "59 s", "99 s", "2 min", "90 min", "2.5 h"]
