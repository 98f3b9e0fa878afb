# SPDX-License-Identifier: MIT
"""Writing a table in our own format."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable

from ckdispatch.arguments import checked_path
from ckdispatch.errors import InvalidArgument, IoFailed
from ckdispatch.measurements import own
from ckdispatch.measurements.files import SUFFIXES, csv_text, parquet_bytes
from ckdispatch.measurements.row import Row
from ckdispatch.user_files import check_writable
from ckdispatch.wording import quoted

_WHAT = "the measurements"


def write(rows: Iterable[Row], path: str | os.PathLike[str]) -> None:
    """Writes CSV or Parquet, as the path ends; whole or not at all."""
    path = checked_path("a table of measurements", path)
    if path.suffix not in SUFFIXES:
        raise InvalidArgument(
            f"{_WHAT} {quoted(path.name)} cannot be written: "
            f"the name must end in {' or '.join(SUFFIXES)}"
        )
    check_writable(path, _WHAT)
    rows = list(rows)
    if path.suffix == ".csv":
        content = csv_text(own.HEADER, (own.cells(row) for row in rows))
    else:
        content = parquet_bytes(own.typed(rows))
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise IoFailed(f"{_WHAT} {path} cannot be written: {error.strerror}") from error
