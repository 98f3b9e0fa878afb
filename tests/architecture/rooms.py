# SPDX-License-Identifier: MIT
"""Reads ARCHITECTURE.md's table of rooms and finds what the files of each room use."""

from __future__ import annotations

import ast
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

# The Python packages and header folders of each room, by what an import begins with, and an include
# by a pattern.
IMPORTS = {
    "ckabi": "abi",
    "ckarch": "arch",
    "archgen": "arch",
    "ckfamilies": "families",
    "ckfetch": "third_party",
    "ckgen": "tools/codegen",
    "ckinspect": "tools/inspect",
    "ckaccuracy": "tools/accuracy",
    "ckbench": "tools/bench",
    "cktune": "tools/tune",
    "ckreport": "tools/report",
    "cksupport": "tools/support",
    "gfxsim": "tools/gfxsim",
    "ckdispatch": "python",
    "tests": "tests",
}
INCLUDES = {
    r"ck_families\.h": "families",
    r"ck_kernel_abi\.h|ck_\w+_problem\.h|device_code/": "abi",
    "ck_kernel/": "kernel_library",
    "arch/": "arch",
    "models/": "models",
    "gfxsim/": "tools/gfxsim",
    "ckdispatch/": "dispatcher",
}


@dataclass(frozen=True)
class Use:
    """One place where a file of a room uses another room."""

    file: PurePosixPath
    line: int
    room: str
    used: str


def read_rooms(page: str) -> dict[str, frozenset[str]]:
    """Folder → the folders it may use."""
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \|([^|]*)\|$", page, flags=re.MULTILINE)
    return {folder: frozenset(re.findall(r"`([^`]+)`", allowed)) for folder, allowed in rows}


def tracked_files(repository: Path) -> list[PurePosixPath]:
    listed = subprocess.run(
        [
            "git",
            "-C",
            str(repository),
            "-c",
            "safe.directory=*",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return [
        PurePosixPath(line) for line in listed.stdout.splitlines() if (repository / line).is_file()
    ]


def room_of(path: PurePosixPath, rooms: dict[str, frozenset[str]]) -> str | None:
    """The innermost room that a path lies in."""
    return next((name for place in (path, *path.parents) if (name := str(place)) in rooms), None)


def _python_uses(text: str) -> list[tuple[int, str]]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        else:
            continue
        found += [
            (node.lineno, IMPORTS[name.split(".")[0]])
            for name in names
            if name.split(".")[0] in IMPORTS
        ]
    return found


def _label_uses(text: str, rooms: dict[str, frozenset[str]]) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for package in re.findall(
            r"""["'](?:@@?ckdispatch)?//([A-Za-z0-9_./-]*)""", line.partition("#")[0]
        ):
            room = room_of(PurePosixPath(package or "."), rooms)
            if room:
                found.append((number, room))
    return found


def _include_uses(text: str) -> list[tuple[int, str]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        for pattern, room in INCLUDES.items():
            if match and re.match(pattern, match.group(1)):
                found.append((number, room))
    return found


def uses(repository: Path, file: PurePosixPath, rooms: dict[str, frozenset[str]]) -> list[Use]:
    """What one file uses of other rooms."""
    room = room_of(file, rooms)
    if room is None:
        return []
    text = (repository / file).read_text(errors="replace")
    if file.suffix == ".py":
        found = _python_uses(text)
    elif file.suffix == ".bzl" or file.name == "BUILD.bazel":
        # A visibility list names who may use the room, not what the room uses.
        found = _label_uses(re.sub(r"visibility\s*[=(]\s*\[[^\]]*\]", "", text), rooms)
    elif file.suffix in (".hpp", ".h", ".cpp", ".inc", ".j2"):
        found = _include_uses(text)
    else:
        found = []
    return [Use(file, line, room, used) for line, used in found if used != room]
