# SPDX-License-Identifier: MIT
"""A CMakeLists.txt that runs hipcc itself, so that CMake needs to know nothing about HIP."""

from __future__ import annotations

from collections.abc import Sequence

from ckgen.core.errors import RenderError
from ckgen.core.export.plan import INCLUDE, LIBRARY, TABLE, TEMPLATES, BuildPlan
from ckgen.core.render import Renderer

FILE_NAME = "CMakeLists.txt"


def render(plan: BuildPlan) -> str:
    """The text of the list file."""
    return Renderer(TEMPLATES / "CMakeLists.txt.j2").render(
        {
            "plan": plan,
            "library": LIBRARY,
            "table": TABLE,
            "include": INCLUDE,
            "kernel_flags": [quoted_words(flags) for flags in plan.kernel_flags],
            "table_flags": quoted_words(plan.table_flags),
            "link_flags": quoted_words(plan.link_flags),
        }
    )


def quoted_words(words: Sequence[str]) -> str:
    """``words`` as quoted arguments in which CMake finds nothing to expand.

    They become elements of a CMake list, which cannot hold backslashes and semicolons reliably.
    """
    for word in words:
        if "\\" in word or ";" in word:
            raise RenderError(f"{word!r} cannot be an element of a CMake list")
    return " ".join(f'"{_escape(word)}"' for word in words)


def _escape(word: str) -> str:
    return word.replace('"', '\\"').replace("$", "\\$")
