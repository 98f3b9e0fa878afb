# SPDX-License-Identifier: MIT
"""A Makefile for GNU make."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ckgen.core.export.plan import LIBRARY, TABLE, TEMPLATES, BuildPlan
from ckgen.core.render import Renderer

FILE_NAME = "Makefile"


def render(plan: BuildPlan) -> str:
    """The text of the Makefile."""
    return Renderer(TEMPLATES / "Makefile.j2").render(
        {
            "plan": plan,
            "library": LIBRARY,
            "table": TABLE,
            "kernel_flags": [shell_words(flags) for flags in plan.kernel_flags],
            "table_flags": shell_words(plan.table_flags),
            "link_flags": shell_words(plan.link_flags),
        }
    )


def shell_words(words: Sequence[str]) -> str:
    """``words`` for a recipe: quoted for the shell, with make's dollar and comment sign escaped."""
    return shlex.join(words).replace("$", "$$").replace("#", "\\#")
