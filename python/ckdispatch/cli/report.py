# SPDX-License-Identifier: MIT
"""What a command found out: a JSON document for programs, blocks of text for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

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


Block = Union[Table, Facts, str]
"""A table, facts, or a sentence."""


@dataclass(frozen=True)
class Report:
    """The result of a command. ``complaint`` is the sentence that explains a bad ``exit_code``."""

    document: Mapping[str, Any]
    blocks: tuple[Block, ...]
    exit_code: ExitCode = ExitCode.OK
    complaint: str = ""
