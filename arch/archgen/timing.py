# SPDX-License-Identifier: MIT
"""The C++17 header with the facts about time."""

from __future__ import annotations

import json
from typing import Any


def timing_header(document: dict[str, Any]) -> str:
    """The text of ``timing_facts.hpp``."""
    fields = document["fields"]
    rows = document["instruction_cycles"]["rows"]
    parts = [
        "// SPDX-License-Identifier: MIT",
        "// Generated from timing_facts.json, after validation.",
        "#pragma once",
        "",
        "#include <string_view>",
        "",
        "namespace ckdispatch::arch {",
        "",
        "/// What a GPU takes time for. Cycles are of its clock.",
        "struct TimingFacts {",
        "    std::string_view gpu;",
        "    bool whole;  ///< enough is known for its times to be judged",
        *(f"    double {name};  ///< {meaning}" for name, meaning in fields.items()),
        "};",
        "",
        "inline constexpr TimingFacts timing_facts[] = {",
        *(
            (
                f"    {{{json.dumps(gpu)}, {json.dumps(facts['whole'])}, "
                f"{', '.join(json.dumps(facts['values'][name]) for name in fields)}}},"
            )
            for gpu, facts in document["gpus"].items()
        ),
        "};",
        "",
        (
            "/// Cycles of a SIMD for instructions whose names match a pattern as a shell has "
            "them; the first row that does counts."
        ),
        "struct InstructionCycles {",
        "    std::string_view gpu;",
        "    const char* pattern;",
        "    bool narrow;  ///< only for operands of less than 8 bits",
        "    int cycles;",
        "};",
        "",
        "inline constexpr InstructionCycles instruction_cycles[] = {",
        *(
            (
                f"    {{{json.dumps(gpu)}, {json.dumps(row['pattern'])}, "
                f"{json.dumps(row['narrow'])}, {row['cycles']}}},"
            )
            for row in rows
            for gpu in row["gpus"]
        ),
        "};",
        "",
        "}  // namespace ckdispatch::arch",
        "",
    ]
    return "\n".join(parts)
