# SPDX-License-Identifier: MIT
"""The core and the layers know no family, families do not know each other, and jinja2 is imported
in one place.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import ckgen
import pytest
from ckfamilies import FAMILIES

PACKAGE = Path(ckgen.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
TEMPLATES = sorted(PACKAGE.rglob("*.j2"))
MAY_USE: dict[str, set[str]] = {
    "core": {"core"},
    "cli": {"core", "cli", "families"},
    "families.py": {"core"},
    "__init__.py": set(),
    "__main__.py": {"cli"},
    **{layer: {"core", layer} for row in FAMILIES for layer in row.layers},
    **{row.name: {"core", row.name, *row.layers} for row in FAMILIES},
}
"""What each part of the generator may use of the others: a family its own folder, and the layers
that its row names.
"""


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_every_part_is_known() -> None:
    assert {room(path) for path in (*MODULES, *TEMPLATES)} == set(MAY_USE)
    assert TEMPLATES


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_a_module_imports_what_its_part_may_use(path: Path) -> None:
    used = {name.split(".")[1] for name in imports(path) if name.startswith("ckgen.")}
    assert used <= MAY_USE[room(path)]


@pytest.mark.parametrize("path", TEMPLATES, ids=relative)
def test_a_template_imports_what_its_part_may_use(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"{%-? *(?:import|include|extends|from) +\"(\w+)/", text)
    assert len(named) == len(re.findall(r"{%-? *(?:import|include|extends|from)\b", text))
    assert set(named) <= MAY_USE[room(path)]


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_only_a_family_is_called_by_its_name(path: Path) -> None:
    """Names of Composable Kernel, which has namespaces and classes called so, do not count."""
    text = re.sub(r"\bck_tile::[\w:]+", "", path.read_text(encoding="utf-8"))
    words = {
        row.name for row in FAMILIES if re.search(rf"(?<![a-z0-9]){row.name}(?![a-z0-9])", text)
    }
    assert words <= {room(path)}


def test_jinja2_is_imported_in_one_place() -> None:
    users = [path for path in MODULES if any(n.split(".")[0] == "jinja2" for n in imports(path))]
    assert [relative(path) for path in users] == ["core/render.py"]
