# SPDX-License-Identifier: MIT
"""The C++17 header with the constants of the cost model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def cost_header(document: dict[str, Any]) -> str:
    """The text of ``cost_constants.hpp``."""
    terms = list(document["terms"])
    shares = document["bandwidth_share_per_workgroup"]["values"]
    parts = [
        "// SPDX-License-Identifier: MIT",
        "// Generated from cost_constants.json, after validation.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstddef>",
        "#include <string_view>",
        "",
        "namespace ckdispatch::arch {",
        "",
        f"inline constexpr std::size_t kCostTerms = {len(terms)};",
        "inline constexpr std::array<std::string_view, kCostTerms> cost_terms = {"
        + ", ".join(map(_quoted, terms))
        + "};",
        "",
        "/// The place of each term.",
        "namespace cost_term {",
        *(f"inline constexpr std::size_t {term} = {place};" for place, term in enumerate(terms)),
        "}  // namespace cost_term",
        "",
        (
            "/// Microseconds, or factors, that the terms are multiplied by; "
            "fitted on measurements of that GPU."
        ),
        "struct CostConstants {",
        "    std::string_view family;",
        "    std::string_view gpu;",
        "    std::string_view source;",
        (
            "    std::string_view tables;  ///< the SHA-256 of each that they were fitted on, "
            "with spaces between"
        ),
        "    std::array<double, kCostTerms> values;",
        "};",
        "",
        "inline constexpr CostConstants cost_constants[] = {",
        *(_row(row, terms) for row in document["constants"]),
        "};",
        "",
        "/// The share of memory's bandwidth that each workgroup adds, until all of it is reached.",
        "struct BandwidthShare {",
        "    std::string_view gpu;",
        "    double per_workgroup;",
        "};",
        "",
        "inline constexpr BandwidthShare bandwidth_shares[] = {",
        *(f"    {{{_quoted(gpu)}, {json.dumps(share)}}}," for gpu, share in shares.items()),
        "};",
        "",
        "/// Cycles of a SIMD for one matrix instruction, by the wider dtype of its operands.",
        "struct MatrixCycles {",
        "    std::string_view gpu;",
        "    std::string_view dtype;",
        "    int m;",
        "    int n;",
        "    int k;",
        "    int cycles;",
        "};",
        "",
        "inline constexpr MatrixCycles matrix_cycles[] = {",
        *_cycles(document["matrix_cycles"]["values"]),
        "};",
        "",
        "}  // namespace ckdispatch::arch",
        "",
    ]
    return "\n".join(parts)


def _quoted(text: str) -> str:
    # JSON's spelling of texts is also that of C++.
    return json.dumps(text, ensure_ascii=False)


def _cycles(gpus: dict[str, dict[str, dict[str, int]]]) -> Iterator[str]:
    for gpu, dtypes in gpus.items():
        for dtype, instructions in dtypes.items():
            for tile, cycles in instructions.items():
                yield (
                    f"    {{{_quoted(gpu)}, {_quoted(dtype)}, {', '.join(tile.split('x'))}, "
                    f"{cycles}}},"
                )


def _row(row: dict[str, Any], terms: list[str]) -> str:
    values = ", ".join(json.dumps(row["values"][term]) for term in terms)
    texts = (
        row["family"],
        row["gpu"],
        row["source"],
        " ".join(table["sha256"] for table in row["tables"]),
    )
    return f"    {{{', '.join(map(_quoted, texts))},\n     {{{values}}}}},"
