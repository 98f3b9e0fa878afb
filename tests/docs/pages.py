# SPDX-License-Identifier: MIT
"""The code on a page of documentation."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Block:
    """A fenced block: below which heading it is, its language, and the page's line before it."""

    section: str
    language: str
    text: str
    line: int


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, section, fence = [], "", None
    lines: list[str] = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if fence is None and line.startswith("## "):
            section = line.removeprefix("## ")
        elif fence is None and line.startswith("```"):
            fence, lines = Block(section, line.removeprefix("```"), "", number), []
        elif fence is not None and line == "```":
            text = "".join(f"{one}\n" for one in lines)
            found.append(Block(fence.section, fence.language, text, fence.line))
            fence = None
        elif fence is not None:
            lines.append(line)
    assert fence is None, f"{page}:{fence.line if fence else 0}: the block has no end"
    return found


def table(page: Path, first_cell: str) -> list[list[str]]:
    """The cells of all table rows whose first cell matches."""
    rows = [line for line in page.read_text().splitlines() if line.startswith("| ")]
    split = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    return [cells for cells in split if re.fullmatch(first_cell, cells[0])]


def shows(block: Block, sources: Iterable[Path]) -> list[Path]:
    """The sources that a block is taken from; a line `// …` stands for others in between."""
    parts = block.text.rstrip().split("\n// …\n")
    return [
        source
        for source in sources
        if all(part in _excerpts(source.read_text(), len(part.splitlines())) for part in parts)
    ]


def _excerpts(source: str, lines: int) -> set[str]:
    """All that many lines of a source in a row, without their common indentation."""
    whole = source.splitlines()
    found = (whole[start : start + lines] for start in range(len(whole) - lines + 1))
    return {textwrap.dedent("\n".join(some)) for some in found}
