# SPDX-License-Identifier: MIT
"""Build files that run the compiler by the recipe's commands, so that no build system needs to know
anything about HIP.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ckgen.core.errors import RenderError
from ckgen.core.export.plan import FIND_COMPILER, INCLUDE, LIBRARY, TABLE, TEMPLATES, BuildPlan
from ckgen.core.recipe import load_recipe
from ckgen.core.render import Renderer


class Expression(str):
    """Text that the build system, or the shell that it runs, replaces by a path."""


@dataclass(frozen=True)
class BuildSystem:
    """How one build system writes commands.

    ``word`` writes one word of the parts that it is made of, and ``paths`` has its expressions for
    the files of each step.
    """

    file_name: str
    word: Callable[..., str]
    paths: Mapping[str, Sequence[str]]
    table: Mapping[str, Sequence[str]]
    link: Mapping[str, Sequence[str]]

    def render(self, plan: BuildPlan) -> str:
        """The text of the build file."""
        steps = load_recipe().steps

        def command(step: str, values: Mapping[str, Sequence[str]]) -> str:
            return " ".join(steps[step].arguments(values, self.word))

        return Renderer(TEMPLATES / f"{self.file_name}.j2").render(
            {
                "plan": plan,
                "library": LIBRARY,
                "table": TABLE,
                "include": INCLUDE,
                "find_compiler": FIND_COMPILER,
                "kernels": [
                    command("kernel_of_many", {**self.paths, **group}) for group in plan.groups
                ],
                "compile_table": command("table_of_many", {**self.paths, **self.table}),
                "link": command("link_of_many", self.link),
            }
        )


def make_word(*parts: str) -> str:
    """A word for a recipe of GNU make: quoted for the shell, with make's dollar and comment sign
    escaped.
    """
    return ninja_word(*parts).replace("#", "\\#")


def ninja_word(*parts: str) -> str:
    """A word for a command of ninja: quoted for the shell, with ninja's dollar escaped."""
    written = [
        part if isinstance(part, Expression) else shlex.quote(part).replace("$", "$$")
        for part in parts
        if part
    ]
    return "".join(written) or "''"


def cmake_word(*parts: str) -> str:
    """A quoted argument in which CMake finds nothing to expand but expressions.

    It becomes an element of a CMake list, which cannot hold backslashes and semicolons reliably.
    """
    for part in parts:
        if not isinstance(part, Expression) and ("\\" in part or ";" in part):
            raise RenderError(f"{part!r} cannot be an element of a CMake list")
    escaped = (
        part if isinstance(part, Expression) else part.replace('"', '\\"').replace("$", "\\$")
        for part in parts
    )
    return f'"{"".join(escaped)}"'


def _paths(**expressions: str | Sequence[str]) -> dict[str, list[Expression]]:
    return {
        name: [Expression(text) for text in ([texts] if isinstance(texts, str) else texts)]
        for name, texts in expressions.items()
    }


SYSTEMS = {
    "cmake": BuildSystem(
        "CMakeLists.txt",
        cmake_word,
        _paths(
            source="${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp",
            object="${name}.o",
            dependencies="${name}.o.d",
            include_dirs=["${CKDISPATCH_INCLUDE}", "${CK_INCLUDE}"],
        ),
        _paths(
            source=f"${{CMAKE_CURRENT_SOURCE_DIR}}/{TABLE}.cpp",
            object=f"{TABLE}.o",
            include_dirs="${CKDISPATCH_INCLUDE}",
        ),
        {"library": [LIBRARY], **_paths(objects=["${OBJECTS}"])},
    ),
    "makefile": BuildSystem(
        "Makefile",
        make_word,
        _paths(
            source="$<",
            object="$@",
            dependencies="$@.d",
            include_dirs=["'$(CKDISPATCH_INCLUDE)'", "'$(CK)'"],
        ),
        _paths(include_dirs="'$(CKDISPATCH_INCLUDE)'"),
        _paths(library="$@", objects="$^"),
    ),
    "ninja": BuildSystem(
        "build.ninja",
        ninja_word,
        _paths(
            source="$in",
            object="$out",
            dependencies="$out.d",
            include_dirs=["$own_include", "$ck_include"],
        ),
        _paths(include_dirs="$own_include"),
        _paths(library="$out", objects="$in"),
    ),
}
