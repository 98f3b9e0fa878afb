# SPDX-License-Identifier: MIT
"""What a command found out: a JSON document for programs, blocks of text for people; and figures as
they read them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ckdispatch.cli.exits import ExitCode


@dataclass(frozen=True)
class Column:
    """A column of a table. Numbers go to the ``right``; what is ``whole`` is never wrapped."""

    title: str
    right: bool = False
    whole: bool = True


@dataclass(frozen=True)
class Table:
    """Rows under titles; at least one."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Facts:
    """Names and their values, one on each line."""

    pairs: tuple[tuple[str, str], ...]


Block: TypeAlias = Table | Facts | str
"""A table, facts, or a sentence."""


@dataclass(frozen=True)
class Report:
    """The result of a command. ``complaint`` is the sentence that explains a bad ``exit_code``."""

    document: Mapping[str, Any]
    blocks: tuple[Block, ...]
    exit_code: ExitCode = ExitCode.OK
    complaint: str = ""


def size(count: int) -> str:
    """Bytes in the largest unit that leaves a figure before the point."""
    figure = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if figure < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{figure:.1f} {unit}"
        figure /= 1024
    return f"{figure:.1f} TiB"


def moment(seconds: float) -> str:
    """A time since 1970 on the clock of this place."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def extents(values: Iterable[int]) -> str:
    """Extents as names of kernels have them: 64x64x32."""
    return "x".join(str(value) for value in values)
