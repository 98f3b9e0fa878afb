# SPDX-License-Identifier: MIT
"""``timing_facts.json``: what the simulator's times are made of,
each figure with where it is from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ckarch import checks
from ckarch.checks import Check, Report
from ckarch.errors import SpecError
from ckarch.loader import parsed

SCHEMA_VERSION = 1
_WHAT = "the facts about time"
_NAME = checks.matching(r"[a-z][a-z0-9_]*", "a name of small letters, digits and underscores")
_GPU = checks.matching(r"gfx[0-9a-f]{3,5}", "a GPU name such as gfx942")
_PATTERN = checks.matching(
    r"[a-z0-9_*?\[\]]+", "an instruction's name with *, ? and [] as a shell has them"
)


def read_timing(path: Path) -> dict[str, Any]:
    """The document at ``path``, once it satisfies the schema; raises ``ArchError`` when it does
    not.
    """
    document: dict[str, Any] = parsed(path, _WHAT)
    report = Report()
    fields = document.get("fields") if isinstance(document, dict) else None
    _document(tuple(fields) if isinstance(fields, dict) else ())(report, "", document)
    if not report.problems:
        _check_sources(report, document)
    if report.problems:
        raise SpecError(str(path), tuple(report.problems), _WHAT)
    return document


def _document(fields: tuple[str, ...]) -> Check:
    facts = checks.record(
        {
            "whole": checks.boolean,
            "values": checks.record(dict.fromkeys(fields, checks.positive_number)),
        }
    )
    cycles = checks.record(
        {
            "gpus": checks.list_of(_GPU, minimum=1),
            "pattern": _PATTERN,
            "narrow": checks.boolean,
            "cycles": checks.integer(1),
        }
    )
    return checks.record(
        {
            "schema_version": checks.one_of(SCHEMA_VERSION),
            "fields": checks.table(_NAME, checks.text, minimum=1),
            "sources": checks.list_of(
                checks.record({"fields": checks.list_of(_NAME, minimum=1), "origin": checks.text}),
                minimum=1,
            ),
            "gpus": checks.table(_GPU, facts, minimum=1),
            "instruction_cycles": checks.record(
                {"source": checks.text, "rows": checks.list_of(cycles, minimum=1)}
            ),
        }
    )


def _check_sources(report: Report, document: dict[str, Any]) -> None:
    """Each field has one source."""
    named = [field for source in document["sources"] for field in source["fields"]]
    for field in document["fields"]:
        if named.count(field) != 1:
            report.add("sources", f"{field} has {named.count(field)} of them, and needs one")
    for field in named:
        if field not in document["fields"]:
            report.add("sources", f"there is no field {field}")
