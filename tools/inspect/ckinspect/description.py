# SPDX-License-Identifier: MIT
"""A kernel's description: the <name>.json that says what its code uses on each GPU."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ckinspect import files
from ckinspect.codeobject import spills
from ckinspect.errors import InspectError

SCHEMA_VERSION = 1

# The figures of a GPU's summary, and what a table calls them.
SUMMARY_FIELDS = {
    "vgprs": "VGPR",
    "agprs": "AGPR",
    "sgprs": "SGPR",
    "lds_bytes": "LDS",
    "scratch_bytes": "scratch",
    "vgpr_spills": "VGPR spills",
    "sgpr_spills": "SGPR spills",
    "waves_per_simd": "waves/SIMD",
    "code_bytes": "code",
    "matrix_instructions": "matrix",
}


@dataclass(frozen=True)
class Description:
    """What a manifest and a report need of a description."""

    name: str
    spec: Mapping[str, Any]
    summaries: Mapping[str, Mapping[str, int]]

    @property
    def spills(self) -> bool:
        """Whether the kernel spills registers on any of its GPUs."""
        return any(spills(summary) for summary in self.summaries.values())


def read_spec(path: Path) -> dict[str, Any]:
    """The kernel spec at `path`: a JSON object with at least the kernel's name."""
    spec = files.parse_json(files.read_bytes(path), path)
    if not isinstance(spec.get("name"), str) or not spec["name"]:
        raise InspectError(f'{path} has no kernel name; give a spec with a text field "name".')
    return spec


def compose(spec: Mapping[str, Any], gpus: Mapping[str, Any]) -> dict[str, Any]:
    """The document for `spec` with what was read from its code object for each GPU."""
    return {
        "gpus": dict(gpus),
        "name": spec["name"],
        "schema_version": SCHEMA_VERSION,
        "spec": dict(spec),
    }


def resources_literal(document: Mapping[str, Any]) -> str:
    """A C++ raw string literal of the JSON object that maps each GPU to its summary."""
    summaries = {gpu: report["summary"] for gpu, report in document["gpus"].items()}
    text = json.dumps(summaries, sort_keys=True, separators=(",", ":"))
    # JSON has parentheses only inside strings, where the escape means the same; without one,
    # nothing in the text can end the literal.
    return 'R"json({})json"\n'.format(text.replace(")", "\\u0029"))


def parse(document: Mapping[str, Any], path: Path) -> Description:
    """The description that the file at `path` holds; raises InspectError when it is not one."""
    if document.get("schema_version") != SCHEMA_VERSION:
        raise InspectError(
            f"{path} is not a kernel description of schema version {SCHEMA_VERSION};"
            f" make it with the code-object command of this version."
        )
    name, spec, gpus = (document.get(key) for key in ("name", "spec", "gpus"))
    if not (isinstance(name, str) and isinstance(spec, dict) and isinstance(gpus, dict) and gpus):
        raise InspectError(
            f"{path} is not a kernel description: it needs a name, a spec and at least one GPU;"
            f" make it with the code-object command."
        )
    reports = {gpu: report if isinstance(report, dict) else {} for gpu, report in gpus.items()}
    summaries = {
        gpu: check_summary(path, gpu, report.get("summary")) for gpu, report in reports.items()
    }
    return Description(name=name, spec=spec, summaries=summaries)


def check_summary(path: Path, gpu: str, summary: Any) -> dict[str, int]:
    """`summary` if it has every field of a GPU's summary, as the file at `path` promises."""
    fields = summary if isinstance(summary, dict) else {}
    for field in SUMMARY_FIELDS:
        if type(fields.get(field)) is not int:
            raise InspectError(
                f"{path} has no number {field} in its summary for {gpu};"
                f" make it with the code-object command."
            )
    return {field: fields[field] for field in SUMMARY_FIELDS}
