# SPDX-License-Identifier: MIT
"""docs/python.md: every block runs and prints what the page says."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import Block, blocks

PAGE = Path("docs/python.md")
BLOCKS = blocks(PAGE)
SECTIONS = list(dict.fromkeys(block.section for block in BLOCKS))
EARLIER = {
    "Running": ("Choosing",),
    "Tensors": ("Choosing", "Running"),
    "Validation and timing": ("Choosing", "Running"),
    "Sources": ("Configs",),
}
"""Sections whose names another one uses."""


def printed_by(block: Block, namespace: dict[str, Any]) -> str:
    # As many empty lines before it as on the page, so that a traceback has the page's lines.
    code = compile("\n" * block.line + block.text, str(PAGE), "exec")
    with redirect_stdout(io.StringIO()) as printed:
        exec(code, namespace)
    return printed.getvalue()


def matches(text: str, shown: str) -> bool:
    """Whether the text is what is shown, where … stands for anything within a line."""
    return re.fullmatch(".*".join(re.escape(part) for part in shown.split("…")), text) is not None


def run_section(section: str, namespace: dict[str, Any]) -> None:
    text = ""
    for block in (block for block in BLOCKS if block.section == section):
        if block.language == "python":
            text = printed_by(block, namespace)
        else:
            assert matches(text, block.text), f"{PAGE}:{block.line}: it printed\n{text}"


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_prints_what_the_page_says(section: str) -> None:
    namespace: dict[str, Any] = {"__name__": "page"}
    for needed in dict.fromkeys((SECTIONS[0], *EARLIER.get(section, ()), section)):
        run_section(needed, namespace)


def test_the_page_has_python_and_what_it_prints_and_nothing_else() -> None:
    assert {block.language for block in BLOCKS} == {"python", "text"}
