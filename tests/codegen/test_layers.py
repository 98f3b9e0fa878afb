# SPDX-License-Identifier: MIT
"""The core knows no family, and jinja2 is imported in one place."""

from __future__ import annotations

import ast
from pathlib import Path

import ckgen
import pytest
from ckgen.families import FAMILIES

PACKAGE = Path(ckgen.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
BUILT_ON = {"grouped_conv": {"gemm"}}
"""Families that compute the product of another one underneath."""


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_core_imports_no_family_and_families_import_no_command(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0]
    forbidden: tuple[str, ...] = ()
    if room == "core":
        forbidden = ("ckgen.cli", "ckgen.families", *(f"ckgen.{name}" for name in FAMILIES))
    elif room in FAMILIES:
        mine = {room, *BUILT_ON.get(room, ())}
        others = (f"ckgen.{name}" for name in FAMILIES if name not in mine)
        forbidden = ("ckgen.cli", "ckgen.families", *others)
    assert not [name for name in imports(path) if name.startswith(forbidden)]


def test_the_core_does_not_even_name_a_family() -> None:
    for path in MODULES:
        if path.relative_to(PACKAGE).parts[0] == "core":
            text = path.read_text(encoding="utf-8").lower()
            assert not [name for name in FAMILIES if name in text], path


def test_jinja2_is_imported_in_one_place() -> None:
    users = [path for path in MODULES if any(n.split(".")[0] == "jinja2" for n in imports(path))]
    assert [path.relative_to(PACKAGE).as_posix() for path in users] == ["core/render.py"]
