# SPDX-License-Identifier: MIT
"""A CMakeLists.txt that runs hipcc itself, so that CMake needs to know nothing about HIP."""

from __future__ import annotations

from collections.abc import Sequence

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
    """``words`` as quoted arguments, in which CMake must find nothing to expand or to split."""
    return " ".join(f'"{_escape(word)}"' for word in words)


def _escape(word: str) -> str:
    for special in ("\\", '"', "$", ";"):
        word = word.replace(special, "\\" + special)
    return word
