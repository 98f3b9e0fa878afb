# SPDX-License-Identifier: MIT
"""A build.ninja. Ninja has no way to set variables from outside, so the shell reads them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ckgen.core.export.plan import INCLUDE, LIBRARY, TABLE, TEMPLATES, BuildPlan
from ckgen.core.render import Renderer

FILE_NAME = "build.ninja"


def render(plan: BuildPlan) -> str:
    """The text of the build file."""
    return Renderer(TEMPLATES / "build.ninja.j2").render(
        {
            "plan": plan,
            "library": LIBRARY,
            "table": TABLE,
            "include": INCLUDE,
            "kernel_flags": [shell_words(flags) for flags in plan.kernel_flags],
            "table_flags": shell_words(plan.table_flags),
            "link_flags": shell_words(plan.link_flags),
        }
    )


def shell_words(words: Sequence[str]) -> str:
    """``words`` for a command: quoted for the shell, with ninja's dollar escaped."""
    return shlex.join(words).replace("$", "$$")
