# SPDX-License-Identifier: MIT
"""Runs the tools that check the style of this repository, with the settings that lie in its root.

As a test: TOOL ARCHIVE, which is unpacked, and nothing in it is changed. As ``./bazelw run
//tests/style:fix``: in place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

_CLANG_FORMAT = "CK_STYLE_CLANG_FORMAT"
_RUFF = "CK_STYLE_RUFF"
_SHELLCHECK = "CK_STYLE_SHELLCHECK"
_BUILDIFIER = "CK_STYLE_BUILDIFIER"
_STUB = "CK_STYLE_STUB"

# rules_cc of Bazel 7 has no file to load CcInfo from.
_STARLARK = ("--lint=warn", "--warnings=-native-cc-info")
_COLUMNS = 100

# The family that a test adds to a copy of this repository: its types are those of such a copy.
_FAMILY = Path("tests/consumers/batched_transpose")
_IMPORTS = re.compile(r"\bimports = \[([^\]]*)\]")


def _found(root: Path, *patterns: str) -> list[str]:
    """The files of the repository with such names, from its root."""
    found = (path.relative_to(root) for pattern in patterns for path in root.rglob(pattern))
    return sorted(
        str(path)
        for path in found
        if not any(part.startswith("bazel-") or part == ".git" for part in path.parts)
    )


def _roots_of_imports(root: Path) -> Iterator[str]:
    """The folders that Bazel puts on Python's path."""
    for file in _found(root, "BUILD.bazel"):
        for imports in _IMPORTS.findall((root / file).read_text()):
            for name in re.findall(r'"([^"]+)"', imports):
                yield os.path.normpath(Path(file).parent / name)


def ruff(root: Path, *, mend: bool = False) -> int:
    """Lints Python, and checks its format."""
    modes = (["check", "--fix"], ["format"]) if mend else (["check"], ["format", "--diff"])
    return max(
        subprocess.call([_program(_RUFF), *mode, "--no-cache", "--quiet", "."], cwd=root)
        for mode in modes
    )


def _with_family(stub: str, name: str) -> str:
    """The generated stub with one family more, of which it says what it says of the last."""
    *_, last = re.findall(r"^from ckdispatch\.(\w+)\.methods import", stub, re.MULTILINE)
    lines = re.compile(rf"^.*{last}.*\n", re.MULTILINE)
    return lines.sub(lambda line: line[0] + line[0].replace(last, name), stub)


def mypy(root: Path) -> int:
    """Checks the types of every Python room. ``root`` is a copy, to which what is generated is
    added.
    """
    stub = Path(_program(_STUB)).read_text()
    (root / "python/ckdispatch/families.pyi").write_text(_with_family(stub, _FAMILY.name))
    shutil.copytree(root / _FAMILY, root, dirs_exist_ok=True)
    shutil.rmtree(root / _FAMILY)
    path = ["named", *dict.fromkeys(_roots_of_imports(root))]
    # Tests of different folders have the same names, by which nobody imports them: below another
    # root they are named by their folders.
    shutil.copytree(root / "tests", root / "named/tests")
    rooms = {file.partition("/")[0] for file in _found(root, "*.py")} - {"tests"}
    environment = {
        **os.environ,
        "MYPYPATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    return subprocess.call(
        [sys.executable, "-m", "mypy", "--cache-dir", os.devnull, *sorted(rooms)],
        cwd=root,
        env=environment,
    )


def clang_format(root: Path, *more: str) -> int:
    """Checks the format of C and C++."""
    files = _found(root, "*.cpp", "*.h", "*.hpp")
    return subprocess.call(
        [_program(_CLANG_FORMAT), *(more or ("--dry-run", "--Werror")), *files], cwd=root
    )


def shellcheck(root: Path) -> int:
    """Checks scripts; those of ``tools/sealed`` as the parts of ``./bazelw`` that they are."""
    scripts = [
        file for file in _found(root, "*.sh", "*.sh.tpl") if not file.startswith("tools/sealed/")
    ]
    return subprocess.call(
        [_program(_SHELLCHECK), "--check-sourced", "bazelw", ".ci/run", *scripts], cwd=root
    )


def _long_lines(root: Path, files: Iterable[str]) -> int:
    """Says of each line of Starlark that is too long where it is, which buildifier does not ask."""
    found = [
        f"{file}:{number}: this line has {len(line)} columns; wrap it to at most {_COLUMNS}."
        for file in files
        for number, line in enumerate((root / file).read_text().splitlines(), 1)
        if len(line) > _COLUMNS
    ]
    for sentence in found:
        print(sentence, file=sys.stderr)
    return int(bool(found))


def buildifier(root: Path, mode: str = "check") -> int:
    """Checks the format and the lint of Starlark, and that no line of it is too long."""
    files = _found(root, "*.bzl", "*.bazel")
    code = subprocess.call([_program(_BUILDIFIER), f"--mode={mode}", *_STARLARK, *files], cwd=root)
    return max(code, _long_lines(root, files))


_TOOLS: dict[str, Callable[[Path], int]] = {
    "clang_format": clang_format,
    "ruff": ruff,
    "mypy": mypy,
    "shellcheck": shellcheck,
    "buildifier": buildifier,
}


def _program(variable: str) -> str:
    return str(Path(os.environ[variable]).absolute())


def test(tool: str, archive: str) -> int:
    """Runs one tool on the files of an archive."""
    root = Path(os.environ["TEST_TMPDIR"], "repository")
    with tarfile.open(archive) as files:
        files.extractall(root, filter="data")
    code = _TOOLS[tool](root)
    if code != 0:
        print("What a tool can mend, it mends: ./bazelw run //tests/style:fix", file=sys.stderr)
    return code


def fix() -> int:
    """Mends what ruff, clang-format and buildifier can mend, and says what is left."""
    root = Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    return max(
        ruff(root, mend=True), clang_format(root, "-i"), buildifier(root, "fix"), shellcheck(root)
    )


if __name__ == "__main__":
    sys.exit(test(*sys.argv[1:]) if sys.argv[1:] else fix())
