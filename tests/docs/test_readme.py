# SPDX-License-Identifier: MIT
"""README.md: its code runs, or is taken from what the tests run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.docs.pages import Block, blocks, shows

PAGE, CONSUMING = Path("README.md"), Path("docs/consuming.md")
USE, ELSEWHERE = "Pick a kernel and run it", "Use it from another project"


def block_of(section: str, language: str) -> Block:
    (block,) = (one for one in blocks(PAGE) if (one.section, one.language) == (section, language))
    return block


def test_the_python_program_computes_the_product() -> None:
    namespace: dict[str, Any] = {}
    exec(block_of(USE, "python").text, namespace)
    result = namespace["result"]
    assert result.out.shape == (200, 136)
    assert (result.out == 72).all()


def test_the_cxx_lines_are_those_of_an_example() -> None:
    assert shows(block_of(USE, "cpp"), [Path("dispatcher/examples/gemm.cpp")])


def test_another_project_declares_what_the_page_on_that_declares() -> None:
    def statements(text: str) -> list[str]:
        """Each without the spaces, lines and commas that make it readable."""
        compact = re.sub(r"\s+", " ", re.sub(r",?\s*\)", ")", text.replace("(\n", "(")))
        return [one.replace(" ", "") for one in re.findall(r"[^)]+\)", compact)]

    (module,) = (block for block in blocks(CONSUMING) if "module(" in block.text)
    shown = statements(block_of(ELSEWHERE, "python").text)
    assert len(shown) == 5
    assert set(shown) - set(statements(module.text)) == set()
