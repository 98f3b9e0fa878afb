# SPDX-License-Identifier: MIT
"""Finds where code outside the folders of a family names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

CODE = {".py", ".bzl", ".bazel", ".hpp", ".h", ".cpp", ".inc", ".j2"}


def belongs_to(file: PurePosixPath, family: str) -> bool:
    """Whether a file is the family's own: it lies in a folder of its name, or has it in its own
    name.
    """
    return family in file.parts or f"_{family}_" in f"_{file.stem}_"


def code_lines(file: PurePosixPath, text: str) -> Iterator[tuple[int, str]]:
    """The lines of a file without comments and documentation,
    which may give families as examples.
    """
    lines = text.splitlines()
    if file.suffix in {".py", ".bzl", ".bazel"}:
        for documented in _documentation(text):
            lines[documented - 1] = ""
        comment = r"(^|\s)#.*"
    else:
        text = re.sub(
            r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.DOTALL
        )
        lines = text.splitlines()
        comment = r"//.*"
    for number, line in enumerate(lines, 1):
        yield number, re.sub(comment, "", line)


def _documentation(text: str) -> Iterator[int]:
    """The lines of strings that are statements of their own; Starlark's syntax is a part of
    Python's.
    """
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def named_in(line: str, families: Iterable[str]) -> str | None:
    """The family that a line of code names, as a word, in a longer name or as a type."""
    # Of CK, whose folders and classes have names of their own.
    line = re.sub(r"ck_tile\S*|tile_engine\S*|GemmPipeline\w+", "", line)
    for family in families:
        camel = family.replace("_", " ").title().replace(" ", "")
        if re.search(
            rf"(?<![a-z0-9]){family}(?![a-z0-9])|(?<![A-Z]){camel}(?![a-z])|(?<![A-Z]){family.upper()}(?![A-Z])",
            line,
        ):
            return family
    return None


def names(repository: Path, file: PurePosixPath, families: Iterable[str]) -> list[str]:
    """Where the code of one file names a family that it does not belong to."""
    text = (repository / file).read_text(encoding="utf-8")
    said = text.lower().replace("_", "")
    others = [
        family
        for family in families
        if family.replace("_", "") in said and not belongs_to(file, family)
    ]
    found = code_lines(file, text) if others else ()
    return [
        f"{file}:{number} names {family}"
        for number, line in found
        if (family := named_in(line, others))
    ]
