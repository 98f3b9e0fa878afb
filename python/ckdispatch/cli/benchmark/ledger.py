# SPDX-License-Identifier: MIT
"""The table that times are written to as they are measured, so that a kill loses nothing but the
row that was being written.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ckdispatch.errors import InvalidArgument, IoFailed
from ckdispatch.measurements import own
from ckdispatch.measurements.files import SUFFIXES, csv_text, open_sheet, parquet_bytes
from ckdispatch.measurements.row import Row
from ckdispatch.measurements.sheet import Line, Sheet
from ckdispatch.measurements.writing import write
from ckdispatch.user_files import check_writable
from ckdispatch.wording import quoted

_WHAT = "--output"
_HEADER = csv_text(own.HEADER, ())
_CHUNK = 1 << 16


class Key(NamedTuple):
    """What is not measured twice."""

    family: str
    problem: str
    kernel: str
    parts: int
    gpu: str
    provenance: str

    @classmethod
    def of(cls, row: Row) -> Key:
        return cls(*(getattr(row, name) for name in cls._fields))


class Ledger:
    """CSV grows by a line for each row. Parquet cannot: its new rows are in a CSV beside it until
    all are there.
    """

    def __init__(self, path: Path) -> None:
        if path.suffix not in SUFFIXES:
            raise InvalidArgument(
                f"{_WHAT} {quoted(path.name)} cannot be written: "
                f"the name must end in {' or '.join(SUFFIXES)}"
            )
        check_writable(path, _WHAT)
        self.path = path
        self._is_parquet = path.suffix != ".csv"
        if self._is_parquet:
            parquet_bytes(
                own.typed([])
            )  # says before anything is measured what writing it would lack
        self._growing = path.with_name(f"{path.name}.rows.csv") if self._is_parquet else path
        check_writable(self._growing, _WHAT)
        self._file = self._opened()
        try:
            self._repair()
            self.rows = {Key.of(row): row for row in self._read()}
            """What is there."""
        except BaseException:
            self.close()
            raise

    def append(self, row: Row) -> None:
        """Adds a row; it is in the file when this returns."""
        self._write(csv_text(own.cells(row), ()))
        self.rows[Key.of(row)] = row

    def finish(self) -> None:
        """Makes the file whole, and lets go of it."""
        if self._is_parquet:
            write(self.rows.values(), self.path)
            self._growing.unlink()
        self.close()

    def close(self) -> None:
        """Lets go of the file; what was appended is in it, or beside it."""
        os.close(self._file)

    def _opened(self) -> int:
        """The file that grows, for this process alone."""
        try:
            file = os.open(
                self._growing, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666
            )
        except OSError as error:
            raise IoFailed(
                f"{_WHAT} {self._growing} cannot be written: {error.strerror}"
            ) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise IoFailed(
                f"{_WHAT} {self._growing} cannot be written: another process is writing to it"
            ) from None
        except OSError:  # some file systems have no locks
            pass
        return file

    def _repair(self) -> None:
        """Cuts off a last line that is not whole, which a kill or a full disk left; refuses files
        that are no such tables.
        """
        head = os.pread(self._file, len(_HEADER), 0)
        if not _HEADER.startswith(head):
            raise InvalidArgument(
                f"{_WHAT} {self._growing} is there, and has other columns than this program "
                "writes; name another file"
            )
        if head == _HEADER:
            os.ftruncate(self._file, self._end())
        else:
            os.ftruncate(self._file, 0)
            self._write(_HEADER)

    def _end(self) -> int:
        """Where its last whole line ends."""
        place = os.fstat(self._file).st_size
        while place > len(_HEADER):
            start = max(place - _CHUNK, 0)
            found = os.pread(self._file, place - start, start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            place = start
        return len(_HEADER)

    def _write(self, content: bytes) -> None:
        try:
            while content:
                content = content[os.write(self._file, content) :]
        except OSError as error:
            raise IoFailed(
                f"{_WHAT} {self._growing} cannot be written: {error.strerror}"
            ) from error

    def _read(self) -> Iterator[Row]:
        if self._is_parquet and self.path.exists():
            yield from _rows(open_sheet(self.path))
        if os.fstat(self._file).st_size > len(_HEADER):
            yield from _rows(open_sheet(self._growing))


def _rows(sheet: Sheet) -> Iterator[Row]:
    if sheet.columns != own.HEADER:
        raise sheet.wrong(
            f"it has other columns than this program writes; name another file for {_WHAT}"
        )
    return (_row(line) for line in sheet.lines())


def _row(line: Line) -> Row:
    """Also one that has no time, because the result was wrong."""
    found = {
        name: column.read(line, name) for name, column in own.COLUMNS.items() if line.has(name)
    }
    return Row(**{"microseconds": None, **found})
