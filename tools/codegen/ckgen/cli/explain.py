# SPDX-License-Identifier: MIT
"""``--explain``: why a kernel is legal or not, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ckarch import ArchSpecs

from ckgen.core import codec
from ckgen.core.declaration import parse_declaration
from ckgen.core.errors import DeclarationError, FieldError, SpecError
from ckgen.core.family import Family
from ckgen.core.nearest import describe_change, nearest_legal
from ckgen.core.spec import KernelSpec
from ckgen.core.target import Target
from ckgen.families import FAMILIES


def spec_from_text(family: Family, text: str, arch: ArchSpecs) -> KernelSpec:
    """The spec that a kernel's name, its JSON, or an explicit entry of a declaration means."""
    if not text.lstrip().startswith("{"):
        return family.parse_name(text)
    try:
        data = codec.parse_json(text)
    except FieldError as error:
        raise SpecError(f"--explain: {error}") from error
    if "family" in data:
        return family.spec_type.from_json(data)
    declaration = parse_declaration(
        {"family": family.name, "kernels": [data]}, FAMILIES, arch.gpus, "--explain"
    )
    if declaration.errors:
        raise DeclarationError(declaration.errors[0])
    entry = declaration.entries[0]
    if not entry.explicit:
        raise SpecError("--explain takes one kernel; wildcards and lists are for declarations")
    return family.build(
        {name: option.values[0] for name, option in entry.options.items() if option.values}, arch
    )


def explain(family: Family, spec: KernelSpec, target: Target) -> dict[str, Any]:
    """All that there is to say about ``spec``, as JSON values."""
    verdict = family.judge(spec, target)
    nearest = None if verdict.legal else nearest_legal(family, spec, target)
    return {
        "name": spec.name,
        "gpu": target.name,
        "legal": verdict.legal,
        "rules": [
            {
                "id": finding.rule.id,
                "passed": finding.passed,
                "sentence": finding.rule.sentence,
                "complaint": finding.complaint,
            }
            for finding in verdict.findings
        ],
        "nearest": None
        if nearest is None
        else {"name": nearest.name, "change": describe_change(spec, nearest)},
    }


def explanation_lines(explanation: dict[str, Any]) -> Sequence[str]:
    """An explanation for people: one line per rule, then the conclusion."""
    gpu, rules = explanation["gpu"], explanation["rules"]
    lines = [f"{explanation['name']} on {gpu}"]
    for rule in rules:
        state = "passed  " if rule["passed"] else "VIOLATED"
        lines.append(f"  {state}  {rule['id']}: {rule['complaint'] or rule['sentence']}")
    if explanation["legal"]:
        return [*lines, f"legal on {gpu}: {len(rules)} rules passed"]
    violated = sum(not rule["passed"] for rule in rules)
    lines.append(f"not legal on {gpu}: {violated} of {len(rules)} rules violated")
    if explanation["nearest"] is None:
        return [*lines, f"no similar kernel is legal on {gpu}"]
    change, name = explanation["nearest"]["change"], explanation["nearest"]["name"]
    return [*lines, f"the nearest legal choice is {change}: {name}"]
