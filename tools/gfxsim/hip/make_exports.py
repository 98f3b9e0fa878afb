# SPDX-License-Identifier: MIT
"""From the table of entry points: the linker's version script, and a refusal for every entry that
nothing else defines.

A refusal is a weak definition, so that an entry is implemented by defining it and by nothing else.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

NOT_SUPPORTED = 801


@dataclass(frozen=True)
class Entry:
    node: str
    name: str
    refusal: int = NOT_SUPPORTED


def read_table(text: str) -> list[Entry]:
    entries = []
    for line in text.splitlines():
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        node, name, *refusal = fields
        entries.append(Entry(node, name, *(int(value) for value in refusal)))
    return entries


def version_script(entries: list[Entry]) -> str:
    """Every node inherits from the one before it, as those of the real library do."""
    parts = []
    before = ""
    for node in dict.fromkeys(entry.node for entry in entries):
        names = "".join(f"    {entry.name};\n" for entry in entries if entry.node == node)
        hidden = "local:\n    *;\n" if not before else ""
        parts.append(f"{node} {{\nglobal:\n{names}{hidden}}}{before};\n")
        before = f" {node}"
    return "\n".join(parts)


def readable(name: str) -> str:
    """The C++ function's own name, if it is a mangled one."""
    mangled = re.match(r"_Z(\d+)", name)
    return name[mangled.end() : mangled.end() + int(mangled[1])] if mangled else name


def refusals(entries: list[Entry]) -> str:
    lines = [
        "#include <cstdint>",
        "",
        "namespace gfxsim {",
        "std::intptr_t refuse_entry(const char* name, std::intptr_t result);",
        "}",
        "",
    ]
    lines.append('extern "C" {')
    for entry in entries:
        call = f'gfxsim::refuse_entry("{readable(entry.name)}", {entry.refusal})'
        lines.append(
            f'__attribute__((weak, visibility("default"))) std::intptr_t {entry.name}() {{ return '
            f"{call}; }}"
        )
    lines.append("}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--version-script", type=Path, required=True)
    parser.add_argument("--refusals", type=Path, required=True)
    arguments = parser.parse_args()
    entries = read_table(arguments.table.read_text())
    arguments.version_script.write_text(version_script(entries))
    arguments.refusals.write_text(refusals(entries))


if __name__ == "__main__":
    main()
