# SPDX-License-Identifier: MIT
"""Precompiled headers, edited headers and generated sources change how long a kernel compiles, not
its code.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ADDRESS_AND_NAME = re.compile(r"[0-9a-f]+ <(.+)>:")


def code_objects(variable: str) -> dict[str, Path]:
    """Code objects by pipeline and GPU."""
    found = {}
    for path in map(Path, os.environ[variable].split()):
        pipeline, gpu = re.search(r"_(mem|compv\d+)_.*?(gfx\w+)\.co$", path.name).groups()  # type: ignore[union-attr]  # it is there
        found[f"{pipeline} {gpu}"] = path
    return found


def functions(code_object: Path) -> dict[str, tuple[str, ...]]:
    """The instructions of each function, without their addresses."""
    command = [os.environ["CK_OBJDUMP"], "-d", str(code_object)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {}
    for line in listing.splitlines():
        if match := ADDRESS_AND_NAME.fullmatch(line):
            current = found.setdefault(match[1], [])
        elif line.startswith("\t"):
            current.append(line.partition("//")[0].strip())
    return {name: up_to_the_end(instructions) for name, instructions in found.items()}


def up_to_the_end(instructions: list[str]) -> tuple[str, ...]:
    """Without what fills the space behind a function."""
    ends = [index for index, instruction in enumerate(instructions) if instruction == "s_endpgm"]
    return tuple(instructions[: ends[-1] + 1]) if ends else ()


OURS = code_objects("CK_OURS")
STRAIGHTFORWARD = code_objects("CK_STRAIGHTFORWARD")


def test_every_kernel_was_compiled_in_both_ways() -> None:
    assert sorted(OURS) == sorted(STRAIGHTFORWARD)
    assert len(OURS) >= 3


@pytest.mark.parametrize("kernel", sorted(OURS))
def test_every_function_is_the_same_instruction_for_instruction(kernel: str) -> None:
    ours = functions(OURS[kernel])
    theirs = functions(STRAIGHTFORWARD[kernel])
    assert len(ours) >= 3
    for name, instructions in ours.items():
        assert len(instructions) > 100
        # CK's names are those of its templates, so the functions are known by their instructions.
        assert instructions in theirs.values(), (
            f"{name} has {len(instructions)} instructions of its own"
        )
