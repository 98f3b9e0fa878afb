# SPDX-License-Identifier: MIT
"""A processor below x86-64-v3 gets a sentence: nothing that runs before the simulator asks for the
processor needs a newer one.

The files are disassembled, for the processors on which tests run all have what the others lack.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from functools import cache

import pytest

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86_64 has levels")

# What x86-64-v2 does not have. tzcnt and lzcnt are older instructions with a prefix that old
# processors ignore.
NEWER = re.compile(
    r"v(?!err|erw)\w+|andn|bextr|bls(i|r|msk)|bzhi|mulx|p(dep|ext)|rorx|(sar|shl|shr)x|movbe"
)

LIBRARY, PROGRAM = os.environ["CK_SIM_RUNTIME"], os.environ["GFXSIM"]


def _tool(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Code:
    """The functions of a file, as lines of assembly."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: dict[str, list[str]] = {}
        self.at: dict[int, str] = {}
        current: list[str] = []
        for line in _tool("objdump", "-d", "-w", "--no-show-raw-insn", path).splitlines():
            if start := re.match(r"([0-9a-f]+) <(.+)>:$", line):
                self.at[int(start[1], 16)] = start[2]
                current = self.lines.setdefault(start[2], [])
            elif ":\t" in line:
                current.append(line.partition(":\t")[2])

    def newer(self, name: str) -> list[str]:
        """Instructions of a function that an old processor lacks."""
        return [line for line in self.lines[name] if NEWER.fullmatch(line.split()[0])]

    def reached(self, roots: set[str]) -> set[str]:
        """What functions call or jump to, and they themselves."""
        found, left = set(), set(roots)
        while left:
            name = left.pop()
            found.add(name)
            for line in self.lines[name]:
                called = re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>$", line)
                if (
                    called
                    and called[1] in self.lines
                    and called[1] not in found
                    and not called[1].endswith("@plt")
                ):
                    left.add(called[1])
        return found

    def initialisers(self) -> set[str]:
        """What the loader runs."""
        sections = _tool("readelf", "-SW", self.path)
        address, size = re.search(
            r"\.init_array\s+INIT_ARRAY\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", sections
        ).groups()  # type: ignore[union-attr]  # found
        places = range(int(address, 16), int(address, 16) + int(size, 16))
        moved = re.findall(
            r"^([0-9a-f]+)\s+[0-9a-f]+ R_X86_64_RELATIVE\s+([0-9a-f]+)$",
            _tool("readelf", "-rW", self.path),
            re.MULTILINE,
        )
        return {self.at[int(target, 16)] for place, target in moved if int(place, 16) in places}


@cache
def code(path: str) -> Code:
    return Code(path)


def offenders(path: str, names: set[str]) -> dict[str, str]:
    return {name: found[0] for name in sorted(names) if (found := code(path).newer(name))}


def test_instructions_that_are_newer_are_recognised() -> None:
    """Most of the simulator has them, or the other tests would see nothing."""
    assert len(offenders(LIBRARY, set(code(LIBRARY).lines))) > 1000


@pytest.mark.parametrize("path", [LIBRARY, PROGRAM], ids=["library", "program"])
def test_what_the_loader_runs_needs_nothing_newer(path: str) -> None:
    initialisers = code(path).initialisers()
    assert initialisers
    assert offenders(path, code(path).reached(initialisers)) == {}


def test_entries_of_the_library_need_nothing_newer_before_they_ask() -> None:
    listed = _tool("nm", "-D", "--defined-only", LIBRARY)
    entries = {
        name.partition("@")[0]
        for kind, name in re.findall(r"^[0-9a-f]+ ([TW]) (\S+)$", listed, re.MULTILINE)
    }
    entries &= set(code(LIBRARY).lines)
    assert "hipMalloc" in entries and len(entries) > 300
    assert offenders(LIBRARY, entries) == {}
    before = {"_ZN6gfxsim15check_processorEv", "_ZN6gfxsim16record_exceptionEPKc"}
    assert offenders(LIBRARY, code(LIBRARY).reached(before)) == {}


def test_every_entry_that_does_something_asks() -> None:
    """Entries run their body in api(), which asks first; what is without one only answers."""
    body = "\n".join(code(LIBRARY).lines["hipMalloc"])
    assert "check_processor" in body


def test_the_program_needs_nothing_newer_before_it_asks() -> None:
    assert offenders(PROGRAM, {"main"}) == {}
    assert offenders(PROGRAM, code(PROGRAM).reached({"_ZN6gfxsim17processor_problemEv"})) == {}
    assert "processor_problem" in "\n".join(code(PROGRAM).lines["main"])
