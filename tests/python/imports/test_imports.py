# SPDX-License-Identifier: MIT
"""No module of the package needs, by any of its imports, a module that needs it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import ckdispatch
import pytest

PACKAGE = Path(ckdispatch.__file__).parent


def modules(package: Path) -> dict[str, Path]:
    """The modules of a package by name; a folder's own is ``__init__``'s."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = (package.name, *path.relative_to(package).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(text: str, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules that a module imports, also in functions and for type checkers alone."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.module in known:
            for alias in node.names:
                member = f"{node.module}.{alias.name}"
                yield member if member in known else node.module


def cycle(package: Path) -> list[str]:
    """Modules that need each other in a circle, or none."""
    known = modules(package)
    graph = {name: set(imported(path.read_text(), known)) for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert len(modules(PACKAGE)) > 50
    assert cycle(PACKAGE) == []


@pytest.mark.parametrize(
    "lines",
    [
        "from loop.b import b",
        "if TYPE_CHECKING:\n    import loop.b",
        "def f():\n    from loop import b",
    ],
    ids=["at the top", "for type checkers", "in a function"],
)
def test_a_circle_is_found_wherever_an_import_stands(tmp_path: Path, lines: str) -> None:
    package = tmp_path / "loop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text(lines)
    (package / "b.py").write_text("from loop.c import c")
    (package / "c.py").write_text("")
    assert cycle(package) == []
    (package / "c.py").write_text("from loop import a")
    assert set(cycle(package)) == {"loop.a", "loop.b", "loop.c"}
