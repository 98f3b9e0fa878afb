# SPDX-License-Identifier: MIT
"""CSV and Parquet as sheets, and sheets as CSV and Parquet."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ckdispatch.errors import CkDispatchError, InvalidArgument, NotFound
from ckdispatch.measurements.sheet import MOST_ROWS, Sheet
from ckdispatch.user_files import read_bytes

SUFFIXES = (".csv", ".parquet")
_PARQUET = b"PAR1"
"""What such a file begins with."""

_BATCH = 1 << 14


def open_sheet(path: Path) -> Sheet:
    """The sheet of a file, which is CSV unless it begins as Parquet does."""
    content = read_bytes(path, "the measurements")
    digest = hashlib.sha256(content).hexdigest()
    read = _parquet_sheet if content.startswith(_PARQUET) else _csv_sheet
    return read(path, digest, content)


def _csv_sheet(path: Path, digest: str, content: bytes) -> Sheet:
    def wrong(what: str) -> InvalidArgument:
        return InvalidArgument(f"the measurements {path} cannot be read: {what}")

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise wrong(
            f"it is no text, because of its byte {error.start}; it must be CSV in UTF-8, or Parquet"
        ) from None
    if "\0" in text:
        raise wrong("there is a null character in it; it must be CSV in UTF-8, or Parquet")

    def records() -> Iterator[tuple[int, Sequence[str]]]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise wrong(f"line {reader.line_num} is no CSV: {error}") from None
            if cells is None:
                return
            yield reader.line_num, cells

    header = next(
        ((number, cells) for number, cells in records() if any(map(str.strip, cells))), None
    )
    if header is None:
        raise wrong("it is empty; its first line has the names of the columns")
    below = header[0]
    return Sheet(
        path,
        digest,
        tuple(name.strip() for name in header[1]),
        lambda: ((number, cells) for number, cells in records() if number > below),
    )


def _parquet_sheet(path: Path, digest: str, content: bytes) -> Sheet:
    arrow, parquet = _arrow(f"the measurements {path} are Parquet, which")

    def wrong(error: object) -> InvalidArgument:
        return InvalidArgument(
            f"the measurements {path} cannot be read: they are no Parquet, or damaged: "
            f"{_first_line(error)}"
        )

    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        names, count = tuple(file.schema_arrow.names), file.metadata.num_rows
    except _failures(arrow) as error:
        raise wrong(error) from None
    if count > MOST_ROWS:
        raise InvalidArgument(
            f"the measurements {path} cannot be read: they have more than {MOST_ROWS:,} rows; "
            "divide them"
        )

    def records() -> Iterator[tuple[int, Sequence[str]]]:
        number = 1
        try:
            for batch in file.iter_batches(batch_size=_BATCH):
                for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                    number += 1
                    yield number, [_cell(value) for value in values]
        except CkDispatchError:
            raise
        except _failures(arrow) as error:
            raise wrong(error) from None

    return Sheet(path, digest, names, records)


def _cell(value: Any) -> str:
    """A value as a line of CSV has it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """A sheet as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def parquet_bytes(columns: Mapping[str, tuple[type, Sequence[Any]]]) -> bytes:
    """Columns, each with the type of its values, as Parquet."""
    arrow, parquet = _arrow("Parquet was to be written, which")
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    table = arrow.table(
        {name: arrow.array(values, kinds[kind]) for name, (kind, values) in columns.items()}
    )
    sink = arrow.BufferOutputStream()
    parquet.write_table(table, sink)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def _arrow(what: str) -> tuple[Any, Any]:
    """pyarrow, which nothing but Parquet needs."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise NotFound(
            f"{what} needs the Python package pyarrow, and it is not installed; install it, "
            "or use CSV"
        ) from None
    return pyarrow, pyarrow.parquet


def _failures(arrow: Any) -> tuple[type[Exception], ...]:
    """What pyarrow raises for files that are not what they should be."""
    return (arrow.ArrowException, OSError, ValueError, KeyError, NotImplementedError)


def _first_line(error: object) -> str:
    return str(error).strip().split("\n")[0]
