# SPDX-License-Identifier: MIT
"""``families`` and ``rules``: what there is."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any

from ckgen.core.family import Family
from ckgen.families import FAMILIES


def add_to(commands: Any) -> None:
    """Add both commands to the parser."""
    families = commands.add_parser("families", help="list the kernel families", allow_abbrev=False)
    families.set_defaults(run=run_families)
    rules = commands.add_parser(
        "rules",
        help="list the rules of legality",
        description="Prints every rule as markdown, which is docs/rules.md, or as JSON.",
        allow_abbrev=False,
    )
    rules.add_argument("--json", action="store_true", help="print JSON instead of markdown")
    rules.set_defaults(run=run_rules)


def run_families(options: argparse.Namespace) -> None:
    """Print each family and what it is for."""
    for family in FAMILIES.values():
        print(f"{family.name}: {family.summary}")


def run_rules(options: argparse.Namespace) -> None:
    """Print each rule."""
    print(rules_json(FAMILIES) if options.json else rules_markdown(FAMILIES), end="")


def rules_json(families: Mapping[str, Family]) -> str:
    """Every rule as JSON, in the order in which it is applied."""
    rules = [
        {
            "family": family.name,
            "id": rule.id,
            "sentence": rule.sentence,
            "repaired_by": list(rule.fields),
        }
        for family in families.values()
        for rule in family.rules
    ]
    return json.dumps(rules, indent=2) + "\n"


def rules_markdown(families: Mapping[str, Family]) -> str:
    """Every rule as the text of ``docs/rules.md``."""
    lines = [
        "# Rules",
        "",
        "What makes a kernel legal on a GPU. Expansion, `--explain`, the Python package and this",
        "page use the same rules, which are applied in this order; a refusal names the rule, the",
        "offending values and the nearest legal choice. This page is generated:",
        "`python3 -m ckgen rules > docs/rules.md`.",
    ]
    for family in families.values():
        lines += ["", f"## {family.name}", "", "| rule | | repaired by |", "| --- | --- | --- |"]
        for rule in family.rules:
            fields = ", ".join(f"`{field}`" for field in rule.fields)
            lines.append(f"| `{rule.id}` | {rule.sentence} | {fields} |")
    return "\n".join(lines) + "\n"
