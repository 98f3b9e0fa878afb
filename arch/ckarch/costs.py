# SPDX-License-Identifier: MIT
"""``cost_constants.json``: the constants of the cost model, and what they were fitted on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ckarch import checks
from ckarch.checks import Check, Report
from ckarch.errors import ArchError, SpecError
from ckarch.loader import parsed

SCHEMA_VERSION = 1
_WHAT = "the constants of the cost model"
_NAME = checks.matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_GPU = checks.matching(r"gfx[0-9a-f]{3,5}", "a GPU name such as gfx942")
_TILE = checks.matching(r"[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){2}", "three sizes such as 32x32x8")
_SHA256 = checks.matching(r"[0-9a-f]{64}", "a SHA-256 in hexadecimal digits")
_CYCLES = checks.table(_TILE, checks.integer(1), minimum=1)
_TABLE = checks.record({"name": checks.text, "sha256": _SHA256, "rows": checks.integer(1)})


def read_costs(path: Path) -> dict[str, Any]:
    """The document at ``path``, once it satisfies the schema; raises ``ArchError`` when it does
    not.
    """
    document: dict[str, Any] = parsed(path, _WHAT)
    report = Report()
    terms = document.get("terms") if isinstance(document, dict) else None
    _document(tuple(terms) if isinstance(terms, dict) else ())(report, "", document)
    if not report.problems:
        _check_rows(report, document["constants"])
    if report.problems:
        raise SpecError(str(path), tuple(report.problems), _WHAT)
    return document


def costs_text(document: dict[str, Any]) -> str:
    """The document as the file has it."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _not_negative(report: Report, path: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e6:
        report.expected(path, "a number from 0 to a million", value)


def _document(terms: tuple[str, ...]) -> Check:
    constants = checks.record(
        {
            "family": _NAME,
            "gpu": _GPU,
            "values": checks.record(dict.fromkeys(terms, _not_negative)),
            "source": checks.text,
            "tables": checks.list_of(_TABLE),
        }
    )
    return checks.record(
        {
            "schema_version": checks.one_of(SCHEMA_VERSION),
            "terms": checks.table(_NAME, checks.text, minimum=1),
            "constants": checks.list_of(constants, minimum=1),
            "bandwidth_share_per_workgroup": checks.record(
                {
                    "source": checks.text,
                    "values": checks.table(_GPU, checks.positive_number, minimum=1),
                }
            ),
            "matrix_cycles": checks.record(
                {
                    "source": checks.text,
                    "values": checks.table(
                        _GPU, checks.table(_NAME, _CYCLES, minimum=1), minimum=1
                    ),
                }
            ),
        }
    )


def _check_rows(report: Report, rows: list[dict[str, Any]]) -> None:
    seen: set[tuple[str, str]] = set()
    for index, row in enumerate(rows):
        key = (row["family"], row["gpu"])
        if key in seen:
            report.add(f"constants[{index}]", f"{row['family']} on {row['gpu']} is listed twice")
        seen.add(key)


__all__ = ["ArchError", "costs_text", "read_costs"]
