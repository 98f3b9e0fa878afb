# SPDX-License-Identifier: MIT
"""Printing reports: as JSON, as rich tables on a terminal, as plain aligned text elsewhere."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ckdispatch.cli.report import Block, Facts, Report, Table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_NARROWEST = 24
"""Characters to which a column may shrink whose cells can be wrapped."""


def print_report(report: Report, stream: TextIO, *, as_json: bool) -> None:
    """Print ``report``; with ``as_json`` exactly one JSON document."""
    if as_json:
        print_json(report.document, stream)
    elif stream.isatty():
        _print_rich(report.blocks, stream)
    else:
        stream.write(plain_text(report.blocks))


def print_json(document: Any, stream: TextIO) -> None:
    """Print one JSON document."""
    stream.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def plain_text(blocks: Sequence[Block]) -> str:
    """The blocks in columns that are aligned by spaces, with an empty line between two."""
    return "\n".join("".join(f"{line}\n" for line in _plain_lines(block)) for block in blocks)


def _plain_lines(block: Block) -> list[str]:
    if isinstance(block, str):
        return [block]
    if isinstance(block, Facts):
        width = max((len(name) for name, _ in block.pairs), default=0)
        return [f"{name.ljust(width)}  {value}".rstrip() for name, value in block.pairs]
    cells = [tuple(column.title for column in block.columns), *block.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [_aligned(block, row, widths) for row in cells]


def _aligned(table: Table, row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell.rjust(width) if column.right else cell.ljust(width)
        for column, cell, width in zip(table.columns, row, widths, strict=True)
    )
    return "  ".join(padded).rstrip()


def _print_rich(blocks: Sequence[Block], stream: TextIO) -> None:
    from rich.console import Console

    console = Console(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
    )
    for number, block in enumerate(blocks):
        if number:
            console.print()
        _print_block(block, console)


def _print_block(block: Block, console: Console) -> None:
    from rich.text import Text

    if isinstance(block, str):
        console.print(Text(block))
    elif isinstance(block, Facts):
        console.print(_rich_facts(block))
    else:
        table, least = _rich_table(block)
        # A terminal breaks a line that is too long for it; a table would leave columns out.
        there = console.width
        console.width = max(there, least)
        console.print(table)
        console.width = there


def _rich_facts(facts: Facts) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts.pairs:
        grid.add_row(Text(name), Text(value))
    return grid


def _rich_table(block: Table) -> tuple[RichTable, int]:
    """The table, and how many characters it needs to show everything."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    least = 0
    cells = zip(*(row for row in block.rows), strict=True)
    for column, below in zip(block.columns, cells, strict=True):
        natural = max(map(len, (column.title, *below)))
        width = natural if column.whole else min(natural, _NARROWEST)
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=column.whole,
            overflow="fold",
            min_width=width,
        )
        least += width + 2
    for row in block.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table, least
